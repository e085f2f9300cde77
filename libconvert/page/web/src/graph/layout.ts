// SPDX-License-Identifier: MIT
// Layout of nodes in rows, by layer or by time. Linear by layer; by time the nodes of a row are sorted.
import {BoxList, boxesBetween} from './boxes';
import type {Layout, Strip} from './boxes';
import type {Layers} from './layers';
import type {Model} from './model';
import type {Row, Rows} from './rows';

const gap = 0.35;       // between rows, in heights of a box
const groupGap = 0.25;  // additional gap between groups
const mostStacked = 8;  // maximum height of a stack of boxes

// Returns the nodes sorted by row, then by layer, then by number; and the start of each row.
function byRowAndLayer(rows: Rows, layers: Layers): {order: Int32Array; begin: Int32Array} {
  const n = rows.of.length;
  const byLayer = countingSort(layers.of, layers.count, Int32Array.from({length: n}, (_, i) => i)).order;
  return countingSort(rows.of, rows.rows.length, byLayer);
}

// Sorts `nodes` stably by a key below `range`.
function countingSort(key: Int32Array, range: number, nodes: Int32Array): {order: Int32Array; begin: Int32Array} {
  const begin = new Int32Array(range + 1);
  for (const i of nodes) ++begin[key[i]! + 1];
  for (let k = 0; k < range; ++k) begin[k + 1] += begin[k]!;
  const free = begin.slice(), order = new Int32Array(nodes.length);
  for (const i of nodes) order[free[key[i]!]!++] = i;
  return {order, begin};
}

const turnOf = (row: Row): Strip['turn'] => row.collapsed ? 'closed' : row.first && !row.single ? 'open' : '';

// Adds the boxes of one row; returns the height of the highest stack.
function addLayers(list: BoxList, y: number, merged: boolean, order: Int32Array, from: number, to: number,
                   layer: Int32Array): number {
  let height = 1;
  for (let at = from; at < to;) {
    const x = layer[order[at]!]!;
    let next = at + 1;
    while (next < to && layer[order[next]!] === x) ++next;
    const nodes = next - at;
    const single = merged ? (nodes === 1 ? 1 : 0) : nodes <= mostStacked ? nodes : mostStacked - 1;
    for (let k = 0; k < single; ++k) {
      list.add(x, y + k, 1);
      list.member(order[at++]!);
    }
    if (at < next) list.add(x, y + single, 1);
    height = Math.max(height, single + (at < next ? 1 : 0));
    while (at < next) list.member(order[at++]!);
  }
  return height;
}

// Returns the layout by layers: x is the layer, a box has width 1.
export function layeredLayout(model: Model, layers: Layers, rows: Rows): Layout {
  const {order, begin} = byRowAndLayer(rows, layers);
  const list = new BoxList(model.n), strips: Strip[] = [];
  let y = 0;
  rows.rows.forEach((row, r) => {
    if (row.first && r > 0 && !(row.collapsed && rows.rows[r - 1]!.collapsed)) y += groupGap;
    const first = list.count;
    const h = addLayers(list, y, row.collapsed, order, begin[r]!, begin[r + 1]!, layers.of);
    strips.push({y, h, label: row.label, turn: turnOf(row), row: r, begin: first, end: list.count});
    y += h + gap;
  });
  const width = Math.max(1, layers.count), height = Math.max(1, y - gap);
  return list.finish(strips, model.n, {width, height, axis: 'layer', fill: 0.74});
}

// Returns whether a layout is a long ribbon that should be folded into lines.
export const isRibbon = (layout: Layout): boolean => layout.height < 10 && layout.width > 300;

const lineGap = 0.6;

// Folds a layered layout like text into lines of `perLine` layers. A line contains the rows that have boxes in it.
function folded(layout: Layout, perLine: number): Layout {
  const {x, y, w, from, members} = layout.boxes;
  const list = new BoxList(members.length), strips: Strip[] = [];
  let top = 0;
  for (let left = 0; left < layout.width; left += perLine) {
    let label = `layer ${left}`;
    for (const strip of layout.strips) {
      const [begin, end] = boxesBetween(layout, strip, left + 0.5, left + perLine - 0.5);
      if (begin === end) continue;
      const first = list.count;
      let h = 1;
      for (let b = begin; b < end; ++b) {
        list.add(x[b]! - left, top + y[b]! - strip.y, w[b]!);
        h = Math.max(h, y[b]! - strip.y + 1);
        for (let m = from[b]!; m < from[b + 1]!; ++m) list.member(members[m]!);
      }
      const detail = layout.strips.length === 1 ? label : label ? `${label} · ${strip.label}` : strip.label;
      strips.push({...strip, y: top, h, label, detail, turn: '', begin: first, end: list.count});
      label = '';
      top += h + gap / 2;
    }
    top += lineGap;
  }
  const height = Math.max(1, top - lineGap);
  return list.finish(strips, layout.boxOf.length, {width: perLine, height, axis: 'wrapped', fill: 0.74});
}

// Folds a layered layout into lines so that it suits a picture of this aspect ratio (width / height).
export function wrapped(layout: Layout, aspect: number): Layout {
  const boxAspect = 1.4;  // width / height of a box
  let lineHeight = layout.height + lineGap, result = layout;
  for (let attempt = 0; attempt < 2; ++attempt) {
    const lines = Math.max(1, Math.round(Math.sqrt(layout.width * boxAspect / (lineHeight * Math.max(aspect, 0.2)))));
    result = folded(layout, Math.max(1, Math.ceil(layout.width / lines)));
    lineHeight = (result.height + lineGap) / Math.ceil(layout.width / result.width);
  }
  return result;
}

// Adds the boxes of one row by time, overlapping boxes below each other; returns the number of strips.
function addTimes(model: Model, list: BoxList, y: number, nodes: Int32Array, merged: boolean): number {
  const begin = model.begin!, most = merged ? 1 : mostStacked;
  nodes.sort((a, b) => begin[a]! - begin[b]! || a - b);
  const lanes: number[][] = [], free: number[] = [];
  for (const i of nodes) {
    let lane = free.findIndex(end => end <= begin[i]!);
    if (lane < 0) lane = free.length < most ? free.push(0) - 1 : most - 1;
    (lanes[lane] ??= []).push(i);
    free[lane] = Math.max(free[lane]!, begin[i]! + Math.max(0, model.duration?.[i] ?? 0));
  }
  lanes.forEach((lane, k) => {
    for (const i of lane) {
      list.add(begin[i]!, y + k, Math.max(0, model.duration?.[i] ?? 0));
      list.member(i);
    }
  });
  return Math.max(1, lanes.length);
}

// Returns the layout by time: x is ns from the first begin. Nodes without a begin are not drawn.
export function timeLayout(model: Model, rows: Rows): Layout {
  const begin = model.begin!;
  const known = Int32Array.from({length: model.n}, (_, i) => i).filter(i => begin[i]! >= 0);
  const {order, begin: first} = countingSort(rows.of, rows.rows.length, known);
  const list = new BoxList(model.n), strips: Strip[] = [];
  let y = 0, width = 1;
  rows.rows.forEach((row, r) => {
    if (row.first && r > 0 && !(row.collapsed && rows.rows[r - 1]!.collapsed)) y += groupGap;
    const at = list.count;
    const h = addTimes(model, list, y, order.subarray(first[r]!, first[r + 1]!), row.collapsed);
    for (let k = 0, b = at; k < h; ++k) {
      const from = b;
      while (b < list.count && list.yOf(b) === Math.fround(y + k)) ++b;
      const label = k === 0 ? row.label : '';
      strips.push({y: y + k, h: 1, label, turn: k === 0 ? turnOf(row) : '', row: r, begin: from, end: b});
    }
    y += h + gap;
  });
  const layout = list.finish(strips, model.n, {width, height: Math.max(1, y - gap), axis: 'time', fill: 0.74});
  for (const end of layout.ends) width = Math.max(width, end);
  return {...layout, width};
}

