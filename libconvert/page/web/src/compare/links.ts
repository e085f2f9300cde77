// SPDX-License-Identifier: MIT
// Links with the largest change of utilisation.
import {bytes, count, h, panel, percent, Table} from '../lib';
import {linkName} from '../panels/rates';
import type {Link, Run} from '../panels/run';
import {byChange, changeBar, withSign} from './pair';
import type {PairPanel} from './pair';

const mostLinks = 20;

// Shares of the runs; -1: no such link.
interface Row { link: Link; a: number; b: number; bytesA: number; bytesB: number }

// Returns the links by their ends; links with equal ends are numbered in their order.
function byEnds(run: Run): Map<string, Link> {
  const out = new Map<string, Link>();
  for (const link of run.links) {
    const ends = JSON.stringify([link.from, link.to, link.dim]);
    let key = ends;
    for (let i = 1; out.has(key); ++i) key = `${ends} ${i}`;
    out.set(key, link);
  }
  return out;
}

function rowsOf(a: Run, b: Run): Row[] {
  const inB = byEnds(b), rows: Row[] = [];
  for (const [key, link] of byEnds(a)) {
    const other = inB.get(key);
    rows.push({link, a: a.share(link.busy), b: other ? b.share(other.busy) : -1, bytesA: link.bytes, bytesB: other?.bytes ?? -1});
    inB.delete(key);
  }
  for (const link of inB.values()) rows.push({link, a: -1, b: b.share(link.busy), bytesA: -1, bytesB: link.bytes});
  return rows;
}

export const links: PairPanel = ({a, b}) => {
  const change = (row: Row): number => Math.max(0, row.b) - Math.max(0, row.a);
  const all = byChange(rowsOf(a, b).filter(row => change(row) !== 0), change);
  if (all.length === 0) return null;
  const rows = all.slice(0, mostLinks), largest = Math.abs(change(rows[0]!));
  const none = (value: number, text: (v: number) => string): string => value < 0 ? '–' : text(value);
  const table = new Table<Row>({
    rows, rowData: r => ({from: r.link.from, to: r.link.to, a: r.a, b: r.b}),
    columns: [
      {title: 'link', left: true, cell: r => linkName(r.link)},
      {title: 'A', hint: 'share of the run in which it is occupied', value: r => r.a, cell: r => none(r.a, percent)},
      {title: 'B', hint: 'share of the run in which it is occupied', value: r => r.b, cell: r => none(r.b, percent)},
      {title: 'Δ, points', hint: 'B − A, percentage points', value: r => Math.abs(change(r)),
       cell: r => withSign(change(r), size => (100 * size).toFixed(1))},
      {title: 'bytes A', value: r => r.bytesA, cell: r => none(r.bytesA, bytes)},
      {title: 'bytes B', value: r => r.bytesB, cell: r => none(r.bytesB, bytes)},
      {title: '', cell: r => changeBar(change(r), largest)},
    ]});
  return panel({id: 'links', title: 'Links by change of utilisation',
                note: all.length > mostLinks ? `${mostLinks} of ${count(all.length)} links that change` : 'links that change'},
    h('div', {class: 'wide'}, table.element));
};
