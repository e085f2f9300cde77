// SPDX-License-Identifier: MIT
// Positions of slices on the timeline: a band for each NPU, with lanes in it. Overlapping slices of a lane share
// its height.
import type {Run} from './run';

export const mostSub = 6;
const communicates = (lane: number): boolean => lane >= 3;

// Slices of one lane of one row: [first, end) of the columns, sorted by begin.
export interface LaneRange { lane: number; first: number; end: number; longest: number }

export class Layout {
  readonly rows: number;
  readonly lanes: number[];
  readonly begin: Float64Array;
  readonly finish: Float64Array;
  readonly wait: Float64Array;
  readonly lane: Uint8Array;
  readonly sub: Uint8Array;         // by slice: its part of the lane's height
  readonly subs: number[];          // by index of the lane: number of parts
  readonly ranges: LaneRange[][];   // by row
  readonly used: number[];          // by index of the lane: sum of its slices as a share of the time of all rows
  readonly rowOfNpu: Int32Array;    // row of the NPU or of its representative; -1: none
  readonly npuOfRow: Int32Array;
  readonly alike: Int32Array;
  private readonly busy: {from: Float64Array; to: Float64Array}[];  // by row: times in which the NPU computes

  constructor(run: Run) {
    const {data} = run;
    const row = data.i32('slice.row');
    this.npuOfRow = data.i32('row.npu');
    this.alike = data.i32('row.alike');
    this.rows = this.npuOfRow.length;
    this.rowOfNpu = data.i32('npu.row');
    this.begin = run.times('slice.begin');
    const time = run.times('slice.time');
    this.finish = this.begin.map((b, i) => b + time[i]!);
    this.wait = run.times('slice.wait');
    this.lane = data.u8('slice.lane');
    this.lanes = [...new Set(this.lane)].sort((a, b) => a - b);
    this.ranges = Array.from({length: this.rows}, () => []);
    for (let i = 0; i < row.length;) {
      let end = i, longest = 0;
      for (; end < row.length && row[end] === row[i] && this.lane[end] === this.lane[i]; ++end) longest = Math.max(longest, time[end]!);
      this.ranges[row[i]!]!.push({lane: this.lane[i]!, first: i, end, longest});
      i = end;
    }
    this.sub = new Uint8Array(row.length);
    this.subs = this.lanes.map(() => 1);
    for (const ranges of this.ranges) for (const range of ranges) this.place(range);
    this.busy = this.ranges.map(ranges => this.computing(ranges));
    this.used = this.lanes.map(() => 0);
    const whole = Math.max(1, run.end * this.rows);
    time.forEach((t, i) => this.used[this.lanes.indexOf(this.lane[i]!)]! += t / whole);
  }

  place(range: LaneRange): void {
    const ends: number[] = [];
    for (let i = range.first; i < range.end; ++i) {
      let k = ends.findIndex(e => e <= this.begin[i]!);
      if (k < 0) k = Math.min(ends.length, mostSub - 1);
      ends[k] = this.finish[i]!;
      this.sub[i] = k;
    }
    const at = this.lanes.indexOf(range.lane);
    this.subs[at] = Math.max(this.subs[at]!, ends.length);
  }

  // Returns the first slice of a range that can be visible after a time.
  firstFrom(range: LaneRange, from: number): number {
    let low = range.first, high = range.end;
    for (const limit = from - range.longest; low < high;) {
      const middle = (low + high) >> 1;
      if (this.begin[middle]! < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Calls `each` with the stretches of a slice: hidden while its NPU computes, waiting while it waits.
  stretches(row: number, i: number, each: (from: number, to: number, hidden: boolean, waits: boolean) => void): void {
    const begin = this.begin[i]!, finish = this.finish[i]!, until = begin + this.wait[i]!;
    if (!communicates(this.lane[i]!)) return each(begin, finish, false, false);
    const part = (from: number, to: number, hidden: boolean): void => {
      if (until > from) each(from, Math.min(to, until), hidden, true);
      if (to > Math.max(from, until)) each(Math.max(from, until), to, hidden, false);
    };
    const {from, to} = this.busy[row]!;
    let at = begin;
    for (let k = this.firstBusy(row, begin); k < from.length && from[k]! < finish && at < finish; ++k) {
      if (from[k]! > at) part(at, from[k]!, false);
      const end = Math.min(finish, to[k]!);
      part(Math.max(at, from[k]!), end, true);
      at = end;
    }
    if (at < finish || begin === finish) part(at, finish, false);
  }

  // Returns whether the NPU of a row computes at a time.
  computesAt(row: number, time: number): boolean {
    const k = this.firstBusy(row, time);
    return k < this.busy[row]!.from.length && this.busy[row]!.from[k]! <= time;
  }

  private firstBusy(row: number, time: number): number {
    const {to} = this.busy[row]!;
    let low = 0, high = to.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (to[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private computing(ranges: LaneRange[]): {from: Float64Array; to: Float64Array} {
    const from: number[] = [], to: number[] = [];
    const range = ranges.find(r => r.lane === 1);
    for (let i = range?.first ?? 0; i < (range?.end ?? 0); ++i) {
      if (to.length && this.begin[i]! <= to[to.length - 1]!) to[to.length - 1] = Math.max(to[to.length - 1]!, this.finish[i]!);
      else { from.push(this.begin[i]!); to.push(this.finish[i]!); }
    }
    return {from: Float64Array.from(from), to: Float64Array.from(to)};
  }
}
