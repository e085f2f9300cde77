// SPDX-License-Identifier: MIT
// How sure the times of collective calls on a machine are: their origins and expected errors.
import {count, h, panel, percent, Table} from '../lib';
import type {Head, Panel} from './run';

type Row = NonNullable<Head['certainty']>['origins'][number];

const meanings: Record<string, string> = {
  measured: 'a measured curve of this collective, with these ranks and nodes, has the size',
  between: 'between the measured curves of two numbers of ranks',
  beyond: 'sizes, ranks or nodes outside of the measured range',
  model: 'formulas alone: nothing like it was measured',
  rescaled: 'formulas alone: other hardware than measured',
};
const errorText = (pct: number): string => pct < 0 ? '–' : `±${pct.toFixed(1)} %`;

export const certainty: Panel = run => {
  const sure = run.head.certainty;
  if (!sure) return null;
  const table = new Table<Row>({
    rows: sure.origins, sort: 2, rowData: r => ({source: r.source, calls: r.calls, share: r.share, errorPct: r.error_pct}),
    columns: [
      {title: 'source', left: true, value: r => r.source, cell: r => h('b', {}, r.source)},
      {title: 'calls', value: r => r.calls, cell: r => count(r.calls)},
      {title: 'share of time', hint: 'of the time of all calls since the last NPU’s call, for each NPU', left: true, value: r => r.share,
       cell: r => h('span', {}, h('span', {class: 'bar', style: `width:${r.share * 60}px;margin-right:6px`}), percent(r.share))},
      {title: 'expected error', hint: 'mean error of such times, as tests of the machine file found it', value: r => r.error_pct, cell: r => errorText(r.error_pct)},
      {title: '', left: true, cell: r => h('span', {class: 'small'}, meanings[r.source] ?? '')},
    ]});
  return panel({id: 'certainty', title: 'How sure?', width: 12,
                note: sure.error_pct < 0 ? 'origins of the times of collectives' : `the time of collectives has an expected error of ${errorText(sure.error_pct)}`},
    h('div', {class: 'scroll'}, table.element));
};
