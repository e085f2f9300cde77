// SPDX-License-Identifier: MIT
// Layout of nested calls as a flame graph: callees are below their caller. A lane has one row for each depth.
import {BoxList} from './boxes';
import type {Layout, Strip} from './boxes';
import type {Model} from './model';

export interface Nesting {
  parent: Int32Array;  // the caller of a node; -1: none
  depth: Int32Array;   // by node
  order: Int32Array;   // callers before their callees; callees of one caller in file order
  deepest: number;
}

// Returns the nesting of calls within lanes, as in host traces of PyTorch. Returns undefined if calls are not
// nested: most nodes have no caller, or each calls only the next.
export function nestingOf(model: Model): Nesting | undefined {
  const {n, lane, caller} = model;
  if (!caller || n < 20) return undefined;
  const parent = new Int32Array(n).fill(-1);
  let nested = 0;
  for (let i = 0; i < n; ++i) {
    const p = caller[i]!;
    if (p < 0 || lane[p] !== lane[i]) continue;
    parent[i] = p;
    ++nested;
  }
  if (nested < 0.5 * n) return undefined;
  const {order, depth, deepest, reached} = traverse(parent);
  return reached === n && deepest * 10 < n && deepest < 400 ? {parent, order, depth, deepest} : undefined;
}

function childLists(parent: Int32Array): {begin: Int32Array; child: Int32Array} {
  const n = parent.length, begin = new Int32Array(n + 2);
  for (const p of parent) if (p >= 0) ++begin[p + 1];
  for (let i = 0; i < n; ++i) begin[i + 1] += begin[i]!;
  const free = begin.slice(), child = new Int32Array(n);
  for (let i = 0; i < n; ++i) if (parent[i]! >= 0) child[free[parent[i]!]!++] = i;
  return {begin, child};
}

function traverse(parent: Int32Array): {order: Int32Array; depth: Int32Array; deepest: number; reached: number} {
  const n = parent.length, {begin, child} = childLists(parent);
  const order = new Int32Array(n), depth = new Int32Array(n), stack: number[] = [];
  let reached = 0, deepest = 0;
  for (let root = 0; root < n; ++root) {
    if (parent[root]! >= 0) continue;
    stack.push(root);
    while (stack.length) {
      const i = stack.pop()!;
      order[reached++] = i;
      depth[i] = parent[i]! < 0 ? 0 : depth[parent[i]!]! + 1;
      deepest = Math.max(deepest, depth[i]!);
      for (let c = begin[i + 1]! - 1; c >= begin[i]!; --c) stack.push(child[c]!);
    }
  }
  return {order, depth, deepest, reached};
}

// One call, or several calls of one name with the same caller.
interface Block {
  depth: number;
  lane: number;
  x: number;
  w: number;
  nodes: number[];
}

// Returns blocks in order of calls; the width is the number of leaves.
function inOrder(model: Model, nesting: Nesting): Block[] {
  const {parent, order, depth} = nesting, {n, lane} = model;
  const leaf = new Uint8Array(n).fill(1), width = new Float64Array(n), x = new Float64Array(n);
  for (const p of parent) if (p >= 0) leaf[p] = 0;
  for (let at = n - 1; at >= 0; --at) {
    const i = order[at]!;
    width[i] += leaf[i]!;
    if (parent[i]! >= 0) width[parent[i]!] += width[i]!;
  }
  const next = new Float64Array(n), nextOfLane = new Map<number, number>();
  const blocks: Block[] = [];
  for (const i of order) {
    const p = parent[i]!;
    x[i] = p >= 0 ? next[p]! : nextOfLane.get(lane[i]!) ?? 0;
    if (p >= 0) next[p] = x[i]! + width[i]!;
    else nextOfLane.set(lane[i]!, x[i]! + width[i]!);
    next[i] = x[i]!;
    blocks.push({depth: depth[i]!, lane: lane[i]!, x: x[i]!, w: width[i]!, nodes: [i]});
  }
  return blocks;
}

// Returns blocks placed by time; calls without a begin are omitted.
function byTime(model: Model, nesting: Nesting): Block[] {
  const blocks: Block[] = [];
  for (const i of nesting.order) {
    const x = model.begin![i]!;
    const w = Math.max(0, model.duration?.[i] ?? 0);
    if (x >= 0) blocks.push({depth: nesting.depth[i]!, lane: model.lane[i]!, x, w, nodes: [i]});
  }
  return blocks;
}

// Returns blocks of calls with one name and one caller, the widest first. The width is the duration or, without
// times, the number of leaves.
function leftHeavy(model: Model, nesting: Nesting): Block[] {
  const {parent, order, depth} = nesting, {lane, name, duration, n} = model;
  const blockOf = new Int32Array(n), outer: number[] = [], known = new Map<number, number>(), blocks: Block[] = [];
  const lanes = model.head.lanes.length, names = model.names.length;
  for (const i of order) {
    const p = parent[i]! >= 0 ? blockOf[parent[i]!]! + lanes : lane[i]!;
    const key = p * names + name[i]!;
    let b = known.get(key);
    if (b === undefined) {
      known.set(key, b = blocks.length);
      outer.push(parent[i]! >= 0 ? blockOf[parent[i]!]! : -1);
      blocks.push({depth: depth[i]!, lane: lane[i]!, x: 0, w: 0, nodes: []});
    }
    blockOf[i] = b;
    blocks[b]!.nodes.push(i);
    if (duration) blocks[b]!.w += Math.max(0, duration[i]!);
  }
  const inner: number[][] = blocks.map(() => []), roots: number[][] = [];
  outer.forEach((o, b) => (o >= 0 ? inner[o]! : roots[blocks[b]!.lane] ??= []).push(b));
  for (let b = blocks.length - 1; b >= 0; --b) {
    const sum = inner[b]!.reduce((all, c) => all + blocks[c]!.w, 0);
    blocks[b]!.w = duration ? Math.max(blocks[b]!.w, sum) : sum || blocks[b]!.nodes.length;
  }
  const place = (list: number[], from: number): void => {
    list.sort((a, b) => blocks[b]!.w - blocks[a]!.w || a - b);
    for (const b of list) { blocks[b]!.x = from; from += blocks[b]!.w; }
  };
  for (const list of roots) if (list) place(list, 0);
  blocks.forEach((block, b) => place(inner[b]!, block.x));
  return blocks;
}

export type FlameOrder = 'order' | 'time' | 'heavy';

// Returns the layout of nested calls. A collapsed lane shows its outermost calls only.
export function flameLayout(model: Model, nesting: Nesting, order: FlameOrder, collapsed: ReadonlySet<number>): Layout {
  const made = {order: inOrder, time: byTime, heavy: leftHeavy}[order](model, nesting);
  const deepest = new Map<number, number>();
  for (const {lane, depth} of made) {
    deepest.set(lane, Math.max(deepest.get(lane) ?? 0, collapsed.has(lane) ? 0 : depth));
  }
  const rows = nesting.deepest + 1, byRow: Block[][] = [];
  for (const block of made) (byRow[block.lane * rows + block.depth] ??= []).push(block);
  const list = new BoxList(model.n), strips: Strip[] = [], {lanes, ranks} = model.head;
  let y = 0, width = 1;
  for (const lane of [...deepest.keys()].sort((a, b) => a - b)) {
    const [rank, label] = lanes[lane]!;
    for (let depth = 0; depth <= deepest.get(lane)!; ++depth, ++y) {
      const blocks = byRow[lane * rows + depth] ?? [];
      blocks.sort((a, b) => a.x - b.x);
      const begin = list.count;
      for (const block of blocks) {
        list.add(block.x, y, block.w);
        width = Math.max(width, block.x + block.w);
        for (const i of block.nodes) list.member(i);
      }
      const name = model.manyRanks ? `${ranks[rank]![0]} ${label}` : label;
      const turn = depth ? '' : collapsed.has(lane) ? 'closed' : deepest.get(lane)! > 0 ? 'open' : '';
      strips.push({y, h: 1, label: depth ? '' : name, turn, row: lane, begin, end: list.count});
    }
    y += 0.6;
  }
  const axis = order === 'time' || (order === 'heavy' && model.duration) ? 'time' : 'order';
  return list.finish(strips, model.n, {width, height: Math.max(1, y - 0.6), axis, fill: 0.95});
}
