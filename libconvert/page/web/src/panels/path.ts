// SPDX-License-Identifier: MIT
// The critical path: consecutive steps from start to end, which add up to the total.
import {bytes, counted, exactTime, facts, h, hideTip, panel, percent, showTip, Table, time, timeText, visible} from '../lib';
import {opName, show} from './run';
import type {Panel, Run, Step, View} from './run';

// In the order of Run::StepKind (core/run.h): name for readers, colour, whether steps are listed by NPU.
export const stepKinds: {text: string; color: string; byNpu: boolean}[] = [
  {text: 'computing', color: 'compute', byNpu: true}, {text: 'CPU', color: 'cpu', byNpu: true},
  {text: 'remote memory', color: 'memory', byNpu: true}, {text: 'recorded communication', color: 'exposed', byNpu: false},
  {text: 'messages', color: 'exposed', byNpu: false}, {text: 'receives', color: 'exposed', byNpu: false},
  {text: 'requests to senders', color: 'exposed', byNpu: false}, {text: 'requested sends', color: 'exposed', byNpu: false},
  {text: 'collective', color: 'exposed', byNpu: false}, {text: 'start delay', color: 'idle', byNpu: true},
  {text: 'unexplained', color: 'idle', byNpu: true},
];
const collective = 8, sendLane = 3;

// `op`: number of a collective's operation; negative: none.
function kindName(run: Run, kind: number, npu: number, op: number): string {
  if (kind === collective && op >= 0) return opName(run.head.ops[op]!);
  const {byNpu, text} = stepKinds[kind]!;
  return byNpu ? `${text} on ${run.npuName(npu)}` : text;
}
const stepName = (run: Run, step: Step): string =>
  kindName(run, step.kind, step.npu, step.call < 0 ? -1 : run.calls.opNumber(step.call));

// Returns whether other paths have the same length: a slice outside the path has no slack, or an NPU of the path
// represents others.
function hasEqual(run: Run, steps: Step[]): boolean {
  const {data} = run, rowNpu = data.i32('row.npu'), alike = data.i32('row.alike'), npuRow = data.i32('npu.row');
  if (steps.some(s => (alike[npuRow[s.npu] ?? -1] ?? 1) > 1)) return true;
  if (!data.has('slice.slack') || run.head.path_joined_below_ps > 0) return false;
  const slack = run.times('slice.slack'), times = run.times('slice.time'), lane = data.u8('slice.lane');
  const row = data.i32('slice.row'), node = data.i32('slice.node'), several = data.i32('slice.count');
  const pathNpu = data.i32('path.npu'), pathNode = data.i32('path.node');
  const key = (npu: number, id: number): number => npu * 2 ** 32 + (id >>> 0);
  const own = new Set(Array.from(pathNpu, (npu, i) => key(npu, pathNode[i]!)));
  // Nodes that wait for others (receives, collectives) have no slack even with a single path, so they are excluded.
  // Ids are compared by their low words.
  return slack.some((ps, i) => ps === 0 && times[i]! > 0 && lane[i]! <= sendLane && several[i]! <= 1 &&
    !own.has(key(rowNpu[row[i]!]!, node[i]!)));
}

interface Sum { name: string; color: string; steps: number; time: number; first: {begin: number; time: number} }

// Returns the sums of the whole path by name of the steps, largest first.
function sums(run: Run): Sum[] {
  const {data} = run, kind = data.u8('path_sum.kind'), npu = data.i32('path_sum.npu'), op = data.i32('path_sum.op');
  const steps = data.i32('path_sum.steps'), took = run.times('path_sum.time');
  const begin = run.times('path_sum.first_begin'), first = run.times('path_sum.first_time');
  const found = new Map<string, Sum>();
  kind.forEach((k, i) => {
    const name = kindName(run, k, npu[i]!, op[i]!);
    let sum = found.get(name);
    if (!sum) found.set(name, sum = {name, color: stepKinds[k]!.color, steps: 0, time: 0, first: {begin: begin[i]!, time: first[i]!}});
    if (begin[i]! < sum.first.begin) sum.first = {begin: begin[i]!, time: first[i]!};
    sum.steps += steps[i]!;
    sum.time += took[i]!;
  });
  return [...found.values()].sort((a, b) => b.time - a.time);
}

// Draws the path from left to right; segments narrower than a pixel are merged.
function strip(run: Run, view: View, steps: Step[]): HTMLElement {
  const element = h('div', {class: 'strip', role: 'img', 'aria-label': 'the critical path from start to end'});
  const least = run.end / 1200;
  let joined = 0;
  steps.forEach((step, i) => {
    joined += step.time;
    const next = steps[i + 1];
    if (next && joined < least) return;
    const segment = h('i', {class: run.share(joined) < 0.004 ? 'thin' : null, style: `width:${100 * run.share(joined)}%;background:var(--${stepKinds[step.kind]!.color})`,
      onclick: () => show(run, view, step.begin, step.begin + step.time),
      onmousemove: e => showTip(e as MouseEvent, facts(visible(step.name) || stepName(run, step), [
        ['', stepName(run, step)], ['NPU', `${run.npus[step.npu]?.rank ?? '?'} · node ${step.node}`],
        ['from', exactTime(step.begin)], ['for', exactTime(step.time)],
        step.bytes >= 0 ? ['', bytes(step.bytes) + (step.peer >= 0 ? ` to NPU ${step.peer}` : '')] : null,
        ['then:', step.then]])),
      onmouseleave: hideTip});
    element.append(segment);
    joined = 0;
  });
  return element;
}

export const path: Panel = (run, view) => {
  const steps = run.path.filter(s => s.time > 0);
  if (steps.length === 0) return null;
  const npus = new Set(run.data.i32('path_sum.npu')).size, equal = hasEqual(run, steps), joined = run.head.path_joined_below_ps;
  const list = sums(run), all = list.reduce((sum, s) => sum + s.steps, 0);
  const table = new Table<Sum>({
    rows: list, sort: 2, most: 12, click: sum => show(run, view, sum.first.begin, sum.first.begin + sum.first.time),
    columns: [
      {title: 'on the path', left: true, value: r => r.name, cell: r => r.name},
      {title: 'steps', value: r => r.steps, cell: r => String(r.steps)},
      {title: 'time', value: r => r.time, cell: r => timeText(r.time), data: ['time-ps', r => r.time]},
      {title: 'share', value: r => r.time, cell: r => percent(run.share(r.time))},
      {title: '', left: true, cell: r => h('span', {class: 'bar', style: `width:${100 * run.share(r.time)}%;background:var(--${r.color})`})},
    ]});
  table.element.classList.add('with-bars');
  return panel({id: 'path', title: 'Critical path', width: run.head.what_if.length > 0 ? 6 : 12,
                note: h('span', {'data-several': equal ? 'true' : null},
                  `${counted(all, 'step')} on ${counted(npus, 'NPU')}; they add up to the total${equal ? '; one of several paths of this length' : ''}` +
                  (joined > 0 ? `; several steps shorter than ${time(joined, 2)} can be drawn as one` : ''))},
    strip(run, view, steps), h('div', {class: 'scroll'}, table.element));
};
