// SPDX-License-Identifier: MIT
// Contributions to the difference: the parts of both critical paths, which add up to the runs.
import {h, largest, panel, percent, Table, timeText} from '../lib';
import {changeBar, timeChange, withSign} from './pair';
import type {PairPanel, PathRow} from './pair';

export const path: PairPanel = ({difference, change}) => {
  const rows = difference.path, delta = (r: PathRow): number => r.b_ps - r.a_ps;
  if (!difference.paths || rows.every(r => delta(r) === 0)) return null;
  const most = largest(rows.map(r => Math.abs(delta(r))));
  const table = new Table<PathRow>({
    rows, rowData: r => ({part: r.part, aPs: r.a_ps, bPs: r.b_ps}),
    columns: [
      {title: 'part of the critical path', left: true, value: r => r.part, cell: r => r.part.replaceAll('_', '-')},
      {title: 'A', value: r => r.a_ps, cell: r => timeText(r.a_ps)},
      {title: 'B', value: r => r.b_ps, cell: r => timeText(r.b_ps)},
      {title: 'Δ', hint: 'B − A', value: r => Math.abs(delta(r)), cell: r => timeChange(delta(r), true)},
      {title: 'of ΔT', hint: 'share of the difference of the runs', value: r => Math.abs(delta(r)),
       cell: r => change === 0 ? '–' : withSign(delta(r) / change, percent)},
      {title: '', cell: r => changeBar(delta(r), most, true)},
    ]});
  return panel({id: 'path', title: 'Contributions to the difference', width: 6,
                note: 'parts of the critical paths; they add up to the runs'},
    h('div', {class: 'wide'}, table.element));
};
