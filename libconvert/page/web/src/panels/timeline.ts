// SPDX-License-Identifier: MIT
// The timeline: slices of each NPU over time, with the critical path as a line.
import {addHelp, bytes, CanvasView, count, exactTime, facts, h, hideTip, legend, onKeysOf, panel, saveButton, showTip, time,
        unfold, visible} from '../lib';
import {left, Painter, right, top} from './timeline_draw';
import type {Look} from './timeline_draw';
import {Layout} from './timeline_layout';
import {slackTable} from './slack';
import {ofSide, opName} from './run';
import type {Panel, Run, View} from './run';

// Zooms and moves the time window.
class Window {
  constructor(private readonly run: Run, private readonly view: View) {}
  zoom(factor: number, at: number): void {
    const {from, to} = this.view.value, middle = from + at * (to - from), size = (to - from) * factor;
    if (size < 10) return;
    this.view.set({from: Math.max(0, middle - at * size), to: Math.min(this.run.span, middle + (1 - at) * size)});
  }
  move(shares: number): void { this.moveTo(this.view.value.from + (this.view.value.to - this.view.value.from) * shares); }
  moveTo(from: number): void {
    const size = this.view.value.to - this.view.value.from;
    const begin = Math.max(0, Math.min(this.run.span - size, from));
    this.view.set({from: begin, to: begin + size});
  }
  all(): void { this.view.set({from: 0, to: this.run.span}); }
}

// Returns the slice at a point of the canvas, or -1.
function hit(painter: Painter, state: {from: number; to: number}, width: number, px: number, py: number): number {
  const {layout} = painter, row = Math.floor((py - top) / painter.bandHeight);
  if (row < 0 || row >= layout.rows || px < left) return -1;
  const scale = (state.to - state.from) / (width - left - right), at = state.from + (px - left) * scale;
  let best = -1, distance = 2.5;
  for (const range of layout.ranges[row]!) {
    const [y0, height] = painter.place(row, range.lane, 0);
    const k = Math.floor((py - y0) / height);
    if (k < 0 || k >= layout.subs[layout.lanes.indexOf(range.lane)]!) continue;
    for (let i = layout.firstFrom(range, at - 3 * scale); i < range.end && layout.begin[i]! <= at + 3 * scale; ++i) {
      if (layout.sub[i] !== k) continue;
      const away = Math.max(0, layout.begin[i]! - at, at - layout.finish[i]!) / scale;
      if (away < distance) { distance = away; best = i; }
    }
  }
  return best;
}

function describe(run: Run, layout: Layout): (i: number) => Node[] {
  const {data} = run, node = run.ids('slice.node'), row = data.i32('slice.row'), name = data.i32('slice.name');
  const sizes = data.f64('slice.bytes'), peer = data.i32('slice.peer'), call = data.i32('slice.call');
  const counts = data.i32('slice.count'), open = data.u8('slice.open');
  const slack = data.has('slice.slack') ? run.times('slice.slack') : undefined;
  let path: Set<string> | undefined;  // created on first use
  return i => {
    const npu = layout.npuOfRow[row[i]!]!, lane = run.head.lanes[layout.lane[i]!]!, c = call[i]!;
    path ??= new Set(run.path.filter(s => s.time > 0).map(s => `${s.npu}:${s.node}`));
    const duration = layout.finish[i]! - layout.begin[i]!;
    return facts(visible(run.name(name[i]!)) || lane, [
      ['', `${run.npuName(npu)} · ${lane} · node ${node(i)}`],
      counts[i]! > 1 ? ['', `${counts[i]} slices, drawn as one`] : null,
      ['from', exactTime(layout.begin[i]!)], [open[i] ? 'not ended after' : 'for', exactTime(duration)],
      layout.wait[i]! > 0 ? ['waits', exactTime(layout.wait[i]!)] : null,
      sizes[i]! >= 0 ? ['', `${bytes(sizes[i]!)}${peer[i]! >= 0 ? ` ${lane === 'recv' ? 'from' : 'to'} NPU ${peer[i]}` : ''}`] : null,
      c >= 0 ? ['', `${opName(run.calls.op(c))} #${run.calls.number[c]!} of ${run.calls.npus[c]!} NPUs`] : null,
      slack && slack[i]! >= 0 ? ['slack', exactTime(slack[i]!)] : null,
      path.has(`${npu}:${node(i)}`) ? ['', 'on the critical path'] : null]);
  };
}

function attachPointer(canvas: CanvasView, painter: Painter, run: Run, view: View, look: Look, window: Window): void {
  const element = canvas.canvas, text = describe(run, painter.layout);
  let drag: {x: number; from: number} | undefined, moved = false;
  element.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.shiftKey && document.activeElement !== element) return;
    e.preventDefault();
    const delta = e.deltaY || e.deltaX;
    window.zoom(delta > 0 ? 1.2 : 1 / 1.2, Math.min(1, Math.max(0, (e.offsetX - left) / (canvas.width - left))));
  }, {passive: false});
  element.addEventListener('pointerdown', e => {
    drag = {x: e.clientX, from: view.value.from};
    moved = false;
    element.setPointerCapture(e.pointerId);
  });
  element.addEventListener('pointerup', () => drag = undefined);
  element.addEventListener('pointermove', e => {
    if (drag && Math.abs(drag.x - e.clientX) > 2) {
      moved = true;
      window.moveTo(drag.from + (drag.x - e.clientX) / (canvas.width - left) * (view.value.to - view.value.from));
    }
    const row = Math.floor((e.offsetY - top) / painter.bandHeight), npu = painter.layout.npuOfRow[row] ?? -1;
    if (npu !== view.value.npu) view.set({npu});
    const i = hit(painter, view.value, canvas.width, e.offsetX, e.offsetY);
    element.dataset.hover = String(i);
    if (i < 0) hideTip();
    else showTip(e, text(i));
  });
  element.addEventListener('pointerleave', () => { hideTip(); if (view.value.npu >= 0) view.set({npu: -1}); });
  element.addEventListener('click', e => {
    if (moved) return;
    look.selected = hit(painter, view.value, canvas.width, e.offsetX, e.offsetY);
    canvas.redraw();
  });
}

function key(layout: Layout, run: Run): HTMLElement {
  const has = (lane: number): boolean => layout.lanes.includes(lane), communicates = layout.lanes.some(l => l >= 3);
  return legend([
    ...(has(1) ? [{color: 'compute', text: 'computing'}] : []),
    ...(communicates && has(1) ? [{color: 'overlap', text: 'communication hidden by computing'}] : []),
    ...(communicates ? [{color: 'exposed', text: 'exposed communication'}] : []),
    ...(layout.wait.some(w => w > 0) ? [{color: 'exposed', text: 'waiting for others', pale: true}] : []),
    ...(has(2) ? [{color: 'memory', text: 'remote memory'}] : []), ...(has(0) ? [{color: 'cpu', text: 'CPU'}] : []),
    ...(run.data.u8('slice.open').some(o => o) ? [{color: 'exposed', text: run.head.status === 'stopped' ? 'had not ended' : 'never ends', dashed: true}] : []),
    ...(run.path.length ? [{color: 'path', text: 'critical path', line: true}] : []),
  ]);
}

function slackLegend(most: number): HTMLElement {
  return h('div', {class: 'legend', hidden: true, id: 'slack-legend'},
    h('span', {}, h('i', {style: 'background-color:var(--bad)'}), 'no slack: a longer slice delays the end'),
    h('span', {}, 'little'), h('span', {class: 'heat', style: 'background:linear-gradient(90deg, var(--heat1), var(--heat0))'}),
    h('span', {}, `${time(most, 3)} of slack, log scale`));
}

function notes(run: Run, layout: Layout): string {
  const out = [];
  if (layout.rows < run.npus.length) {
    const stood = layout.alike.reduce((a, b) => a + b, 0);
    out.push(stood < run.npus.length ? `${count(layout.rows)} of ${count(run.npus.length)} NPUs`
      : `${layout.rows === 1 ? '1 NPU represents' : `${count(layout.rows)} NPUs represent`} ${count(run.npus.length)}`);
  }
  if (run.head.merged_below_ps > 0) out.push(`several slices shorter than ${time(run.head.merged_below_ps, 2)} can be drawn as one`);
  return out.join(' · ');
}

export const timeline: Panel = (run, view) => {
  if (run.data.rows('slice.begin') === 0) return null;
  const layout = new Layout(run), painter = new Painter(run, layout), window = new Window(run, view);
  const look: Look = {path: true, slack: false, selected: -1};
  const canvas = new CanvasView({
    label: `timeline${ofSide(run)} with ${count(run.head.slices)} slices on ${count(run.npus.length)} NPUs; keys: w s zoom, a d move, 0 all, p critical path`,
    height: () => painter.height, focusable: true, draw: (pen, width) => painter.draw(pen, width, view.value, look)});
  const shown = h('span', {class: 'note', 'data-window': ''});
  const colours = key(layout, run), slacks = slackLegend(painter.mostSlack);
  const toggle = (name: 'path' | 'slack', text: string): HTMLButtonElement => {
    const button = h('button', {'aria-pressed': String(look[name]), onclick: () => {
      look[name] = !look[name];
      button.setAttribute('aria-pressed', String(look[name]));
      colours.hidden = look.slack;
      slacks.hidden = !look.slack;
      canvas.redraw();
    }}, text);
    return button;
  };
  const pathButton = run.path.length ? toggle('path', 'critical path') : null;
  const slackButton = run.data.has('slice.slack') ? toggle('slack', 'slack') : null;
  view.on(({from, to}) => {
    shown.textContent = to - from < run.span * 0.9995 ? `${exactTime(from)} – ${exactTime(to)} (${time(to - from)})` : '';
    shown.dataset.window = `${from} ${to}`;
    canvas.redraw();
  });
  attachPointer(canvas, painter, run, view, look, window);
  onKeysOf(canvas.canvas, {
    w: () => window.zoom(0.7, 0.5), s: () => window.zoom(1 / 0.7, 0.5), a: () => window.move(-0.2), d: () => window.move(0.2),
    ArrowLeft: () => window.move(-0.2), ArrowRight: () => window.move(0.2), 0: () => window.all(), p: () => pathButton?.click(),
    Escape: () => { look.selected = -1; canvas.redraw(); hideTip(); }});
  addHelp('w s', 'timeline: zoom (or the wheel, with Ctrl or Shift)');
  addHelp('a d ← →', 'timeline: move');
  addHelp('p', 'timeline: critical path');
  return panel({id: 'timeline' + run.side, title: 'Timeline' + ofSide(run), note: notes(run, layout), hint: 'click in it, then w s: zoom · a d: move · 0: all',
                right: [shown, slackButton, pathButton, h('button', {onclick: () => window.all()}, 'all'),
                        saveButton('timeline' + run.side, () => canvas.svg())]},
    canvas.element, colours, slacks, slackButton ? unfold('slack by name', () => slackTable(run)) : null);
};
