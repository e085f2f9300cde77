// SPDX-License-Identifier: MIT
// Collectives of both runs by operation, size and group.
import {bytes, h, panel, percent, Table} from '../lib';
import {grouped} from '../panels/calls';
import type {Group} from '../panels/calls';
import {hints, rateOrNone, timeOrNone} from '../panels/collectives';
import {opName} from '../panels/run';
import {byChange, ofA, timeChange} from './pair';
import type {PairPanel} from './pair';

interface Row { op: string; size: number; group: number; title: string; a: Group | undefined; b: Group | undefined }

const sum = (group: Group | undefined): number => group?.sum ?? -1;
const busbw = (group: Group | undefined): number => group?.busbw ?? -1;
const ofBound = (group: Group | undefined): number => group?.ofBound ?? -1;
const change = (row: Row): number => Math.max(0, sum(row.b)) - Math.max(0, sum(row.a));
const share = (value: number): string => value < 0 ? '–' : percent(value);

export const collectives: PairPanel = ({a, b}) => {
  const inB = new Map(grouped(b).map(group => [group.key, group])), rows: Row[] = [];
  for (const group of grouped(a)) {
    rows.push({...group, a: group, b: inB.get(group.key)});
    inB.delete(group.key);
  }
  for (const group of inB.values()) rows.push({...group, a: undefined, b: group});
  if (rows.every(row => change(row) === 0 && row.a && row.b)) return null;
  const pairOf = (title: string, hint: string, of: (group: Group | undefined) => number, text: (value: number) => Node | string) => [
    {title: `${title} A`, hint, value: (r: Row) => of(r.a), cell: (r: Row) => text(of(r.a))},
    {title: `${title} B`, hint, value: (r: Row) => of(r.b), cell: (r: Row) => text(of(r.b))}];
  const bounds = rows.some(r => ofBound(r.a) >= 0 || ofBound(r.b) >= 0);
  const table = new Table<Row>({
    rows: byChange(rows, change), most: 200,
    rowData: r => ({op: r.op, size: r.size, group: r.group, aPs: sum(r.a), bPs: sum(r.b), busbwA: busbw(r.a), busbwB: busbw(r.b)}),
    columns: [
      {title: 'collective', left: true, value: r => r.op, cell: r => opName(r.op)},
      {title: 'group', left: true, value: r => r.title, cell: r => r.title},
      {title: 'size', value: r => r.size, cell: r => r.size < 0 ? '–' : bytes(r.size)},
      ...pairOf('calls', '', group => group?.calls.length ?? 0, String),
      ...pairOf('time', 'sum of the calls; they may overlap', sum, timeOrNone),
      {title: 'Δ', hint: 'B − A', value: r => Math.abs(change(r)), cell: r => timeChange(change(r))},
      {title: 'Δ %', hint: '(B − A) / A', cell: r => sum(r.a) >= 0 && sum(r.b) >= 0 ? ofA(sum(r.a), sum(r.b)) : '–'},
      ...pairOf('busbw', hints.busbw + ', mean', busbw, rateOrNone),
      ...(bounds ? pairOf('of bound', hints.bound + ', mean', ofBound, share) : []),
    ]});
  return panel({id: 'collectives', title: 'Collectives', note: 'by operation, group and size, largest change first; bandwidths in GB/s'},
    h('div', {class: 'scroll'}, table.element));
};
