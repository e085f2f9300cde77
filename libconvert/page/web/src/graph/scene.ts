// SPDX-License-Identifier: MIT
// The objects to draw, and positions of boxes on the screen.
import type {Layout} from './boxes';
import type {Classes} from './classes';
import type {Model} from './model';
import type {View} from './view';

export interface Scene {
  model: Model;
  layout: Layout;
  classes: Classes;
  marked: Uint8Array;        // nodes of a cycle
  hits: Uint8Array | undefined;
  selected: number;          // node; -1: none
  withEdges: boolean;
  vectors: boolean;          // no pixels, for print
}

// Returns left and width of a box in pixels, cut at the picture's edges.
export function boxPlace(view: View, layout: Layout, x: number, w: number): [number, number] {
  const layered = layout.axis === 'layer' || layout.axis === 'wrapped';
  const full = w * view.sx;
  let left = view.toX(x);
  let width = layered ? Math.min(150, full * 0.82) : full - Math.min(1, full * 0.1);
  if (left < view.labels && !layered) {
    width -= view.labels - left;
    left = view.labels;
  }
  return [left, Math.max(0.8, Math.min(width, view.width - left + 8))];
}
