// SPDX-License-Identifier: MIT
// Drawing of edges and of the selection.
import type {Pen} from '../lib/svg_context';
import {color} from '../lib/theme';
import type {Layout} from './boxes';
import {EdgeKind} from './model';
import {boxPlace} from './scene';
import type {Scene} from './scene';
import type {View} from './view';

// Limits; more edges are not distinguishable.
const mostOfBox = 50, mostOfKind = 6000, mostSelected = 5000;

// Adds the curve of an edge between two boxes to the path.
function edgePath(pen: Pen, view: View, layout: Layout, from: number, to: number): void {
  const {x, w, y} = layout.boxes, half = view.boxHeight / 2;
  const [left, width] = boxPlace(view, layout, x[from]!, w[from]!);
  const x1 = left + width, y1 = view.toY(y[from]!) + half, x2 = view.toX(x[to]!), y2 = view.toY(y[to]!) + half;
  const level = Math.abs(y1 - y2) < 1;
  pen.moveTo(x1, y1);
  if (level && x[to]! - x[from]! <= 1.5 * w[from]!) return pen.lineTo(x2, y2);
  const bend = Math.max(12, Math.min(160, Math.abs(x2 - x1) / 2)), bow = level ? view.sy * 0.55 : 0;
  pen.bezierCurveTo(x1 + bend, y1 + bow, x2 - bend, y2 + bow, x2, y2);
}

// Returns whether to draw an edge: in a folded picture, edges between distant lines would cross all lines between
// them.
function isShort(layout: Layout, from: number, to: number): boolean {
  const {x, y} = layout.boxes;
  return layout.axis !== 'wrapped' || (x[to]! >= x[from]! && Math.abs(y[to]! - y[from]!) < 1.5);
}

// Draws the edges that end in boxes of these ranges.
export function drawEdges(pen: Pen, {model, layout, selected, hits}: Scene, view: View,
                          ranges: [number, number][]): void {
  const {begin, node, kind} = model.parents, {from, members} = layout.boxes;
  const lines: [number, number][][] = [[], [], []];
  for (const [first, last] of ranges) {
    for (let b = first; b < last; ++b) {
      const most = Math.min(from[b + 1]!, from[b]! + mostOfBox);
      for (let m = from[b]!; m < most; ++m) {
        const i = members[m]!;
        for (let e = begin[i]!; e < begin[i + 1]!; ++e) {
          const other = layout.boxOf[node[e]!]!;
          if (other >= 0 && other !== b && isShort(layout, other, b)) lines[kind[e]!]!.push([other, b]);
        }
      }
    }
  }
  pen.globalAlpha = selected >= 0 || hits ? 0.2 : 0.6;
  pen.lineWidth = 1;
  lines.forEach((list, k) => {
    pen.strokeStyle = color(k === EdgeKind.message ? 'exposed' : 'faint');
    pen.setLineDash(k === EdgeKind.control ? [4, 3] : []);
    pen.beginPath();
    for (const [a, b] of list.slice(0, mostOfKind)) edgePath(pen, view, layout, a, b);
    pen.stroke();
  });
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}

// Draws the frame of the selected node and all its edges.
export function drawSelection(pen: Pen, {model, layout, selected}: Scene, view: View): void {
  const box = selected < 0 ? -1 : layout.boxOf[selected]!;
  if (box < 0) return;
  pen.lineWidth = 1.8;
  for (const [ends, css, backwards] of [[model.parents, 'recv', true], [model.children, 'focus', false]] as const) {
    for (const dashed of [false, true]) {
      pen.strokeStyle = color(css);
      pen.setLineDash(dashed ? [4, 3] : []);
      pen.beginPath();
      const most = Math.min(ends.begin[selected + 1]!, ends.begin[selected]! + mostSelected);
      for (let e = ends.begin[selected]!; e < most; ++e) {
        const other = layout.boxOf[ends.node[e]!]!;
        if (other < 0 || other === box || (ends.kind[e] === EdgeKind.control) !== dashed) continue;
        if (layout.axis === 'order' && dashed) continue;  // nesting shows these edges
        if (backwards) edgePath(pen, view, layout, other, box);
        else edgePath(pen, view, layout, box, other);
      }
      pen.stroke();
    }
  }
  pen.setLineDash([]);
  const {x, w, y} = layout.boxes, [left, width] = boxPlace(view, layout, x[box]!, w[box]!);
  pen.strokeStyle = color('path');
  pen.lineWidth = 2;
  pen.strokeRect(left - 1, view.toY(y[box]!) - 1, width + 2, view.boxHeight + 2);
  pen.lineWidth = 1;
}
