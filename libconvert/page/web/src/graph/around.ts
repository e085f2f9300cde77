// SPDX-License-Identifier: MIT
// Neighbourhood of a node: a layered drawing, with layers ordered by two barycentre sweeps.
import {s, visible} from '../lib/dom';
import {largest} from '../lib/extremes';
import {color} from '../lib/theme';
import {classColors, inkOn} from './classes';
import type {Classes} from './classes';
import {EdgeKind} from './model';
import type {Model} from './model';

export const mostAround = 300;

export interface Near {
  nodes: number[];
  hops: number;      // number of hops
  complete: boolean;  // all nodes within these hops are included
}

// Returns the nodes within a number of hops of a node, at most mostAround, hop by hop and in both edge directions.
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

// A node, or the point at which a long edge passes a layer.
interface Spot {
  node: number;  // -1: an edge passes
  layer: number;
  x: number;     // of its centre; the centre of the picture is 0
  before: number[];  // indices of connected spots in the layers above and below
  behind: number[];
}
interface Line {
  kind: number;
  spots: number[];  // from the parent down
}

const boxWidth = 92, boxHeight = 20, stepX = 104, passing = 16, stepY = 46;
const mostPassing = 3000;

// Returns a spot for each node with its layer, parents first, and a line for each edge between them.
function nodesAndLines(model: Model, nodes: number[], layer: Int32Array): {spots: Spot[]; lines: Line[]} {
  const order = [...nodes].sort((a, b) => layer[a]! - layer[b]! || a - b);
  const index = new Map(order.map((node, k) => [node, k]));
  const spots: Spot[] = order.map(node => ({node, layer: 0, x: 0, before: [], behind: []})), lines: Line[] = [];
  spots.forEach((spot, k) => {
    for (let e = model.parents.begin[spot.node]!; e < model.parents.begin[spot.node + 1]!; ++e) {
      const parent = index.get(model.parents.node[e]!);
      if (parent === undefined || parent === k) continue;
      lines.push({kind: model.parents.kind[e]!, spots: [parent, k]});
      if (parent < k) spot.layer = Math.max(spot.layer, spots[parent]!.layer + 1);
    }
  });
  return {spots, lines};
}

// Gives long lines a spot in each layer that they pass, so that boxes do not cover them.
function pass(spots: Spot[], lines: Line[]): void {
  for (const line of lines) {
    const [from, to] = line.spots as [number, number], way = [from];
    for (let layer = spots[from]!.layer + 1; layer < spots[to]!.layer && spots.length < mostPassing; ++layer) {
      way.push(spots.push({node: -1, layer, x: 0, before: [], behind: []}) - 1);
    }
    line.spots = [...way, to];
    for (let k = 1; k < line.spots.length; ++k) {
      spots[line.spots[k]!]!.before.push(line.spots[k - 1]!);
      spots[line.spots[k - 1]!]!.behind.push(line.spots[k]!);
    }
  }
}

const widthOf = (spot: Spot): number => spot.node < 0 ? passing : stepX;

// Sorts the spots of each layer by the mean position of their neighbours: once downwards, once upwards.
function sweep(spots: Spot[]): Spot[][] {
  const layers: Spot[][] = [];
  for (const spot of spots) (layers[spot.layer] ??= []).push(spot);
  const place = (layer: Spot[]): void => {
    let x = -layer.reduce((sum, spot) => sum + widthOf(spot), 0) / 2;
    for (const spot of layer) {
      spot.x = x + widthOf(spot) / 2;
      x += widthOf(spot);
    }
  };
  layers.forEach(place);
  const order = (layer: Spot[], ends: (spot: Spot) => number[]): void => {
    const mean = new Map(layer.map(spot => {
      const joined = ends(spot);
      return [spot, joined.length ? joined.reduce((sum, k) => sum + spots[k]!.x, 0) / joined.length : spot.x];
    }));
    layer.sort((a, b) => mean.get(a)! - mean.get(b)! || a.node - b.node);
    place(layer);
  };
  for (const layer of layers) order(layer, spot => spot.before);
  for (const layer of [...layers].reverse()) order(layer, spot => spot.behind);
  return layers;
}

// Returns the path of a line, from the lower edge of a box to the upper edge of another.
function pathOf(spots: Spot[], line: Line, middle: number): string {
  const top = (spot: Spot): number => 8 + spot.layer * stepY;
  const first = spots[line.spots[0]!]!;
  let x = middle + first.x, y = top(first) + boxHeight, d = `M${x} ${y}`;
  for (const k of line.spots.slice(1)) {
    const spot = spots[k]!, x2 = middle + spot.x, y2 = top(spot);
    d += `C${x} ${y + 16} ${x2} ${y2 - 16} ${x2} ${y2}`;
    if (spot.node < 0) d += `V${y2 + boxHeight}`;
    x = x2;
    y = y2 + boxHeight;
  }
  return d;
}

// Returns the drawing; calls `pick` with a node when it is clicked.
export function drawNear(model: Model, classes: Classes, layer: Int32Array, nearby: Near, centre: number,
                         label: (i: number) => string, pick: (i: number) => void): SVGSVGElement {
  const {spots, lines} = nodesAndLines(model, nearby.nodes, layer);
  pass(spots, lines);
  const layers = sweep(spots);
  const width = largest(layers.map(l => l.reduce((sum, spot) => sum + widthOf(spot), 0))) + 8;
  const height = layers.length * stepY - stepY + boxHeight + 16;
  const edges = lines.map(line => s('path', {
    d: pathOf(spots, line, width / 2), fill: 'none', 'stroke-width': 1.2,
    stroke: color(line.kind === EdgeKind.message ? 'exposed' : 'faint'),
    'stroke-dasharray': line.kind === EdgeKind.control ? '4 3' : null,
  }));
  const colors = classColors();
  const boxes = spots.filter(spot => spot.node >= 0).map(({node, x, layer: row}) => {
    const middle = width / 2 + x, top = 8 + row * stepY, css = colors[classes.of[node]!]!;
    return s('g', {
      class: 'near', tabindex: 0, role: 'button', 'data-node': node, onclick: () => pick(node),
      onkeydown: (e: Event) => {
        if ((e as KeyboardEvent).key !== 'Enter') return;
        e.stopPropagation();
        pick(node);
      },
    }, s('title', {}, visible(`${model.nameOf(node)}, NPU ${model.rankOf(node)}, node ${model.idOf(node)}`)),
    s('rect', {x: middle - boxWidth / 2, y: top, width: boxWidth, height: boxHeight, rx: 3, fill: css,
               stroke: node === centre ? color('path') : 'none', 'stroke-width': 2.5}),
    s('text', {x: middle, y: top + boxHeight / 2, 'text-anchor': 'middle', 'dominant-baseline': 'central',
               'font-size': 10.5, fill: inkOn(css)}, visible(label(node), 13)));
  });
  return s('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'group',
                   'aria-label': `${boxes.length} nodes around one`}, edges, boxes);
}
