// SPDX-License-Identifier: MIT
// Drawing of the timeline.
import {bytes, color, count, drawTimeAxis, font, heat, largest} from '../lib';
import type {Pen} from '../lib';
import {Bars} from './timeline_bars';
import type {BarSink} from './timeline_bars';
import {labels} from './timeline_labels';
import {mostSub} from './timeline_layout';
import type {LaneRange, Layout} from './timeline_layout';
import {Pixels} from './timeline_pixels';
import type {Run, ViewState} from './run';

export const left = 72, top = 22, right = 2;
const labelled = 9;  // minimum height of a labelled bar, in pixels
// In the order of Run::StepKind: the lane of a step of the path.
const laneOfStep = [1, 0, 2, 5, 3, 4, 3, 3, 5, 1, 1];
const laneColors = ['cpu', 'compute', 'memory', 'exposed', 'exposed', 'exposed'];

export interface Look { path: boolean; slack: boolean; selected: number }

export class Painter {
  readonly bandHeight: number;
  private readonly label: (name: number, room: number) => string;
  private readonly names: Int32Array;
  private readonly open: Uint8Array;
  private readonly slack: Float64Array | undefined;
  private readonly count: Int32Array;
  readonly mostSlack: number;
  private readonly peer: Int32Array;
  private readonly sizes: Float64Array;
  private readonly named: Set<number>;
  private pixels: Pixels | undefined;

  constructor(private readonly run: Run, readonly layout: Layout) {
    const most = layout.rows <= 2 ? 84 : layout.rows <= 8 ? 52 : 36;
    this.bandHeight = Math.max(6, Math.min(most, Math.floor(640 / Math.max(1, layout.rows))));
    this.label = labels(run.head.names);
    this.named = this.namedRows(Math.ceil(12 / this.bandHeight));
    this.names = run.data.i32('slice.name');
    this.open = run.data.u8('slice.open');
    this.count = run.data.i32('slice.count');
    this.peer = run.data.i32('slice.peer');
    this.sizes = run.data.f64('slice.bytes');
    this.slack = run.data.has('slice.slack') ? run.times('slice.slack') : undefined;
    this.mostSlack = this.slack?.reduce((a, b) => Math.max(a, b), 1) ?? 1;
  }

  get height(): number { return top + this.layout.rows * this.bandHeight + 4; }
  // Returns the top and the height of part `sub` of a lane of a row.
  place(row: number, lane: number, sub: number): [number, number] {
    const {lanes, subs} = this.layout, at = Math.max(0, lanes.indexOf(lane));
    const room = this.bandHeight - (this.bandHeight > 10 ? 4 : 1);
    const unit = room / lanes.reduce((sum, _, i) => sum + this.weight(i), 0);
    let y = top + row * this.bandHeight + (this.bandHeight > 10 ? 2 : 0);
    for (let i = 0; i < at; ++i) y += this.weight(i) * unit;
    const height = this.weight(at) * unit / subs[at]!;
    return [y + sub * height, height];
  }
  // Computing gets more height than other lanes for its labels; lanes with little use get less.
  private weight(at: number): number {
    const {lanes, subs, used} = this.layout;
    if (used[at]! < 0.01 && largest(used) > 0.1) return 0.3;
    return lanes[at]! === 1 ? 1.4 : Math.min(2, 0.8 + 0.25 * (subs[at]! - 1));
  }

  draw(pen: Pen, width: number, state: ViewState, look: Look): void {
    const {from} = state, to = Math.max(state.to, from + 1e-9);
    const scale = (width - left - right) / (to - from), x = (t: number): number => left + (t - from) * scale;
    this.drawBands(pen, width, state);
    drawTimeAxis(pen, from, to, left, width - right, this.height);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width - left, this.height - top);
    pen.clip();
    const pixels = pen instanceof CanvasRenderingContext2D && this.bandHeight < labelled
      ? this.clearPixels(width, pen.getTransform().a) : undefined;
    const hatches: (() => void)[] = [];
    for (let row = 0; row < this.layout.rows; ++row) {
      for (const range of this.layout.ranges[row]!) this.drawLane(pen, pixels, width, row, range, state, x, look, hatches);
    }
    pixels?.drawTo(pen as CanvasRenderingContext2D);
    for (const draw of hatches) draw();
    this.drawEnd(pen, x, width);
    if (look.path) this.drawPath(pen, x, width);
    pen.restore();
  }

  private drawBands(pen: Pen, width: number, state: ViewState): void {
    const {layout, bandHeight, named} = this;
    pen.textBaseline = 'middle';
    for (let row = 0; row < layout.rows; ++row) {
      const y = top + row * bandHeight, npu = layout.npuOfRow[row]!;
      if (row === (this.layout.rowOfNpu[state.npu] ?? -1)) {
        pen.fillStyle = color('hover');
        pen.fillRect(0, y, width, bandHeight);
      }
      if (!named.has(row)) continue;
      pen.textAlign = 'right';
      pen.font = font();
      pen.fillStyle = color('soft');
      const more = layout.alike[row]! - 1;
      const two = more > 0 && bandHeight >= 24;
      pen.fillText(this.run.npuName(npu), left - 8, y + bandHeight / 2 - (two ? 5 : 0));
      if (!two) continue;
      pen.font = font(9);
      pen.fillText(`+ ${count(more)} alike`, left - 8, y + bandHeight / 2 + 7);
    }
  }

  // Selects the rows with names if there is no room for all: rows of the path, the longest on it first, then every
  // `step`th row.
  private namedRows(step: number): Set<number> {
    const onPath = new Map<number, number>(), rows: number[] = [], {layout} = this;
    for (const s of this.run.path) {
      const row = layout.rowOfNpu[s.npu] ?? -1;
      if (row >= 0) onPath.set(row, (onPath.get(row) ?? 0) + s.time);
    }
    const order = [...onPath].sort((a, b) => b[1] - a[1]).map(([row]) => row);
    for (let row = 0; row < layout.rows; row += step) order.push(row);
    for (const row of order) if (rows.every(other => Math.abs(other - row) >= step)) rows.push(row);
    return new Set(rows);
  }

  private clearPixels(width: number, ratio: number): Pixels {
    const {pixels} = this;
    if (pixels?.width !== width || pixels.height !== this.height || pixels.ratio !== ratio) {
      this.pixels = new Pixels(width, this.height, ratio, mostSub);
    }
    this.pixels!.clear();
    return this.pixels!;
  }

  private drawLane(pen: Pen, pixels: Pixels | undefined, width: number, row: number, range: LaneRange, state: ViewState,
                   x: (t: number) => number, look: Look, hatches: (() => void)[]): void {
    const {layout} = this, {begin, finish, sub} = layout;
    const [y0, height] = this.place(row, range.lane, 0);
    const gap = height > 4 ? 0.7 : 0, bar = Math.max(1, height - gap);
    const drawn = new Float64Array(mostSub).fill(-Infinity);  // by sub: the last drawn pixel
    const bars: BarSink[] = Array.from({length: layout.subs[layout.lanes.indexOf(range.lane)]!}, (_, k) =>
      pixels ? pixels.part(k, y0 + k * height, bar) : new Bars(pen, y0 + k * height, bar));
    for (let i = layout.firstFrom(range, state.from); i < range.end && begin[i]! <= state.to; ++i) {
      if (finish[i]! < state.from) continue;
      const k = sub[i]!, a = x(begin[i]!), b = x(finish[i]!);
      if (b < drawn[k]! + 0.5 && b - a < 0.7) continue;
      drawn[k] = b;
      const alpha = look.selected >= 0 && look.selected !== i ? 0.45 : 1;
      if (b - a < 1.5) this.addThin(bars[k]!, row, i, a, alpha, look);
      else this.addWide(bars[k]!, row, i, x, width, alpha, look);
      const y = y0 + k * height, from = Math.max(a, left), to = Math.min(b, width);
      if (this.open[i] && b - a >= 1.5) hatches.push(() => hatch(pen, from, y, to, bar));
      if (b - a <= 30 || bar < labelled) continue;
      bars[k]!.finish();
      pen.globalAlpha = alpha;
      this.drawLabel(pen, i, from, to, y + bar / 2 + 0.5, Math.min(11, bar));
    }
    bars.forEach(b => b.finish());
    pen.globalAlpha = 1;
  }

  private colorOf(i: number, hidden: boolean, look: Look): string {
    if (look.slack && this.slack) {
      const slack = this.slack[i]!;
      return slack <= 0 ? color('bad') : heat(1 - Math.log1p(slack) / Math.log1p(this.mostSlack));
    }
    return color(hidden ? 'overlap' : laneColors[this.layout.lane[i]!]!);
  }

  private addThin(bars: BarSink, row: number, i: number, a: number, alpha: number, look: Look): void {
    const {lane, begin, finish, wait} = this.layout, communicates = lane[i]! >= 3;
    const hidden = communicates && this.layout.computesAt(row, begin[i]!);
    const waits = communicates && wait[i]! * 2 > finish[i]! - begin[i]!;
    bars.add(a, a + 1, this.colorOf(i, hidden, look), waits ? alpha * 0.32 : alpha);
  }

  private addWide(bars: BarSink, row: number, i: number, x: (t: number) => number, width: number, alpha: number, look: Look): void {
    const last = this.layout.finish[i]!;
    this.layout.stretches(row, i, (from, to, hidden, waits) => {
      const a = Math.max(left - 1, x(from)), b = Math.min(width + 1, x(to));
      if (b <= a) return;
      const size = Math.max(0.5, b - a - (to === last && b - a > 3 ? 0.8 : 0));
      bars.add(a, a + size, this.colorOf(i, hidden, look), waits ? alpha * 0.32 : alpha);
    });
  }

  private drawLabel(pen: Pen, i: number, a: number, b: number, y: number, size: number): void {
    const room = Math.floor((b - a - 7) / 6.3);
    if (room < 2) return;
    const text = this.textOf(i, room), lane = this.layout.lane[i]!;
    if (!text || text.length > room) return;
    const waits = x2(this.layout.wait[i]!) > this.layout.finish[i]! - this.layout.begin[i]!;
    pen.font = font(size);
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    pen.fillStyle = lane === 1 ? color('onbar') : waits ? color('ink') : color('oncomm');
    pen.fillText(text, a + 4, y);
  }

  // Messages show their peer: "→ 5 · 128 KiB".
  private textOf(i: number, room: number): string {
    const lane = this.layout.lane[i]!, several = this.count[i]!, peer = this.peer[i]!;
    if (several > 1) return `${count(several)} ×`;
    if ((lane !== 3 && lane !== 4) || peer < 0) return this.label(this.names[i]!, room);
    const where = `${lane === 3 ? '→' : '←'} ${peer}`, size = this.sizes[i]!;
    if (size < 0) return where;
    return [` · ${bytes(size)}`, ` ${bytes(size)}`].map(end => where + end).find(text => text.length <= room) ?? where;
  }

  private drawEnd(pen: Pen, x: (t: number) => number, width: number): void {
    const complete = this.run.head.status === 'complete';
    if (complete && this.run.end >= this.run.span) return;
    const at = Math.round(x(this.run.end)) - 0.5;
    if (at > width + 1) return;
    pen.strokeStyle = color(complete ? 'soft' : 'bad');
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 3]);
    pen.beginPath();
    pen.moveTo(at, top);
    pen.lineTo(at, this.height);
    pen.stroke();
    pen.setLineDash([]);
  }

  // A light line below the dark one separates the path from the bars that it crosses.
  private drawPath(pen: Pen, x: (t: number) => number, width: number): void {
    pen.lineJoin = 'round';
    pen.beginPath();
    let before: [number, number] | undefined;
    for (const step of this.run.path) {
      const row = this.layout.rowOfNpu[step.npu] ?? -1;
      if (row < 0 || step.time <= 0) continue;
      const a = x(step.begin), b = x(step.begin + step.time);
      if (b < left - 2 || a > width + 2) { before = undefined; continue; }
      const [y, height] = this.place(row, laneOfStep[step.kind] ?? 1, 0);
      const middle = y + Math.max(height, 2) - 1.5;
      if (before && b - before[0] < 0.5 && Math.abs(before[1] - middle) < 1) continue;
      if (before) pen.lineTo(before[0], middle);
      else pen.moveTo(a, middle);
      pen.lineTo(b, middle);
      before = [b, middle];
    }
    pen.strokeStyle = color('panel');
    pen.lineWidth = 4.5;
    pen.globalAlpha = 0.75;
    pen.stroke();
    pen.globalAlpha = 1;
    pen.strokeStyle = color('path');
    pen.lineWidth = 2;
    pen.stroke();
  }
}

const x2 = (v: number): number => 2 * v;

function hatch(pen: Pen, a: number, y: number, b: number, height: number): void {
  pen.save();
  pen.beginPath();
  pen.rect(a, y, b - a, height);
  pen.clip();
  pen.strokeStyle = color('panel');
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (let x = a - height; x < b; x += 6) {
    pen.moveTo(x, y + height);
    pen.lineTo(x + height, y);
  }
  pen.stroke();
  pen.restore();
}
