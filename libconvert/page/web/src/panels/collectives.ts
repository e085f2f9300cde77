// SPDX-License-Identifier: MIT
// Collectives: a row for each call; for many calls, a row for each operation, size and group. A click on such a row
// shows its calls. On a machine: how sure the times are.
import {bytes, count, counted, h, panel, percent, rate, Table, timeText, tipOn} from '../lib';
import {grouped} from './calls';
import type {Calls, Group} from './calls';
import {goTo, opName, show} from './run';
import type {Head, Panel, Run, View} from './run';

const mostSingle = 30;
export const hints = {
  wait: 'from the first NPU’s call to the last NPU’s call: how long the first waits',
  algbw: 'size / time, GB/s', busbw: 'algbw × factor of the operation, as nccl-tests: comparable with a link, GB/s',
  bound: 'least time that the network allows / time since the last NPU’s call: efficiency of the algorithm on this network',
};

function share(value: number): Node | string {
  if (value < 0) return '–';
  return h('span', {}, h('span', {class: 'bar', style: `width:${Math.min(1, value) * 44}px;margin-right:6px`}), percent(value));
}

export const timeOrNone = (ps: number): Node | string => ps < 0 ? '–' : timeText(ps);
export const rateOrNone = (gb: number): string => gb > 0 ? rate(gb) : '–';

// Returns whether groups or numbers of calls differ; if not, their columns are omitted.
function differ(calls: Calls): boolean {
  for (let i = 1; i < calls.length; ++i) {
    if (calls.group[i] !== calls.group[0] || calls.number[i] !== calls.number[0]) return true;
  }
  return false;
}

function callTable(run: Run, view: View, rows: number[]): HTMLElement {
  const {calls} = run, first = rows[0] ?? 0;
  const groups = calls.group[first] !== 0 || rows.some(i => calls.group[i] !== calls.group[first]);
  const number = differ(calls);
  return new Table<number>({
    rows, sort: groups ? 5 : 4, most: 500,
    click: i => { show(run, view, calls.begin[i]!, calls.end[i]! < 0 ? run.end : calls.end[i]!); goTo('timeline'); },
    rowData: i => ({beginPs: calls.begin[i]!, endPs: calls.end[i]!, group: calls.group[i]!, number: calls.number[i]!,
                    algbw: calls.algbw(i), busbw: calls.busbw(i), boundPs: calls.boundOf(i)}),
    columns: [
      {title: 'collective', left: true, value: i => calls.op(i) + String(calls.number[i]!).padStart(9), cell: i => {
        const name = h('span', {}, opName(calls.op(i)) + (number ? ` #${calls.number[i]!}` : ''));
        if (calls.algorithm(i)) tipOn(name, () => calls.algorithmText(i));
        return name;
      }},
      ...(groups ? [{title: 'group', left: true, value: (i: number) => calls.group[i]!, cell: (i: number) => run.groupAlone(calls.group[i]!)}] : []),
      {title: 'size', value: i => calls.size[i]!, cell: i => calls.size[i]! < 0 ? '–' : bytes(calls.size[i]!)},
      {title: 'begin', value: i => calls.begin[i]!, cell: i => timeText(calls.begin[i]!)},
      {title: 'waits for last', hint: hints.wait, value: i => calls.waitsForLast(i), cell: i => {
        const wait = calls.waitsForLast(i);
        return h('span', {class: wait > 0.3 * calls.time(i) ? 'warn' : null}, wait ? timeText(wait, 3) : '–');
      }},
      {title: 'time', value: i => calls.time(i), cell: i => calls.end[i]! < 0 ? 'not ended' : timeText(calls.time(i))},
      {title: 'algbw', hint: hints.algbw, value: i => calls.algbw(i), cell: i => rateOrNone(calls.algbw(i))},
      {title: 'busbw', hint: hints.busbw, value: i => calls.busbw(i), cell: i => rateOrNone(calls.busbw(i))},
      ...(rows.some(i => calls.ofBound(i) >= 0)
        ? [{title: 'of bound', hint: hints.bound, left: true, value: (i: number) => calls.ofBound(i), cell: (i: number) => share(calls.ofBound(i))}] : []),
    ]}).element;
}

function groupTable(groups: Group[], open: (group: Group) => void): HTMLElement {
  return new Table<Group>({
    rows: groups, sort: 4, most: 200, click: open, rowData: g => ({calls: g.calls.length, meanPs: g.mean, sumPs: Math.max(0, g.sum)}),
    columns: [
      {title: 'collective', left: true, value: g => g.op, cell: g => opName(g.op)},
      {title: 'group', left: true, value: g => g.title, cell: g => g.title},
      {title: 'size', value: g => g.size, cell: g => g.size < 0 ? '–' : bytes(g.size)},
      {title: 'calls', value: g => g.calls.length, cell: g => String(g.calls.length)},
      {title: 'time: sum', hint: 'of the calls; they may overlap', value: g => g.sum, cell: g => timeOrNone(g.sum)},
      {title: 'waits for last', hint: hints.wait + ', mean', value: g => g.waits, cell: g => timeOrNone(g.waits)},
      {title: 'min', value: g => g.least, cell: g => timeOrNone(g.least)},
      {title: 'mean', value: g => g.mean, cell: g => timeOrNone(g.mean)},
      {title: 'max', value: g => g.most, cell: g => timeOrNone(g.most)},
      {title: 'busbw', hint: hints.busbw + ', mean', value: g => g.busbw, cell: g => rateOrNone(g.busbw)},
      {title: 'of bound', hint: hints.bound + ', mean', left: true, value: g => g.ofBound, cell: g => share(g.ofBound)},
    ]}).element;
}

export const collectives: Panel = (run, view) => {
  const {calls} = run;
  if (calls.length === 0) return null;
  const box = h('div', {class: 'scroll'});
  const groups = calls.length > mostSingle ? grouped(run) : [];
  const back = h('button', {hidden: true, onclick: () => showGroups()}, '‹ all');
  const note = h('span');
  const showCalls = (rows: number[], what: string): void => {
    box.replaceChildren(callTable(run, view, rows));
    note.textContent = `${what} · bandwidths in GB/s`;
  };
  const showGroups = (): void => {
    back.hidden = true;
    box.replaceChildren(groupTable(groups, g => {
      back.hidden = false;
      showCalls(g.calls, `${counted(g.calls.length, 'call')} of ${opName(g.op)} ${g.size < 0 ? '' : bytes(g.size)}, group ${g.title}`);
    }));
    note.textContent = `${counted(calls.length, 'call')} by operation, group and size · bandwidths in GB/s`;
  };
  if (groups.length > 0) showGroups();
  else showCalls(Array.from({length: calls.length}, (_, i) => i), counted(calls.length, 'call'));
  return panel({id: 'collectives', title: 'Collectives', note, hint: groups.length ? 'click: show the calls' : 'click: show in the timeline', width: 12, right: back}, box,
    calls.hasBounds() ? h('p', {class: 'small'},
      'of bound: 100 % is the least time that the network allows, counted from the last NPU’s call') : null);
};

type Origin = NonNullable<Head['certainty']>['origins'][number];

const meanings: Record<string, string> = {
  measured: 'a measured curve of this collective, with these ranks and nodes, has the size',
  between: 'between the measured curves of two numbers of ranks',
  beyond: 'sizes, ranks or nodes outside of the measured range',
  model: 'formulas alone: nothing like it was measured',
  rescaled: 'formulas alone: other hardware than measured',
};
const errorText = (pct: number): string => pct < 0 ? '–' : `±${pct.toFixed(1)} %`;

export const certainty: Panel = run => {
  const sure = run.head.certainty;
  if (!sure) return null;
  const table = new Table<Origin>({
    rows: sure.origins, sort: 2, rowData: r => ({source: r.source, calls: r.calls, share: r.share, errorPct: r.error_pct}),
    columns: [
      {title: 'source', left: true, value: r => r.source, cell: r => h('b', {}, r.source)},
      {title: 'calls', value: r => r.calls, cell: r => count(r.calls)},
      {title: 'share of time', hint: 'of the time of all calls since the last NPU’s call, for each NPU', left: true, value: r => r.share,
       cell: r => h('span', {}, h('span', {class: 'bar', style: `width:${r.share * 60}px;margin-right:6px`}), percent(r.share))},
      {title: 'expected error', hint: 'mean error of such times, as tests of the machine file found it', value: r => r.error_pct, cell: r => errorText(r.error_pct)},
      {title: '', left: true, cell: r => h('span', {class: 'small'}, meanings[r.source] ?? '')},
    ]});
  return panel({id: 'certainty', title: 'How sure?', width: 12,
                note: sure.error_pct < 0 ? 'origins of the times of collectives' : `the time of collectives has an expected error of ${errorText(sure.error_pct)}`},
    h('div', {class: 'scroll'}, table.element));
};
