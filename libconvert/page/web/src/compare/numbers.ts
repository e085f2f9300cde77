// SPDX-License-Identifier: MIT
// The numbers of both runs: A, B, and the difference.
import {bytes, count, exactTime, h, panel, percent, rate, Table, time} from '../lib';
import {busiest} from '../panels/rates';
import type {Run} from '../panels/run';
import {part} from '../panels/sums';
import {ofA, withSign} from './pair';
import type {PairPanel} from './pair';

interface Row {
  id: string; title: string; hint: string;
  a: number; b: number;            // negative: unknown
  text: (value: number) => string;
  exact?: (value: number) => string;
  share?: boolean;                 // the change is in percentage points
  alone?: boolean;                 // the values are not comparable
}

const points = (size: number): string => `${(100 * size).toFixed(1)} points`;

const mean = (run: Run, ...names: string[]): number => run.npus.length === 0 ? -1
  : names.reduce((sum, name) => sum + part(run, name), 0) / run.npus.length;

function hidden(run: Run): number {
  const both = part(run, 'overlap'), moved = both + part(run, 'exposed');
  return moved > 0 ? both / moved : -1;
}

function busiestShare(run: Run): number {
  const link = busiest(run);
  return link && run.end > 0 ? link.busy / run.end : -1;
}

const bestBusbw = (run: Run): number => run.calls.bestBusbw() || -1;
const sent = (run: Run): number => run.data.has('npu.bytes_sent') ? run.data.f64('npu.bytes_sent').reduce((a, b) => a + b, 0) : -1;

function rows(a: Run, b: Run): Row[] {
  const both = (id: string, title: string, hint: string, of: (run: Run) => number, text: Row['text'], more: Partial<Row> = {}): Row =>
    ({id, title, hint, a: of(a), b: of(b), text, ...more});
  const times = (id: string, title: string, hint: string, of: (run: Run) => number): Row =>
    both(id, title, hint, of, time, {exact: exactTime});
  const ended = a.head.status === 'complete' && b.head.status === 'complete';
  return [
    {...times('total', ended ? 'total' : 'total, or reached', 'end of the last node; or the time reached by a run that does not complete',
              r => r.end), alone: !ended},
    times('computing', 'computing', 'computing, alone or with communication, mean of the NPUs', r => mean(r, 'compute', 'overlap')),
    times('exposed', 'exposed communication', 'communication while nothing is computed, mean of the NPUs', r => mean(r, 'exposed')),
    times('waiting', 'waiting for others', 'until a message is sent or the last NPU calls a collective, mean of the NPUs', r => mean(r, 'waiting')),
    both('hidden', 'communication hidden', 'share of the communication during which the NPU computes', hidden, percent, {share: true}),
    times('idle', 'idle', 'mean of the NPUs', r => mean(r, 'idle')),
    both('link', 'busiest link', 'share of the run in which it is occupied', busiestShare, percent, {share: true}),
    both('busbw', 'best bus bandwidth', 'busbw as nccl-tests define it', bestBusbw, v => `${rate(v)} GB/s`),
    both('sent', 'bytes sent', 'by all NPUs', sent, bytes),
    both('npus', 'NPUs', '', r => r.npus.length, count),
    both('slices', 'slices', 'activities on the timeline', r => r.head.slices, count),
  ].filter(row => row.a > 0 || row.b > 0);
}

export const numbers: PairPanel = ({a, b, difference}) => {
  const all = rows(a, b);
  if (all.length === 0) return null;
  const known = (row: Row): boolean => !row.alone && row.a >= 0 && row.b >= 0;
  const value = (row: Row, v: number): Node | string => v < 0 ? '–'
    : h('span', {title: row.exact?.(v), 'data-exact': row.exact?.(v)}, row.text(v));
  const table = new Table<Row>({
    rows: all, rowData: row => ({id: row.id, a: row.a, b: row.b}),
    columns: [
      {title: 'number', left: true, cell: row => h('span', {title: row.hint || null}, row.title)},
      {title: 'A', cell: row => value(row, row.a)},
      {title: 'B', cell: row => value(row, row.b)},
      {title: 'Δ', hint: 'B − A', cell: row => known(row) ? withSign(row.b - row.a, row.share ? points : row.text) : '–'},
      {title: 'Δ %', hint: '(B − A) / A', cell: row => known(row) && !row.share ? ofA(row.a, row.b) : '–'},
    ]});
  return panel({id: 'numbers', title: 'Numbers', width: 6, note: difference.same ? 'no difference' : 'B beside A'},
    h('div', {class: 'wide'}, table.element));
};
