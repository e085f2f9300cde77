// SPDX-License-Identifier: MIT
// Time by operation: kernels of a recording, operations of a simulated run.
import {count, h, panel, percent, Table, timeText, visible} from '../lib';
import type {Head, Panel} from './run';

type Row = Head['operations'][number];

export const operations: Panel = run => {
  const {operations: rows, operations_in_all: all, recorded} = run.head;
  if (rows.length === 0) return null;
  const noun = recorded ? 'kernel' : 'operation';
  const table = new Table<Row>({
    rows, sort: 3, most: 30, rowData: r => ({name: r.name, count: r.count, totalPs: r.total_ps, meanPs: r.mean_ps, share: r.share}),
    columns: [
      {title: noun, left: true, value: r => r.name, cell: r => h('span', {class: 'what', title: r.name}, visible(r.name, 80))},
      {title: 'kind', left: true, value: r => r.kind, cell: r => r.kind},
      {title: 'count', value: r => r.count, cell: r => count(r.count)},
      {title: 'total', hint: 'sum of all NPUs; times may overlap', value: r => r.total_ps, cell: r => timeText(r.total_ps)},
      {title: 'mean', value: r => r.mean_ps, cell: r => timeText(r.mean_ps)},
      {title: 'share', hint: 'of the sum of all times', left: true, value: r => r.share, cell: r => h('span', {},
        h('span', {class: 'bar', style: `width:${r.share * 60}px;margin-right:6px`}), percent(r.share))},
    ]});
  return panel({id: 'operations', title: recorded ? 'Kernels' : 'Operations', width: 12,
                note: rows.length < all ? `the ${count(rows.length)} longest of ${count(all)}` :
                  recorded ? 'by name' : 'by name, * for numbers; without waiting for others'},
    h('div', {class: 'scroll'}, table.element));
};
