// SPDX-License-Identifier: MIT
// Drawing of a view: boxes with labels, edges if they are distinguishable, row names, an axis.
import {drawTimeAxis} from '../lib/axes';
import {font} from '../lib/canvas';
import {visible} from '../lib/dom';
import {bytes, count} from '../lib/format';
import type {Pen} from '../lib/svg_context';
import {color} from '../lib/theme';
import {boxesBetween} from './boxes';
import type {Layout, Strip} from './boxes';
import {classColors, inkOn} from './classes';
import {drawEdges, drawSelection} from './edges';
import {NodeType} from './model';
import type {Model} from './model';
import {pixel, Raster} from './raster';
import {boxPlace} from './scene';
import type {Scene} from './scene';
import type {View} from './view';

const mostSingle = 3000;   // boxes that are drawn separately on the screen
const mostWithEdges = 2500;
const lineHeight = 13;     // of row names
const faded = 0.2;         // opacity of nodes that do not match the search

const commonBegin = /^(?:autograd::engine::evaluate_function: |void |at::native::|torch::autograd::|aten::|c10d::)+/;

// Returns a name without common prefixes.
const shortName = (name: string): string =>
  name.replace(commonBegin, '') || name;

// Returns the label of a box.
export function boxLabel(model: Model, layout: Layout, box: number, width: number): string {
  const {from, members} = layout.boxes, nodes = from[box + 1]! - from[box]!, i = members[from[box]!]!;
  const name = visible(shortName(model.nameOf(i).slice(0, 200)), 60);
  const oneName = layout.axis === 'order' || layout.axis === 'time';
  if (nodes > 1) return oneName ? `${name} ×${count(nodes)}` : `${count(nodes)} nodes`;
  const size = width > 54 && model.bytes[i]! >= 0 ? ' · ' + bytes(model.bytes[i]!) : '';
  switch (model.type[i]) {
    case NodeType.send: return model.peer[i]! >= 0 ? `→ ${model.peer[i]}${size}` : '→' + size.slice(2);
    case NodeType.receive: return model.peer[i]! >= 0 ? `← ${model.peer[i]}${size}` : '←' + size.slice(2);
    case NodeType.collective: return (model.opOf(i) || name) + size;
    default: return name.replace(/^COMP_NODE_tb\d+_step\d+$/, 'reduce');
  }
}

export class Drawing {
  private readonly raster = new Raster();
  private widths = new Map<string, number>();
  visibleBoxes = 0;

  draw(pen: Pen, scene: Scene, view: View): void {
    const ranges = this.ranges(scene, view);
    this.visibleBoxes = ranges.reduce((sum, [begin, end]) => sum + end - begin, 0);
    pen.textBaseline = 'middle';
    pen.lineWidth = 1;
    const pixels = !scene.vectors && this.visibleBoxes > mostSingle;
    if (pixels) this.paintPixels(pen as CanvasRenderingContext2D, scene, view);
    this.drawAxis(pen, scene, view);
    pen.save();
    pen.beginPath();
    pen.rect(view.labels - 3, view.top - 4, Math.max(0, view.width - view.labels + 3), view.height);
    pen.clip();
    if (!pixels && scene.withEdges && this.visibleBoxes < mostWithEdges) drawEdges(pen, scene, view, ranges);
    if (!pixels) this.drawBoxes(pen, scene, view, ranges);
    this.drawLabels(pen, scene, view, ranges, pixels);
    drawSelection(pen, scene, view);
    pen.restore();
    drawRowNames(pen, scene, view);
  }

  private ranges({layout}: Scene, view: View): [number, number][] {
    const ranges: [number, number][] = [];
    for (const strip of layout.strips) {
      if (strip.y + strip.h < view.y || strip.y > view.bottom) continue;
      ranges.push(boxesBetween(layout, strip, view.x, view.right));
    }
    return ranges;
  }

  private paintPixels(pen: CanvasRenderingContext2D, scene: Scene, view: View): void {
    const {layout, classes, hits} = scene, {from, members} = layout.boxes;
    const ratio = pen.canvas.width / Math.max(1, view.width), background = color('bg');
    const bright = classColors().map(c => pixel(c, background));
    const pale = classColors().map(c => pixel(c, background, faded));
    this.raster.begin(pen.canvas.width, pen.canvas.height, pixel(background, background));
    const plain = hits ? pale : bright;
    this.raster.paint(view, ratio, b => plain[classes.of[members[from[b]!]!]!]!);
    if (hits) {  // matches are painted again, above the other boxes
      this.raster.paint(view, ratio, b => {
        for (let m = from[b]!; m < from[b + 1]!; ++m) if (hits[members[m]!]) return bright[classes.of[members[m]!]!]!;
        return 0;
      });
    }
    this.raster.end(pen);
  }

  private drawBoxes(pen: Pen, {layout, classes, hits, marked}: Scene, view: View, ranges: [number, number][]): void {
    const {x, w, y, from, members} = layout.boxes, colors = classColors();
    const high = view.boxHeight, round = high > 9 ? 3 : 0;
    const byColor = new Map<string, number[]>();
    for (const [begin, end] of ranges) {
      for (let b = begin, last = -Infinity; b < end; ++b) {
        const at = x[b]! * view.sx;
        if (at - last < 0.7 && w[b]! * view.sx < 0.7) continue;  // invisible beside the previous box
        last = at;
        let found = !hits;
        for (let m = from[b]!; !found && m < from[b + 1]!; ++m) found = hits![members[m]!] !== 0;
        const key = `${found ? 1 : faded} ${colors[classes.of[members[from[b]!]!]!]}`;
        let list = byColor.get(key);
        if (!list) byColor.set(key, list = []);
        list.push(b);
      }
    }
    for (const [key, list] of [...byColor].sort(([a], [b]) => a < b ? -1 : 1)) {
      const [alpha, css] = key.split(' ') as [string, string];
      pen.globalAlpha = Number(alpha);
      pen.fillStyle = css;
      if (round) pen.beginPath();
      for (const b of list) {
        const [left, width] = boxPlace(view, layout, x[b]!, w[b]!);
        if (round && width > 7) roundRect(pen, left, view.toY(y[b]!), width, high, round);
        else pen.fillRect(left, view.toY(y[b]!), width, high);
      }
      if (round) pen.fill();
    }
    pen.globalAlpha = 1;
    const isMarked = (first: number, end: number): boolean => {
      for (let m = first; m < end; ++m) if (marked[members[m]!]) return true;
      return false;
    };
    this.drawMarks(pen, view, layout, ranges, b => isMarked(from[b]!, from[b + 1]!), color('bad'));
  }

  private drawMarks(pen: Pen, view: View, layout: Layout, ranges: [number, number][], wanted: (box: number) => boolean,
                    css: string): void {
    const {x, w, y} = layout.boxes, high = view.boxHeight;
    pen.strokeStyle = css;
    pen.lineWidth = 2;
    for (const [begin, end] of ranges) {
      for (let b = begin; b < end; ++b) {
        if (!wanted(b)) continue;
        const [left, width] = boxPlace(view, layout, x[b]!, w[b]!);
        pen.strokeRect(left, view.toY(y[b]!), width, high);
      }
    }
    pen.lineWidth = 1;
  }

  private drawLabels(pen: Pen, scene: Scene, view: View, ranges: [number, number][], pixels: boolean): void {
    const {model, layout, classes, hits} = scene, {x, w, y, from, members} = layout.boxes, high = view.boxHeight;
    if (high < 11) return;
    pen.font = font();
    pen.textAlign = 'left';
    const inks = classColors().map(inkOn);
    let labels = 0;
    for (const [begin, end] of ranges) {
      for (let b = begin, last = -1, free = 0; b < end && labels < 4000; ++b) {
        if (pixels && w[b]! * view.sx < 34) continue;
        const [left, width] = boxPlace(view, layout, x[b]!, w[b]!);
        const covered = b + 1 < end && y[b + 1] === y[b] && view.toX(x[b + 1]!) < left + 30;
        if (width < 34 || covered || (y[b] === last && left < free)) continue;
        const label = boxLabel(model, layout, b, width), short = boxLabel(model, layout, b, 0);
        let text = this.fitting(pen, label, width - 6);
        if (text !== label && short !== label) text = this.fitting(pen, short, width - 6);  // without the size
        if (!text) continue;
        ++labels;
        last = y[b]!;
        free = left + width;
        pen.fillStyle = inks[classes.of[members[from[b]!]!]!]!;
        if (hits && !hits[members[from[b]!]!]) pen.fillStyle = color('faint');
        pen.fillText(text, left + 3, view.toY(y[b]!) + high / 2 + 0.5);
      }
    }
  }

  // Returns as much of a text as fits, "" if that is too little.
  private fitting(pen: Pen, text: string, width: number): string {
    if (this.widths.size > 20000) this.widths.clear();
    const measured = (s: string): number => {
      let known = this.widths.get(s);
      if (known === undefined) this.widths.set(s, known = pen.measureText(s).width);
      return known;
    };
    const whole = measured(text);
    if (whole <= width) return text;
    let most = Math.floor(text.length * width / whole);
    for (; most > 1; --most) {
      const cut = text.slice(0, most - 1) + '…';
      if (measured(cut) <= width) return most > 2 ? cut : '';
    }
    return '';
  }

  private drawAxis(pen: Pen, {layout}: Scene, view: View): void {
    pen.font = font();
    if (layout.axis === 'time') {
      drawTimeAxis(pen, view.x * 1000, view.right * 1000, view.labels, view.width, view.height);
    } else if (layout.axis === 'layer') {
      drawLayerAxis(pen, view, layout.width);
    }
  }
}

function roundRect(pen: Pen, x: number, y: number, w: number, h: number, r: number): void {
  pen.moveTo(x + r, y);
  pen.lineTo(x + w - r, y);
  pen.quadraticCurveTo(x + w, y, x + w, y + r);
  pen.lineTo(x + w, y + h - r);
  pen.quadraticCurveTo(x + w, y + h, x + w - r, y + h);
  pen.lineTo(x + r, y + h);
  pen.quadraticCurveTo(x, y + h, x, y + h - r);
  pen.lineTo(x, y + r);
  pen.quadraticCurveTo(x, y, x + r, y);
}

function drawLayerAxis(pen: Pen, view: View, layers: number): void {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000]
    .find(s => s * view.sx > 64) ?? 1000000;
  pen.fillStyle = color('faint');
  pen.textAlign = 'left';
  for (let layer = Math.ceil(view.x / step) * step; layer < Math.min(view.right, layers); layer += step) {
    pen.fillText(layer === 0 ? 'layer 0' : count(layer), view.toX(layer), view.top / 2);
  }
}

function drawRowNames(pen: Pen, {layout}: Scene, view: View): void {
  pen.font = font();
  let before = -99;
  for (const strip of layout.strips) {
    const name = view.sy < lineHeight ? strip.label : strip.detail ?? strip.label;
    if (!name) continue;
    const y = view.toY(strip.y) + Math.min(strip.h, 1) * view.boxHeight / 2;
    if (y < view.top - 1 || y > view.height || y - before < lineHeight) continue;
    before = y;
    pen.fillStyle = color('soft');
    pen.textAlign = 'right';
    pen.fillText(shortened(pen, name, view.labels - 22), view.labels - 8, y);
    if (!strip.turn) continue;
    pen.fillStyle = color('faint');
    pen.textAlign = 'left';
    pen.fillText(strip.turn === 'open' ? '▾' : '▸', 4, y);
  }
}

function shortened(pen: Pen, text: string, width: number): string {
  let shown = visible(text, 60);
  while (shown.length > 2 && pen.measureText(shown).width > width) shown = shown.slice(0, -2) + '…';
  return shown;
}

const fullName = (strip: Strip): string => strip.detail ?? strip.label;

// Returns the width of row labels.
export function labelWidth(pen: Pen, layout: Layout, most: number): number {
  pen.font = font();
  const longest = Math.min(60, layout.strips.reduce((most, strip) => Math.max(most, fullName(strip).length), 0));
  let width = 44, measured = 0;
  for (const strip of layout.strips) {
    const name = fullName(strip);
    if (name.length < longest - 2 || ++measured > 300) continue;
    width = Math.max(width, pen.measureText(visible(name, 60)).width + 26);
  }
  return Math.min(most, Math.ceil(width));
}

