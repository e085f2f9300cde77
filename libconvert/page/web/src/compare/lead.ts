// SPDX-License-Identifier: MIT
// The differences in one sentence, and the findings about each run.
import {h, panel, visible} from '../lib';
import {whatRan} from '../panels/run';
import type {Run} from '../panels/run';
import type {Pair, PairPanel} from './pair';

export const headline: PairPanel = ({difference}) => {
  const {sentence, notes} = difference;
  return h('div', {class: 'lead', id: 'difference', role: 'region', 'aria-label': 'What differs', 'data-same': String(difference.same)},
    h('p', {}, /[.!?]$/.test(sentence) ? sentence : sentence + '.'),
    notes.length > 0 ? h('ul', {}, notes.map(note => h('li', {}, note))) : null);
};

function findingsOf(run: Run, input: string): HTMLElement {
  const [first, ...bullets] = run.head.findings, said = run.head.findings.map(f => f.text).join(' ');
  const hints = run.head.hints.filter(text => !said.includes(text));
  return panel({id: 'findings' + run.side, title: `${run.side}: ${visible(input || run.head.title || 'run')}`, width: 6,
                note: (input && input !== run.head.title ? visible(run.head.title || 'run', 60) + ' · ' : '') + whatRan(run)},
    first ? h('p', {class: 'finding'}, first.text) : null,
    bullets.length + hints.length > 0
      ? h('ul', {class: 'finding'}, [...bullets.map(f => f.text), ...hints].map(text => h('li', {}, text))) : null);
}

export const findingsOfA: PairPanel = (pair: Pair) => findingsOf(pair.a, pair.inputs.A);
export const findingsOfB: PairPanel = (pair: Pair) => findingsOf(pair.b, pair.inputs.B);
