// SPDX-License-Identifier: MIT
// Nodes that wait forever, if a run did not complete.
import {count, h, panel, Table, timeText, visible} from '../lib';
import {show} from './run';
import type {Head, Panel} from './run';

type Wait = Head['waits'][number];

export const waits: Panel = (run, view) => {
  const {head} = run;
  if (head.waits.length === 0) return null;
  const table = new Table<Wait>({
    rows: head.waits, most: 200, click: w => { if (w.since_ps >= 0) show(run, view, w.since_ps, run.end); },
    rowData: w => ({npu: w.npu, node: w.node}),
    columns: [
      {title: 'NPU', left: true, value: w => w.npu, cell: w => String(w.npu)},
      {title: 'node', left: true, cell: w => `${w.node} ${visible(w.name, 60)}`},
      {title: 'since', value: w => w.since_ps, cell: w => w.since_ps < 0 ? 'not begun' : timeText(w.since_ps)},
      {title: 'waits for', left: true, cell: w => h('span', {class: 'what'}, w.text)},
    ]});
  table.element.classList.add('last-wraps');
  return panel({id: 'waits' + run.side, title: 'Waiting nodes' + (run.side ? ' in ' + run.side : ''), note: head.waiting > head.waits.length
    ? `the first ${count(head.waits.length)} of ${count(head.waiting)} nodes` : 'nodes that never end'},
    h('div', {class: 'scroll'}, table.element));
};
