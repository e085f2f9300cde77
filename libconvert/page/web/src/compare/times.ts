// SPDX-License-Identifier: MIT
// Times by name in A and B, largest contribution first.
import {count, h, panel, percent, Table, timeText, visible} from '../lib';
import {ofA, timeChange, withSign} from './pair';
import type {NameRow, PairPanel} from './pair';

const mostRows = 100;
const clearHint = 'whether the means differ by more than twice their standard error; requires 8 occurrences on each side';

export const times: PairPanel = ({difference, change}) => {
  const rows = difference.times, delta = (r: NameRow): number => r.b_ps - r.a_ps;
  if (rows.length === 0) return null;
  const onPath = (r: NameRow): number => r.path_b_ps - r.path_a_ps;
  const table = new Table<NameRow>({
    rows, most: mostRows,
    rowData: r => ({name: r.name, countA: r.count_a, countB: r.count_b, aPs: r.a_ps, bPs: r.b_ps, pathPs: onPath(r), clear: r.clear}),
    columns: [
      {title: 'name', left: true, value: r => r.name, cell: r => visible(r.name, 80)},
      {title: 'count A', value: r => r.count_a, cell: r => count(r.count_a)},
      {title: 'count B', value: r => r.count_b, cell: r => count(r.count_b)},
      {title: 'sum A', hint: 'over all NPUs; they may overlap', value: r => r.a_ps, cell: r => timeText(r.a_ps)},
      {title: 'sum B', hint: 'over all NPUs; they may overlap', value: r => r.b_ps, cell: r => timeText(r.b_ps)},
      {title: 'Δ', hint: 'sum B − sum A', value: r => Math.abs(delta(r)), cell: r => timeChange(delta(r))},
      {title: 'Δ %', hint: 'of the sum of A', value: r => r.a_ps > 0 ? Math.abs(delta(r)) / r.a_ps : 0, cell: r => ofA(r.a_ps, r.b_ps)},
      ...(difference.paths ? [
        {title: 'on the critical path', hint: 'time on the path of B − time on the path of A', value: (r: NameRow) => Math.abs(onPath(r)),
         cell: (r: NameRow) => timeChange(onPath(r), true)},
        {title: 'of ΔT', hint: 'contribution to the difference of the runs', value: (r: NameRow) => Math.abs(onPath(r)),
         cell: (r: NameRow) => change === 0 || onPath(r) === 0 ? '–' : withSign(onPath(r) / change, percent)}] : []),
      {title: 'significant', hint: clearHint, left: true, value: r => r.clear,
       cell: r => h('span', {class: r.clear === 'yes' ? null : 'unclear'}, r.clear)},
    ]});
  return panel({id: 'times', title: 'Times by name',
                note: (rows.length < difference.names ? `${count(rows.length)} of ${count(difference.names)} names that differ; ` : '') +
                  (difference.paths ? 'by contribution to the critical path, then by Δ' : 'by Δ')},
    h('div', {class: 'scroll'}, table.element));
};
