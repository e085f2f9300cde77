// SPDX-License-Identifier: MIT
// Draws what is near a node: a layered drawing whose layers are ordered by two sweeps of barycentres.
import {s, visible} from '../lib/dom';
import {color} from '../lib/theme';
import {classColors, inkOn} from './classes';
import type {Classes} from './classes';
import {EdgeKind} from './model';
import type {Model} from './model';

export const mostAround = 300;

export interface Near {
  nodes: number[];
  hops: number;      // how far they were taken
  complete: boolean;  // nothing was left out within these hops
}

// Returns the nodes within some hops of one, at most mostAround: hop by hop, whichever way edges point.
export function near(model: Model, node: number, hops: number): Near {
  const found = new Set([node]);
  let edge = [node];
  for (let hop = 1; hop <= hops; ++hop) {
    const next: number[] = [];
    for (const i of edge) {
      for (const ends of [model.parents, model.children]) {
        for (let e = ends.begin[i]!; e < ends.begin[i + 1]!; ++e) {
          const other = ends.node[e]!;
          if (found.has(other)) continue;
          if (found.size >= mostAround) return {nodes: [...found], hops: hop, complete: false};
          found.add(other);
          next.push(other);
        }
      }
    }
    if (next.length === 0) return {nodes: [...found], hops: hop - 1, complete: true};
    edge = next;
  }
  return {nodes: [...found], hops, complete: true};
}

interface Spot {
  node: number;
  layer: number;
  place: number;      // in its layer
  parents: number[];  // indices of spots
  children: number[];
  kinds: number[];    // of parents
}

function spotsOf(model: Model, nodes: number[], layer: Int32Array): Spot[] {
  const order = [...nodes].sort((a, b) => layer[a]! - layer[b]! || a - b);
  const index = new Map(order.map((node, k) => [node, k]));
  const spots: Spot[] = order.map(node => ({node, layer: 0, place: 0, parents: [], children: [], kinds: []}));
  spots.forEach((spot, k) => {
    for (let e = model.parents.begin[spot.node]!; e < model.parents.begin[spot.node + 1]!; ++e) {
      const parent = index.get(model.parents.node[e]!);
      if (parent === undefined || parent === k) continue;
      spot.parents.push(parent);
      spot.kinds.push(model.parents.kind[e]!);
      spots[parent]!.children.push(k);
      if (parent < k) spot.layer = Math.max(spot.layer, spots[parent]!.layer + 1);
    }
  });
  return spots;
}

// Puts the spots of each layer into the order of the mean place of their neighbours: once downwards, once upwards.
function sweep(spots: Spot[]): Spot[][] {
  const layers: Spot[][] = [];
  for (const spot of spots) (layers[spot.layer] ??= []).push(spot);
  const place = (layer: Spot[]): void => layer.forEach((spot, k) => { spot.place = k - (layer.length - 1) / 2; });
  layers.forEach(place);
  const order = (layer: Spot[], ends: (spot: Spot) => number[]): void => {
    const mean = new Map(layer.map(spot => {
      const places = ends(spot).map(k => spots[k]!.place);
      return [spot, places.length ? places.reduce((a, b) => a + b, 0) / places.length : spot.place];
    }));
    layer.sort((a, b) => mean.get(a)! - mean.get(b)! || a.node - b.node);
    place(layer);
  };
  for (const layer of layers) order(layer, spot => spot.parents);
  for (const layer of [...layers].reverse()) order(layer, spot => spot.children);
  return layers;
}

const boxWidth = 92, boxHeight = 20, stepX = 104, stepY = 46;

// Returns the drawing; `pick` is called with a node that is clicked.
export function drawNear(model: Model, classes: Classes, layer: Int32Array, nearby: Near, centre: number,
                         label: (i: number) => string, pick: (i: number) => void): SVGSVGElement {
  const spots = spotsOf(model, nearby.nodes, layer), layers = sweep(spots);
  const widest = Math.max(...layers.map(l => l.length));
  const width = widest * stepX + 8, height = layers.length * stepY - stepY + boxHeight + 16;
  const x = (spot: Spot): number => width / 2 + spot.place * stepX, y = (spot: Spot): number => 8 + spot.layer * stepY;
  const colors = classColors();
  const edges = spots.flatMap(spot => spot.parents.map((p, k) => {
    const from = spots[p]!, kind = spot.kinds[k]!, x1 = x(from), y1 = y(from) + boxHeight, x2 = x(spot), y2 = y(spot);
    const d = `M${x1} ${y1}C${x1} ${y1 + 16} ${x2} ${y2 - 16} ${x2} ${y2}`;
    return s('path', {d, fill: 'none', 'stroke-width': 1.2,
                      stroke: color(kind === EdgeKind.message ? 'exposed' : 'faint'),
                      'stroke-dasharray': kind === EdgeKind.control ? '4 3' : null});
  }));
  const boxOf = (i: number, middle: number, top: number): SVGElement[] => {
    const css = colors[classes.of[i]!]!, frame = i === centre ? color('path') : 'none';
    return [
      s('title', {}, visible(`${model.nameOf(i)}, NPU ${model.rankOf(i)}, node ${model.idOf(i)}`)),
      s('rect', {x: middle - boxWidth / 2, y: top, width: boxWidth, height: boxHeight, rx: 3, fill: css, stroke: frame,
                 'stroke-width': 2.5}),
      s('text', {x: middle, y: top + boxHeight / 2, 'text-anchor': 'middle', 'dominant-baseline': 'central',
                 'font-size': 10.5, fill: inkOn(css)}, visible(label(i), 15)),
    ];
  };
  const enter = (e: Event, i: number): void => {
    if ((e as KeyboardEvent).key !== 'Enter') return;
    e.stopPropagation();
    pick(i);
  };
  const boxes = spots.map(spot => s('g', {
    class: 'near', tabindex: 0, role: 'button', 'data-node': spot.node, onclick: () => pick(spot.node),
    onkeydown: (e: Event) => enter(e, spot.node),
  }, ...boxOf(spot.node, x(spot), y(spot))));
  return s('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'group',
                   'aria-label': `${spots.length} nodes around one`}, ...edges, ...boxes);
}
