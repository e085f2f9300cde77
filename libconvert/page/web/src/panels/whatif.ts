// SPDX-License-Identifier: MIT
// What if: a further replay for each line.
import {h, largest, panel, percent, Table, timeText, tipOn} from '../lib';
import type {Panel} from './run';

interface Line { what: string; setting: string; total: number; gain: number }

export const whatIf: Panel = run => {
  const base = run.head.total_ps;
  if (run.head.what_if.length === 0 || base <= 0) return null;
  const lines: Line[] = run.head.what_if.map(w =>
    ({what: w.what, setting: w.setting, total: w.total_ps, gain: w.total_ps < 0 ? -Infinity : 1 - w.total_ps / base}));
  const most = largest(lines.map(l => Math.abs(l.gain)).filter(Number.isFinite), 1e-9);
  const table = new Table<Line>({
    rows: lines, sort: 2, rowData: l => ({totalPs: l.total}),
    columns: [
      {title: 'if', left: true, cell: l => {
        const text = h('span', {class: 'what'}, l.what);
        if (l.setting) tipOn(text, () => h('code', {}, l.setting));
        return text;
      }},
      {title: 'total', value: l => l.total, cell: l => l.total < 0 ? 'does not complete' : timeText(l.total)},
      {title: 'gain', value: l => l.gain, hint: '1 − new total / total: positive is faster',
       cell: l => Number.isFinite(l.gain) ? h('b', {class: l.gain > 0.0005 ? 'good' : l.gain < -0.0005 ? 'bad' : 'none'}, percent(l.gain)) : '–'},
      {title: '', left: true, cell: l => h('span', {class: 'bar', style:
        `width:${100 * Math.abs(Number.isFinite(l.gain) ? l.gain : 0) / most}%;background:var(--${l.gain >= 0 ? 'good' : 'bad'})`})},
    ]});
  table.element.classList.add('with-bars', 'first-wraps');
  return panel({id: 'whatif', title: 'What if', note: 'one replay for each change; gain: how much shorter the run gets', width: 6},
    h('div', {class: 'wide'}, table.element));
};
