// SPDX-License-Identifier: MIT
// Least slack by name: how much longer slices may take without a later end of the run.
import {count, h, Table, timeText, visible} from '../lib';
import type {Run} from './run';

interface Row { name: string; slices: number; least: number }

export function slackTable(run: Run): HTMLElement {
  const name = run.data.i32('slice.name'), slack = run.times('slice.slack'), rows = new Map<number, Row>();
  slack.forEach((ps, i) => {
    if (ps < 0) return;
    let row = rows.get(name[i]!);
    if (!row) rows.set(name[i]!, row = {name: run.name(name[i]!), slices: 0, least: ps});
    ++row.slices;
    row.least = Math.min(row.least, ps);
  });
  const list = [...rows.values()].sort((a, b) => a.least - b.least);
  return h('div', {class: 'scroll'}, new Table<Row>({rows: list, most: 200, rowData: r => ({leastPs: r.least}), columns: [
    {title: 'name', left: true, value: r => r.name, cell: r => visible(r.name, 60)},
    {title: 'slices', value: r => r.slices, cell: r => count(r.slices)},
    {title: 'least slack', hint: 'how much longer it may take without a later end, if the order of all nodes stays the same', value: r => r.least, cell: r => timeText(r.least)},
  ]}).element);
}
