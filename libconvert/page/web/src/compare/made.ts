// SPDX-License-Identifier: MIT
// How the runs were made, side by side, and definitions of terms.
import {h, openOnPaper, Table, visible} from '../lib';
import {words} from '../panels/made';
import type {Run} from '../panels/run';
import type {PairPanel} from './pair';

interface Row { key: string; a: string; b: string }

function rowsOf(a: Run, b: Run): Row[] {
  const keys = [...new Set([...a.head.settings, ...b.head.settings].map(([key]) => key))];
  const row = (key: string, of: (run: Run) => string): Row => ({key, a: of(a), b: of(b)});
  const inputs = (run: Run): string => run.head.inputs.map(([name]) => visible(name, 100)).join(', ');
  const rows = keys.map(key => row(key, run => visible(run.setting(key) ?? '–', 400)));
  if (a.head.inputs.length + b.head.inputs.length > 0) rows.push(row('inputs', inputs));
  return [...rows.filter(r => r.a !== r.b), ...rows.filter(r => r.a === r.b)];
}

export const made: PairPanel = ({a, b}) => {
  const rows = rowsOf(a, b), limits = [...new Set([...a.head.limits, ...b.head.limits])];
  const side = (text: string, row: Row): HTMLElement => h(row.a === row.b ? 'span' : 'b', {}, text);
  const table = new Table<Row>({rows, rowData: r => ({key: r.key, differs: String(r.a !== r.b)}), columns: [
    {title: 'setting', left: true, cell: r => r.key},
    {title: 'A', left: true, cell: r => side(r.a, r)},
    {title: 'B', left: true, cell: r => side(r.b, r)},
  ]});
  table.element.classList.add('settings');
  return h('footer', {id: 'made'},
    limits.length > 0 ? h('div', {class: 'limits'}, h('h2', {}, 'Limits of the model'), h('ul', {}, limits.map(l => h('li', {}, l)))) : null,
    openOnPaper(h('details', {}, h('summary', {}, 'How these were made, and definitions'),
      rows.length > 0 ? h('div', {class: 'wide'}, table.element) : null,
      h('dl', {class: 'facts'}, words.map(([word, meaning]) => [h('dt', {}, word), h('dd', {}, meaning)])))));
};
