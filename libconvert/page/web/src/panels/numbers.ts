// SPDX-License-Identifier: MIT
// Key metrics of a run.
import {bytes, counted, exactTime, h, percent, rate, time, tipOn} from '../lib';
import {part} from './sums';
import {busiest, linkName} from './rates';
import type {Panel} from './run';

interface Tile { id: string; title: string; value: string; note: string; exact: number; hint: string }

export const numbers: Panel = run => {
  const n = Math.max(1, run.npus.length);
  const compute = (part(run, 'compute') + part(run, 'overlap')) / n;
  const waiting = part(run, 'waiting') / n, exposed = part(run, 'exposed') / n;
  const both = part(run, 'overlap') / n, moved = both + exposed;
  const tiles: Tile[] = [
    {id: 'total', title: run.head.status === 'complete' ? 'Total' : 'Reached', value: time(run.end), exact: run.end,
     note: {complete: 'end of the last node', unmatched: 'messages were never received', deadlock: 'no progress after this',
            stopped: 'stopped at this time'}[run.head.status], hint: exactTime(run.end)},
    {id: 'computing', title: 'Computing', value: percent(run.share(compute)), note: 'mean of the NPUs', exact: compute,
     hint: `${exactTime(compute)}: computing, alone or with communication, mean of the NPUs`},
    {id: 'exposed', title: 'Exposed communication', value: percent(run.share(exposed)), exact: exposed,
     note: 'not hidden by computing',
     hint: `${exactTime(exposed)}: communication while nothing is computed, mean of the NPUs`},
  ];
  if (moved > 0) {
    tiles.push({id: 'hidden', title: 'Communication hidden', value: percent(both / moved), exact: both / moved,
                note: 'by computing', hint: `${exactTime(both)} of ${exactTime(moved)} of communication, mean of the NPUs`});
  }
  if (waiting > 0) {
    tiles.push({id: 'waiting', title: 'Waiting for others', value: percent(run.share(waiting)), note: 'mean of the NPUs', exact: waiting,
                hint: `${exactTime(waiting)}: nothing to do until a message is sent or the last NPU calls a collective, mean of the NPUs`});
  }
  const {use} = run.head;
  if (use && use.mfu >= 0) {
    tiles.push({id: 'mfu', title: 'Peak used (MFU)', value: percent(use.mfu), note: `${rate(use.tflops)} of ${rate(use.peak_tflops)} TFLOPS`,
                exact: use.mfu, hint: `${use.operations.toPrecision(6)} operations of all NPUs, mean of the NPUs`});
  }
  const link = busiest(run);
  if (link) {
    tiles.push({id: 'link', title: 'Busiest link', value: percent(run.share(link.busy)), note: linkName(link),
                exact: link.busy, hint: `occupied for ${exactTime(link.busy)}, ${bytes(link.bytes)}`});
  }
  const best = run.calls.bestBusbw();
  const sent = run.data.has('npu.bytes_sent') ? run.data.f64('npu.bytes_sent').reduce((a, b) => a + b, 0) : 0;
  if (best > 0) {
    tiles.push({id: 'busbw', title: 'Best bus bandwidth', value: `${rate(best)} GB/s`, exact: best,
                note: `of ${counted(run.calls.length, 'collective')}`, hint: 'busbw as nccl-tests define it'});
  } else if (sent > 0) {
    tiles.push({id: 'sent', title: 'Bytes sent', value: bytes(sent), note: 'by all NPUs', exact: sent, hint: `${sent} bytes`});
  }
  return h('div', {class: 'kpis', id: 'numbers', role: 'region', 'aria-label': 'Numbers'}, tiles.map(tile => {
    const element = h('div', {class: 'kpi', 'data-id': tile.id, 'data-value': tile.exact},
      h('span', {}, tile.title), h('b', {}, tile.value), h('small', {}, tile.note));
    tipOn(element, () => tile.hint);
    return element;
  }));
};
