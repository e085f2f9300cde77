// SPDX-License-Identifier: MIT
// How the page was made, limits of the model, and definitions of terms.
import {count, exactTime, h, largest, openOnPaper, smallest, visible} from '../lib';
import type {Panel} from './run';

const mostInputs = 32;

export const words: [string, string][] = [
  ['computing alone, both, exposed, memory, CPU, idle', 'activity of an NPU at each time; unions of times, so that they add up to the total'],
  ['exposed communication', 'time in which an NPU communicates and does not compute. Exposed is not blocking: hiding it need not shorten the run'],
  ['waiting', 'the part of exposed communication in which all nodes under way wait: a collective for its last NPU, a receive for its sender'],
  ['hidden', 'share of the communication during which the NPU computes'],
  ['algbw, busbw', 'size / time; times 2(n−1)/n for all-reduce, (n−1)/n for all-gather, reduce-scatter, all-to-all, gather and scatter, 1 for broadcast and reduce (nccl-tests)'],
  ['of bound', 'the least time that the network allows / the time since the last NPU’s call'],
  ['utilisation of a link', 'share of the time in which the link was occupied, by direction'],
  ['critical path', 'steps from 0 to the end; each step ends when the next begins'],
  ['slack', 'how much longer a node may take without a later end of the run, if the order of all nodes stays the same'],
];

export const made: Panel = run => {
  const {head} = run;
  const command = run.setting('command');
  const astra = run.data.has('npu.astra_exposed') ? run.times('npu.astra_exposed').filter(t => t >= 0) : [];
  const facts = (list: [string, string][]): HTMLElement =>
    h('dl', {class: 'facts'}, list.map(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
  const rows: [string, string][] = head.settings.filter(([k]) => k !== 'command').map(([k, v]) => [k, visible(v, 400)]);
  rows.push(['slices', count(head.slices)]);
  for (const [name, hash] of head.inputs.slice(0, mostInputs)) rows.push(['input', visible(name) + (hash ? ` · SHA-256 ${hash}` : '')]);
  if (head.inputs.length > mostInputs) rows.push(['', `and ${count(head.inputs.length - mostInputs)} more`]);
  const defined: [string, string][] = [...words];
  if (astra.length > 0) {
    defined.push(['ASTRA-sim’s exposed communication', `finish − computing, idle time included: here ${exactTime(smallest(astra))} to ${exactTime(largest(astra))}`]);
  }
  return h('footer', {id: 'made'},
    head.limits.length > 0 ? h('div', {class: 'limits'}, h('h2', {}, 'Limits of the model'), h('ul', {}, head.limits.map(l => h('li', {}, l)))) : null,
    openOnPaper(h('details', {}, h('summary', {}, 'How this was made, and definitions'),
      command ? h('p', {}, h('code', {}, command)) : null, facts(rows), facts(defined))));
};
