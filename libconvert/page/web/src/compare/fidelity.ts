// SPDX-License-Identifier: MIT
// Fidelity of run B to run A, as et-diff --statistics reports it: distances of distributions, not of single slices.
import {count, h, panel, percent, Table, timeText} from '../lib';
import type {Child} from '../lib';
import {withSign} from './pair';
import type {PairPanel} from './pair';

export interface LaneRow { lane: string; type: string; a: number; b: number; distance: number }
interface WorkRow { lane: string; a_ns: number; b_ns: number; change: number | null }
interface Share { computing_a_share: number | null; computing_b_share: number | null; communication_a_share: number | null;
                  communication_b_share: number | null; waiting_a_share: number | null; waiting_b_share: number | null }
export interface Fidelity {
  classes: number; durations: number; sizes: number; calls: number | null;
  span_a_ns: number | null; span_b_ns: number | null; span_change: number | null;
  exposed_a_ns: number | null; exposed_b_ns: number | null; exposed_change: number | null;
  waiting_a_ns: number | null; waiting_b_ns: number | null; waiting_change: number | null;
  durations_by_lane: LaneRow[]; work: WorkRow[]; path: Share[]; traffic: {a_bytes: number; b_bytes: number; distance: number | null}[];
}

interface Row { id: string; title: string; hint: string; a: Child; b: Child; differs: string }

const distanceText = (value: number | null): string => value === null ? '–' : String(Number(value.toPrecision(3)));
const timeOf = (ns: number | null): Child => ns === null ? '–' : timeText(1000 * ns);
const shareOf = (share: number | null | undefined): string => share === null || share === undefined ? '–' : percent(share);
const changeOf = (change: number | null): string => change === null ? '–' : withSign(change, percent);

function rowsOf(f: Fidelity): Row[] {
  const distance = (id: string, title: string, hint: string, value: number | null): Row =>
    ({id, title, hint, a: '', b: '', differs: distanceText(value)});
  const times = (id: string, title: string, hint: string, a: number | null, b: number | null, change: number | null): Row =>
    ({id, title, hint, a: timeOf(a), b: timeOf(b), differs: changeOf(change)});
  const path = f.path[0], traffic = f.traffic[0];
  const share = (id: string, title: string, a: number | null | undefined, b: number | null | undefined): Row =>
    ({id, title, hint: 'share of the critical path', a: shareOf(a), b: shareOf(b),
      differs: typeof a === 'number' && typeof b === 'number' ? withSign(b - a, size => `${(100 * size).toFixed(1)} points`) : '–'});
  return [
    distance('classes', 'names', 'total variation: the share of slices that would have to change their class; classes whose names differ ' +
             'are paired by frequency', f.classes),
    distance('durations', 'durations', 'largest Kolmogorov-Smirnov distance of the durations in a lane', f.durations),
    distance('sizes', 'sizes', 'Kolmogorov-Smirnov distance of the bytes of messages and collectives', f.sizes),
    distance('calls', 'order of calls', 'largest difference of the autocorrelation of type and size, at lags 1 to 16', f.calls),
    times('span', 'span', 'end of the last node', f.span_a_ns, f.span_b_ns, f.span_change),
    times('exposed', 'exposed communication', 'mean of the NPUs', f.exposed_a_ns, f.exposed_b_ns, f.exposed_change),
    times('waiting', 'waiting for others', 'mean of the NPUs', f.waiting_a_ns, f.waiting_b_ns, f.waiting_change),
    ...(path ? [share('computing', 'path: computing', path.computing_a_share, path.computing_b_share),
                share('communication', 'path: communication', path.communication_a_share, path.communication_b_share),
                share('waits', 'path: waiting', path.waiting_a_share, path.waiting_b_share)] : []),
    ...(traffic ? [distance('traffic', 'traffic', 'bytes between pairs of NPUs: sum of |A − B|, relative to A', traffic.distance)] : []),
  ];
}

export const fidelity: PairPanel = ({difference, statistics}) => {
  if (difference.same) return null;
  const table = new Table<Row>({
    rows: rowsOf(statistics), rowData: r => ({id: r.id, differs: r.differs}),
    columns: [
      {title: '', left: true, cell: r => h('span', {title: r.hint}, r.title)},
      {title: 'A', cell: r => r.a},
      {title: 'B', cell: r => r.b},
      {title: 'differs by', hint: '0: equal; distances: at most 1; times: relative to A', cell: r => r.differs},
    ]});
  return panel({id: 'fidelity', title: 'Fidelity of B to A', width: 6, note: 'statistics of all slices; slices are not matched'},
    h('div', {class: 'wide'}, table.element));
};

interface InLane { lane: string; a: number; b: number; distance: number; aNs: number; bNs: number; change: number | null }

// Returns a row for each lane, with the largest distance of its types.
function lanesOf(f: Fidelity): InLane[] {
  const out = f.work.map((w): InLane => ({lane: w.lane, a: 0, b: 0, distance: 0, aNs: w.a_ns, bNs: w.b_ns, change: w.change}));
  for (const d of f.durations_by_lane) {
    const row = out.find(r => r.lane === d.lane);
    if (!row) continue;
    row.a += d.a;
    row.b += d.b;
    row.distance = Math.max(row.distance, d.distance);
  }
  return out.filter(r => r.a + r.b > 0);
}

export const lanes: PairPanel = ({difference, statistics}) => {
  const rows = lanesOf(statistics);
  if (difference.same || rows.length === 0) return null;
  const table = new Table<InLane>({
    rows, most: 50, rowData: r => ({lane: r.lane, distance: r.distance}),
    columns: [
      {title: 'lane', left: true, value: r => r.lane, cell: r => r.lane},
      {title: 'slices A', value: r => r.a, cell: r => count(r.a)},
      {title: 'slices B', value: r => r.b, cell: r => count(r.b)},
      {title: 'distance', hint: 'Kolmogorov-Smirnov, of durations', value: r => r.distance, cell: r => distanceText(r.distance)},
      {title: 'work A', hint: 'sum of the durations', value: r => r.aNs, cell: r => timeOf(r.aNs)},
      {title: 'work B', hint: 'sum of the durations', value: r => r.bNs, cell: r => timeOf(r.bNs)},
      {title: 'Δ %', hint: '(B − A) / A', value: r => r.change ?? 0, cell: r => changeOf(r.change)},
    ]});
  return panel({id: 'lanes', title: 'Durations and work by lane', width: 6}, h('div', {class: 'wide'}, table.element));
};
