// SPDX-License-Identifier: MIT
// Traffic between NPUs, and traffic of process groups.
import {bytes, CanvasView, color, count, facts, font, h, heat, hideTip, panel, saveButton, showTip, Table, timeText, unfold} from '../lib';
import type {Panel, Run} from './run';

interface GroupSum { group: number; calls: number; size: number; time: number }

function groupSums(run: Run): GroupSum[] {
  const found = new Map<number, GroupSum>();
  const {calls} = run;
  for (let i = 0; i < calls.length; ++i) {
    const group = calls.like[i]!;
    let sum = found.get(group);
    if (!sum) found.set(group, sum = {group, calls: 0, size: 0, time: 0});
    ++sum.calls;
    sum.size += Math.max(0, calls.size[i]!);
    sum.time += Math.max(0, calls.time(i));
  }
  return [...found.values()];
}

export const matrix: Panel = run => {
  const {data, head} = run;
  const src = data.i32('matrix.src'), dst = data.i32('matrix.dst'), sent = data.f64('matrix.bytes');
  const messages = data.f64('matrix.messages');
  if (src.length === 0) return null;
  const each = head.matrix_npus_each, n = Math.ceil(run.npus.length / each);
  const most = sent.reduce((a, b) => Math.max(a, b), 1), least = sent.reduce((a, b) => b > 0 ? Math.min(a, b) : a, most);
  const shade = (b: number): number => most > least ? 0.12 + 0.88 * Math.log(b / least) / Math.log(most / least) : 0.8;
  const cells = new Map<number, number>();
  src.forEach((from, i) => cells.set(from * n + dst[i]!, i));
  const name = (g: number): string => {
    const first = run.npus[g * each]!.rank, last = run.npus[Math.min(run.npus.length, (g + 1) * each) - 1]!.rank;
    return first === last ? String(first) : `${first}–${last}`;
  };
  const left = 12 + 6.2 * String(run.npus[run.npus.length - 1]!.rank).length, top = 22;
  const cell = (width: number): number => Math.max(2, Math.min(30, (Math.min(width, 480) - left - 2) / n));
  const view = new CanvasView({
    label: `bytes sent from NPU to NPU; most: ${bytes(most)}`,
    height: width => top + n * cell(width) + 4,
    draw: (pen, width) => {
      const size = cell(width);
      pen.fillStyle = color('heat0');
      pen.fillRect(left, top, n * size, n * size);
      cells.forEach((i, at) => {
        if (sent[i]! <= 0) return;
        pen.fillStyle = heat(shade(sent[i]!));
        pen.fillRect(left + (at % n) * size, top + Math.floor(at / n) * size, Math.max(1, size - (size > 6 ? 1 : 0)), Math.max(1, size - (size > 6 ? 1 : 0)));
      });
      pen.fillStyle = color('soft');
      pen.font = font(10);
      pen.textBaseline = 'middle';
      const first = (g: number): string => String(run.npus[g * each]!.rank);
      const step = Math.ceil((left + 2) / size), rows = Math.ceil(11 / size);
      for (let g = 0; g < n; ++g) {
        pen.textAlign = 'right';
        if (g % rows === 0) pen.fillText(first(g), left - 4, top + (g + 0.5) * size);
        pen.textAlign = 'center';
        if (g % step === 0) pen.fillText(first(g), left + (g + 0.5) * size, top - 8);
      }
    }});
  view.canvas.addEventListener('mousemove', e => {
    const size = cell(view.width), x = Math.floor((e.offsetX - left) / size), y = Math.floor((e.offsetY - top) / size);
    const i = x >= 0 && x < n && y >= 0 ? cells.get(y * n + x) : undefined;
    if (i === undefined) return hideTip();
    showTip(e, facts(`NPU ${name(y)} → ${name(x)}`, [['', bytes(sent[i]!)], ['messages', count(messages[i]!)]]));
  });
  view.canvas.addEventListener('mouseleave', hideTip);
  const groups = groupSums(run);
  const sums = groups.length === 0 ? null : h('div', {class: 'wide side'}, new Table<GroupSum>({
    rows: groups, sort: 2, most: 20, columns: [
      {title: 'group', left: true, value: g => g.group, cell: g => run.groupTitle(g.group)},
      {title: 'calls', value: g => g.calls, cell: g => count(g.calls)},
      {title: 'size', hint: 'sum of the sizes of the group’s collectives', value: g => g.size, cell: g => bytes(g.size)},
      {title: 'time', hint: 'sum over the group’s collectives, from the first begin to the last end', value: g => g.time, cell: g => timeText(g.time)},
    ]}).element);
  const total = sent.reduce((a, b) => a + b, 0);
  return panel({id: 'matrix', title: 'Traffic between NPUs', width: 6, right: saveButton('matrix', () => view.svg()),
                note: `row to column, ${bytes(total)} in total${each > 1 ? `; ${each} NPUs a cell` : ''}; shade: log`},
    h('div', {class: 'beside', 'data-bytes': total}, view.element, sums), unfold('as a table', () =>
      h('div', {class: 'scroll'}, new Table<number>({
        rows: [...src.keys()], sort: 2, most: 300, rowData: i => ({bytes: sent[i]!}), columns: [
          {title: 'from', left: true, value: i => src[i]!, cell: i => name(src[i]!)},
          {title: 'to', left: true, value: i => dst[i]!, cell: i => name(dst[i]!)},
          {title: 'bytes', value: i => sent[i]!, cell: i => bytes(sent[i]!)},
          {title: 'messages', value: i => messages[i]!, cell: i => count(messages[i]!)},
        ]}).element)));
};
