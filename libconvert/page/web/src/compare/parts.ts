// SPDX-License-Identifier: MIT
// Time categories: the mean NPU of A and of B as bars of one scale, and the NPUs that change most.
import {count, exactTime, facts, h, largest, legend, panel, percent, Table, time, timeText, tipOn} from '../lib';
import {parts} from '../panels/run';
import type {Run} from '../panels/run';
import {byChange, changeBar, ofA, timeChange} from './pair';
import type {Pair, PairPanel} from './pair';

const mostChanges = 12;

interface Change { npu: number; part: number; a: number; b: number }

// Returns the mean time of the NPUs in each category.
const means = (run: Run): number[] =>
  parts.map((_, i) => run.npus.reduce((sum, npu) => sum + npu.parts[i]!, 0) / Math.max(1, run.npus.length));

function bar(run: Run, times: number[]): HTMLElement {
  const used = parts.map((p, i) => ({...p, ps: times[i]!})).filter(p => p.ps > 0);
  const element = h('div', {class: 'row', role: 'listitem', 'data-side': run.side},
    h('span', {class: 'n'}, run.side),
    h('span', {class: 't open'}, used.map(p => h('i', {class: p.name, style: `width:${100 * p.ps / Math.max(1, run.span)}%`}))),
    h('span', {class: 'v'}, time(run.end)));
  parts.forEach((p, i) => element.dataset[p.name + 'Ps'] = String(times[i]));
  tipOn(element, () => facts(`${run.side}, mean of ${count(run.npus.length)} NPUs`,
    used.map(p => [p.text, `${exactTime(p.ps)} · ${percent(run.share(p.ps))}`])));
  return element;
}

function changes(pair: Pair): Change[] {
  const inB = new Map(pair.b.npus.map(npu => [npu.rank, npu])), out: Change[] = [];
  for (const npu of pair.a.npus) {
    const other = inB.get(npu.rank);
    if (!other) continue;
    parts.forEach((_, part) => {
      if (npu.parts[part] !== other.parts[part]) out.push({npu: npu.rank, part, a: npu.parts[part]!, b: other.parts[part]!});
    });
  }
  return byChange(out, c => c.b - c.a);
}

function table<R>(what: {title: string; cell: (row: R) => string}[], rows: R[], a: (row: R) => number, b: (row: R) => number,
                  rowData: (row: R) => Record<string, string | number>): HTMLElement {
  const most = largest(rows.map(r => Math.abs(b(r) - a(r))), 1);
  return h('div', {class: 'wide'}, new Table<R>({rows, rowData, columns: [
    ...what.map(column => ({...column, left: true})),
    {title: 'A', value: a, cell: r => timeText(a(r))},
    {title: 'B', value: b, cell: r => timeText(b(r))},
    {title: 'Δ', hint: 'B − A', value: r => Math.abs(b(r) - a(r)), cell: r => timeChange(b(r) - a(r))},
    {title: 'Δ %', hint: '(B − A) / A', cell: r => ofA(a(r), b(r))},
    {title: '', cell: r => changeBar(b(r) - a(r), most)},
  ]}).element);
}

export const breakdown: PairPanel = pair => {
  const {a, b} = pair;
  if (a.npus.length === 0 || b.npus.length === 0) return null;
  const meanA = means(a), meanB = means(b), used = parts.filter((_, i) => meanA[i]! > 0 || meanB[i]! > 0);
  const bars = h('div', {class: 'bars', role: 'list'}, bar(a, meanA), bar(b, meanB));
  const differ = byChange(parts.map((p, i) => ({part: p.text, name: p.name, a: meanA[i]!, b: meanB[i]!})).filter(r => r.a !== r.b), r => r.b - r.a);
  const perNpu = changes(pair);
  return panel({id: 'breakdown', title: 'Where the time goes', note: 'mean of the NPUs, both on one scale; at the right: total time'},
    bars, legend(used),
    differ.length > 0 ? table([{title: 'mean of the NPUs', cell: r => r.part}], differ, r => r.a, r => r.b,
      r => ({part: r.name, aPs: r.a, bPs: r.b})) : null,
    perNpu.length > 0 ? h('div', {class: 'by-npu'}, h('h3', {}, perNpu.length > mostChanges
        ? `The ${mostChanges} largest of ${count(perNpu.length)} changes of NPUs` : 'Changes of NPUs'),
      table([{title: 'NPU', cell: (c: Change) => String(c.npu)}, {title: 'part', cell: c => parts[c.part]!.text}],
        perNpu.slice(0, mostChanges), c => c.a, c => c.b, c => ({npu: c.npu, part: parts[c.part]!.name, aPs: c.a, bPs: c.b}))) : null);
};
