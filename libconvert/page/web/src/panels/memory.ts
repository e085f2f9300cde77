// SPDX-License-Identifier: MIT
// Local memory in use over time.
import {area, curveStepAfter, line} from 'd3-shape';
import {bottomAxis, bytes, color, h, leftAxis, onPrint, onResize, onTheme, panel, paperWidth, s, saveButton, scaleLinear, Table, timeLabels, timeText, timeTicks, unfold} from '../lib';
import type {Panel} from './run';

export const memory: Panel = run => {
  const {data} = run;
  if (!data.has('memory.max') || run.end === 0) return null;
  const least = data.f64('memory.min'), mean = data.f64('memory.mean'), most = data.f64('memory.max');
  const peak = most.reduce((a, b) => Math.max(a, b), 0);
  if (peak === 0) return null;
  const holder = h('div');
  let svg: SVGSVGElement | undefined;
  const draw = (width = holder.clientWidth): void => {
    const height = 200, left = 62, right = 22, top = 8, bottom = 26, n = most.length;
    if (width === 0) return;
    const x = scaleLinear().domain([0, run.end]).range([left, width - right]);
    const y = scaleLinear().domain([0, peak]).range([height - bottom, top]);
    const step = 2 ** Math.max(0, Math.ceil(Math.log2(peak / 5)));  // so that labels are 256 MiB, 512 MiB
    const ticks = Array.from({length: Math.floor(peak / step) + 1}, (_, i) => i * step);
    svg?.remove();
    svg = s('svg', {viewBox: `0 0 ${width} ${height}`, class: 'chart', width, height, role: 'img',
                    'aria-label': `local memory over time; most: ${bytes(peak)}`});
    const vertical = s('g', {transform: `translate(${left},0)`}), horizontal = s('g', {transform: `translate(0,${height - bottom})`});
    leftAxis(vertical, y, ticks, ticks.map(bytes), width - left - right);
    const times = timeTicks(0, run.end, (width - left) / 90);
    bottomAxis(horizontal, x, times, timeLabels(times));
    const edges = Array.from({length: n + 1}, (_, i) => i), at = (v: Float64Array, i: number): number => y(v[Math.min(i, n - 1)]!);
    const band = area<number>().x(i => x(i / n * run.end)).y0(i => at(least, i)).y1(i => at(most, i)).curve(curveStepAfter);
    const middle = line<number>().x(i => x(i / n * run.end)).y(i => at(mean, i)).curve(curveStepAfter);
    svg.append(vertical, s('path', {d: band(edges), fill: color('memory'), opacity: 0.35}),
      s('path', {d: middle(edges), fill: 'none', stroke: color('memory'), 'stroke-width': 1.6}), horizontal);
    holder.append(svg);
  };
  // Returns a table with the peaks in equal intervals of time.
  const table = (): HTMLElement => {
    const parts = Math.min(24, most.length), part = (i: number): number => Math.floor(i * most.length / parts);
    const peakOf = (v: Float64Array, i: number): number => v.subarray(part(i), part(i + 1)).reduce((a, b) => Math.max(a, b), 0);
    return h('div', {class: 'scroll'}, new Table<number>({rows: [...Array(parts).keys()], columns: [
      {title: 'from', value: i => i, cell: i => timeText(part(i) / most.length * run.end)},
      {title: 'to', value: i => i, cell: i => timeText(part(i + 1) / most.length * run.end)},
      {title: 'peak of the minimum', value: i => peakOf(least, i), cell: i => bytes(peakOf(least, i))},
      {title: 'of the mean', value: i => peakOf(mean, i), cell: i => bytes(Math.round(peakOf(mean, i)))},
      {title: 'of the maximum', value: i => peakOf(most, i), cell: i => bytes(peakOf(most, i))},
    ]}).element);
  };
  onTheme(() => draw());
  onResize(holder, () => draw());
  onPrint(() => draw(paperWidth(holder)), () => draw());
  return panel({id: 'memory', title: 'Local memory', note: `line: mean of the NPUs, band: minimum to maximum; peak ${bytes(peak)}`, width: 6,
                right: saveButton('memory', () => svg!)}, h('div', {'data-peak': peak}, holder), unfold('as a table', table));
};
