// SPDX-License-Identifier: MIT
// Number of NPUs by activity over time, as stacked areas; dragging selects the time window of the timeline.
import {area, curveStepAfter} from 'd3-shape';
import {addHelp, bottomAxis, color, facts, font, h, hideTip, leftAxis, legend, onKeysOf, onPrint, onResize, onTheme, panel, paperWidth, s, saveButton, scaleLinear, showTip,
        Table, time, timeLabels, timeText, timeTicks, unfold} from '../lib';
import {ofSide, parts} from './run';
import type {Panel, Run} from './run';

const left = 40, right = 22, top = 8, bottom = 26;

// Returns the NPUs of each time category in each bin: [part][bin].
function bins(run: Run): Float64Array[] {
  const all = run.data.f64('activity'), n = run.head.activity_bins;
  return parts.map(p => all.subarray(run.head.parts.indexOf(p.name) * n, (run.head.parts.indexOf(p.name) + 1) * n));
}

function stack(values: Float64Array[], n: number): {part: number; low: number[]; high: number[]}[] {
  const below = new Array<number>(n).fill(0);
  const out = [];
  for (let part = 0; part < parts.length - 1; ++part) {  // idle is the empty area
    const low = [...below];
    values[part]!.forEach((v, i) => below[i] += v);
    if (values[part]!.some(v => v > 0)) out.push({part, low, high: [...below]});
  }
  return out;
}

function chart(run: Run, width: number, height: number, values: Float64Array[]): SVGSVGElement {
  const n = run.head.activity_bins;
  const x = scaleLinear().domain([0, run.span]).range([left, width - right]);
  const y = scaleLinear().domain([0, run.mostNpus]).range([height - bottom, top]);
  const svg = s('svg', {viewBox: `0 0 ${width} ${height}`, class: 'chart', width, height, role: 'img',
                        'aria-label': `number of the ${run.npus.length} NPUs that compute, communicate or idle over time`});
  const yTicks = y.ticks(Math.min(6, run.mostNpus)).filter(t => Number.isInteger(t));
  const vertical = s('g', {transform: `translate(${left},0)`});
  leftAxis(vertical, y, yTicks, yTicks.map(String), width - left - right);
  svg.append(vertical);
  const edges = Array.from({length: n + 1}, (_, i) => i);
  for (const layer of stack(values, n)) {
    const shape = area<number>().x(i => x(i / n * run.end)).curve(curveStepAfter)
      .y0(i => y(layer.low[Math.min(i, n - 1)]!)).y1(i => y(layer.high[Math.min(i, n - 1)]!));
    svg.append(s('path', {d: shape(edges), fill: color(parts[layer.part]!.color), 'data-part': parts[layer.part]!.name,
                            'shape-rendering': 'crispEdges'}));
  }
  const ticks = timeTicks(0, run.span, (width - left) / 90);
  const horizontal = s('g', {transform: `translate(0,${height - bottom})`});
  bottomAxis(horizontal, x, ticks, timeLabels(ticks));
  svg.append(horizontal);
  return svg;
}

// Returns a table with the mean number of NPUs in equal intervals of time.
function table(run: Run, values: Float64Array[]): HTMLElement {
  const n = run.head.activity_bins, rows = 24, each = n / rows;
  const used = parts.map((p, i) => ({...p, i})).filter(p => values[p.i]!.some(v => v > 0));
  const mean = (part: number, row: number): number =>
    values[part]!.subarray(row * each, (row + 1) * each).reduce((a, b) => a + b, 0) / each;
  return h('div', {class: 'scroll'}, new Table<number>({rows: [...Array(rows).keys()], columns: [
    {title: 'from', value: i => i, cell: i => timeText(i / rows * run.end)},
    {title: 'to', value: i => i, cell: i => timeText((i + 1) / rows * run.end)},
    ...used.map(p => ({title: p.text, value: (i: number) => mean(p.i, i), cell: (i: number) => Number(mean(p.i, i).toFixed(2))})),
  ]}).element);
}

export const activity: Panel = (run, view) => {
  const values = bins(run);
  if (run.end === 0 || run.npus.length === 0) return null;
  const n = run.head.activity_bins;
  const holder = h('div', {class: 'activity', style: {font: font()}});
  let svg: SVGSVGElement | undefined;
  const mark = h('div', {class: 'mark', hidden: true}), cursor = h('div', {class: 'cursor', hidden: true});
  const box = h('div', {class: 'plot', tabindex: 0, role: 'group',
                        'aria-label': 'activity over time; arrow keys show the numbers, with Shift they select the window of the timeline'}, mark, cursor);
  const draw = (width = holder.clientWidth): void => {
    const beside = document.querySelector<HTMLElement>('#breakdown'), own = holder.closest('section');
    if (width === 0) return;
    // The chart is as high as the element beside it.
    const side = !run.side && beside && beside.offsetTop === own?.offsetTop ? [...beside.children] as HTMLElement[] : [];
    const tall = (all: HTMLElement[]): number => all.reduce((sum, e) => sum + e.offsetHeight, 0);
    const below = tall([...own?.children ?? []].slice(2) as HTMLElement[]);
    const height = Math.min(540, Math.max(run.side ? 170 : 210, tall(side.slice(1)) - below));
    svg?.remove();
    svg = chart(run, width, height, values);
    box.prepend(svg);
    place(view.value.from, view.value.to);
  };
  const atPx = (e: PointerEvent): number => {
    const r = box.getBoundingClientRect();
    return Math.min(run.span, Math.max(0, (e.clientX - r.left - left) / (r.width - left - right) * run.span));
  };
  const px = (t: number): number => left + t / run.span * (box.clientWidth - left - right);
  const place = (from: number, to: number): void => {
    mark.hidden = to - from >= run.span * 0.9995;
    mark.style.left = px(from) + 'px';
    mark.style.width = Math.max(2, px(to) - px(from)) + 'px';
  };
  const tell = (at: number): Node[] => {
    const bin = Math.min(n - 1, Math.floor(at / run.end * n));
    return facts(time(at), parts.map((p, i) =>
      at <= run.end && values[i]![bin]! > 0.005 ? [p.text, `${Number(values[i]![bin]!.toFixed(2))} NPUs`] : null));
  };
  // Keys move a cursor from bin to bin; with Shift they select the window between the start and the cursor.
  let bin = 0, anchor = -1;
  const move = (to: number) => (e: KeyboardEvent): void => {
    if (!e.shiftKey) anchor = -1;
    else if (anchor < 0) anchor = bin;
    bin = Math.max(0, Math.min(n - 1, cursor.hidden ? bin : bin + to));
    cursor.hidden = false;
    cursor.style.left = px((bin + 0.5) / n * run.end) + 'px';
    showTip(cursor, tell((bin + 0.5) / n * run.end));
    if (anchor >= 0) view.set({from: Math.min(anchor, bin) / n * run.end, to: (Math.max(anchor, bin) + 1) / n * run.end});
  };
  onKeysOf(box, {ArrowLeft: move(-1), ArrowRight: move(1), PageUp: move(-15), PageDown: move(15), Home: move(-n), End: move(n),
                 Escape: () => { anchor = -1; view.set({from: 0, to: run.span}); }});
  box.addEventListener('blur', () => { cursor.hidden = true; hideTip(); });
  addHelp('← → Shift', 'activity: show the numbers; with Shift: select the window of the timeline');
  let begin = -1;
  box.addEventListener('pointerdown', e => { begin = atPx(e); box.setPointerCapture(e.pointerId); e.preventDefault(); });
  box.addEventListener('pointermove', e => {
    const at = atPx(e);
    if (begin >= 0) place(Math.min(begin, at), Math.max(begin, at));
    showTip(e, tell(at));
  });
  box.addEventListener('pointerup', e => {
    const at = atPx(e), from = Math.min(begin, at), to = Math.max(begin, at);
    if (begin >= 0 && to - from > run.span / 500) view.set({from, to});
    else view.set({from: 0, to: run.span});
    begin = -1;
  });
  box.addEventListener('pointerleave', hideTip);
  view.on(state => place(state.from, state.to));
  onTheme(() => draw());
  onResize(holder, () => draw());
  onPrint(() => draw(paperWidth(holder)), () => draw());
  holder.append(box);
  const used = parts.filter((p, i) => p.name !== 'idle' && values[i]!.some(v => v > 0));
  return panel({id: 'activity' + run.side, title: `NPUs${ofSide(run)} by activity over time`, hint: 'drag: window of the timeline',
                width: run.side ? 12 : 7,
                right: saveButton('activity' + run.side, () => svg!)}, holder, legend(used), unfold('as a table', () => table(run, values)));
};
