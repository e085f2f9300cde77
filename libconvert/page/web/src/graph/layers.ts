// SPDX-License-Identifier: MIT
// Layer of each node: the length of the longest chain of dependencies and messages before it.
import {EdgeKind, Model} from './model';

export interface Layers {
  of: Int32Array;     // by node
  count: number;
  circular: number[];  // nodes on or after cycles, by number
  cycle: number[];     // one cycle: each node waits for the next, the last for the first
}

// Assigns layers along the edges that `accept` accepts, starting with nodes that wait for nothing. Returns the
// number of nodes reached; `open` is the number of remaining edges of each node.
function spread(model: Model, of: Int32Array, open: Int32Array, accept: (kind: number) => boolean): number {
  const {begin, node, kind} = model.children;
  const queue = new Int32Array(model.n);
  let end = 0;
  for (let i = 0; i < model.n; ++i) if (open[i] === 0) queue[end++] = i;
  for (let at = 0; at < end; ++at) {
    const i = queue[at]!, next = of[i]! + 1;
    for (let e = begin[i]!; e < begin[i + 1]!; ++e) {
      if (!accept(kind[e]!)) continue;
      const child = node[e]!;
      if (open[child]! <= 0) continue;
      if (of[child]! < next) of[child] = next;
      if (--open[child]! === 0) queue[end++] = child;
    }
  }
  return end;
}

function inDegrees(model: Model, accept: (kind: number) => boolean): Int32Array {
  const {begin, kind} = model.parents;
  const open = new Int32Array(model.n);
  for (let i = 0; i < model.n; ++i) {
    for (let e = begin[i]!; e < begin[i + 1]!; ++e) if (accept(kind[e]!)) ++open[i];
  }
  return open;
}

// Linear. If there are cycles (a deadlock), messages are ignored. Then nodes on or after a cycle are placed after
// their known predecessors, in file order.
export function layersOf(model: Model): Layers {
  const of = new Int32Array(model.n), circular: number[] = [];
  const all = (): boolean => true;
  const open = inDegrees(model, all);
  if (spread(model, of, open, all) < model.n) {
    for (let i = 0; i < model.n; ++i) if (open[i]! > 0) circular.push(i);
    of.fill(0);
    const within = (kind: number): boolean => kind !== EdgeKind.message;
    const left = inDegrees(model, within);
    if (spread(model, of, left, within) < model.n) inFileOrder(model, of, left);
  }
  let count = 0;
  for (let i = 0; i < model.n; ++i) if (of[i]! >= count) count = of[i]! + 1;
  return {of, count, circular, cycle: cycleIn(model, circular)};
}

// Returns a cycle among nodes that each wait for another of these nodes.
function cycleIn(model: Model, circular: number[]): number[] {
  if (circular.length === 0) return [];
  const {begin, node} = model.parents, inside = new Set(circular), place = new Map<number, number>(), way: number[] = [];
  for (let i = circular[0]!; !place.has(i); ) {
    place.set(i, way.length);
    way.push(i);
    const from = i;
    for (let e = begin[from]!; e < begin[from + 1]!; ++e) if (inside.has(node[e]!)) { i = node[e]!; break; }
    if (i === from) return [];
    if (place.has(i)) return way.slice(place.get(i)!);
  }
  return [];
}

function inFileOrder(model: Model, of: Int32Array, left: Int32Array): void {
  const {begin, node, kind} = model.parents;
  for (let i = 0; i < model.n; ++i) {
    if (left[i]! <= 0) continue;
    for (let e = begin[i]!; e < begin[i + 1]!; ++e) {
      const parent = node[e]!;
      if (kind[e] !== EdgeKind.message && (left[parent]! <= 0 || parent < i)) of[i] = Math.max(of[i]!, of[parent]! + 1);
    }
  }
}
