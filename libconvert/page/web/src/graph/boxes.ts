// SPDX-License-Identifier: MIT
// Result of a layout: boxes in strips, in the layout's units.

// Boxes by strip, within a strip by x. A box represents members[from[b]] … members[from[b + 1] - 1].
export interface Boxes {
  x: Float64Array;
  w: Float64Array;
  y: Float32Array;
  from: Int32Array;
  members: Int32Array;
}

// A row of boxes or of small stacks of boxes.
export interface Strip {
  y: number;
  h: number;
  label: string;
  turn: '' | 'open' | 'closed';  // in the first row of a group: whether a click on its name collapses or expands it
  detail?: string; // its name if rows are high enough, instead of the label
  row: number;     // index into Rows.rows; the lane for nested calls
  begin: number;   // boxes
  end: number;
}

export interface Layout {
  boxes: Boxes;
  ends: Float64Array;   // by box: the largest x + w of its strip up to this box, for searching
  strips: Strip[];      // by y
  boxOf: Int32Array;    // by node; -1: not drawn
  width: number;
  height: number;
  axis: 'layer' | 'time' | 'order' | 'wrapped';
  fill: number;         // height of a box as a share of its row
  hidden: number;       // nodes that are not drawn
  smallest: number;     // width of the narrowest box
}

// Collects boxes.
export class BoxList {
  private readonly x: Float64Array;
  private readonly w: Float64Array;
  private readonly y: Float32Array;
  private readonly from: Int32Array;
  private readonly members: Int32Array;
  count = 0;
  private taken = 0;

  constructor(most: number) {
    this.x = new Float64Array(most);
    this.w = new Float64Array(most);
    this.y = new Float32Array(most);
    this.from = new Int32Array(most + 1);
    this.members = new Int32Array(most);
  }
  add(x: number, y: number, w: number): void {
    this.x[this.count] = x;
    this.y[this.count] = y;
    this.w[this.count] = w;
    this.from[++this.count] = this.taken;
  }
  yOf(box: number): number { return this.y[box]!; }
  // Adds a node to the last box.
  member(node: number): void {
    this.members[this.taken++] = node;
    this.from[this.count] = this.taken;
  }
  finish(strips: Strip[], nodes: number, rest: Pick<Layout, 'width' | 'height' | 'axis' | 'fill'>): Layout {
    const n = this.count;
    const boxes = {x: this.x.slice(0, n), w: this.w.slice(0, n), y: this.y.slice(0, n), from: this.from.slice(0, n + 1),
                   members: this.members.slice(0, this.taken)};
    const boxOf = new Int32Array(nodes).fill(-1);
    let smallest = Infinity;
    for (let b = 0; b < n; ++b) {
      if (boxes.w[b]! > 0 && boxes.w[b]! < smallest) smallest = boxes.w[b]!;
      for (let m = boxes.from[b]!; m < boxes.from[b + 1]!; ++m) boxOf[boxes.members[m]!] = b;
    }
    return {boxes, ends: endsOf(boxes, strips), strips, boxOf, hidden: nodes - this.taken,
            smallest: smallest < Infinity ? smallest : 1, ...rest};
  }
}

export function endsOf(boxes: Boxes, strips: Strip[]): Float64Array {
  const ends = new Float64Array(boxes.x.length);
  for (const {begin, end} of strips) {
    for (let b = begin, most = -Infinity; b < end; ++b) ends[b] = most = Math.max(most, boxes.x[b]! + boxes.w[b]!);
  }
  return ends;
}

// Returns the first index from `from` to `to` with a value of at least `least`; `values` is ascending there.
export function firstAtLeast(values: Float64Array, from: number, to: number, least: number): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Returns the boxes of a strip that intersect [left, right].
export const boxesBetween = (layout: Layout, strip: Strip, left: number, right: number): [number, number] => {
  const begin = firstAtLeast(layout.ends, strip.begin, strip.end, left);
  return [begin, firstAtLeast(layout.boxes.x, begin, strip.end, right)];
};

// Returns the strip at y, or the strip above if y is in a gap; undefined above all strips.
export function stripAt(layout: Layout, y: number): Strip | undefined {
  let from = 0, to = layout.strips.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (layout.strips[middle]!.y <= y) from = middle + 1;
    else to = middle;
  }
  return layout.strips[from - 1];
}

// Returns the box at a point of the layout, or -1.
export function boxAt(layout: Layout, x: number, y: number, slack: number): number {
  const strip = stripAt(layout, y);
  if (!strip || y > strip.y + strip.h) return -1;
  const [begin, end] = boxesBetween(layout, strip, x - slack, x + slack);
  for (let b = end - 1; b >= begin; --b) {
    const top = layout.boxes.y[b]!;
    const near = layout.boxes.x[b]! - slack, far = layout.boxes.x[b]! + layout.boxes.w[b]! + slack;
    if (y >= top && y < top + 1 && near <= x && x <= far) return b;
  }
  return -1;
}
