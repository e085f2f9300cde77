// SPDX-License-Identifier: MIT
// Calls of collectives as columns, as a run can have millions, and statistics of calls of one kind.
import type {PageData} from '../lib';
import {largest} from '../lib';
import type {Run} from './run';

interface Texts { ops: string[]; texts: string[] }

export class Calls {
  readonly length: number;
  readonly group: Float64Array;
  readonly like: Float64Array;       // one number for equivalent groups
  readonly number: Int32Array;
  readonly npus: Int32Array;
  readonly size: Float64Array;       // bytes; -1: unknown
  readonly begin: Float64Array;      // picoseconds: of the first NPU
  readonly lastBegin: Float64Array;  // of the last NPU
  readonly end: Float64Array;        // -1: not ended
  private readonly operation: Uint8Array;
  private readonly bound: Float64Array;
  private readonly factor: Float64Array;
  private readonly algorithms: Int32Array;
  private readonly sources: Int32Array;  // empty: no machine
  private readonly errors: Float64Array;

  // `times` returns a column in picoseconds, `like` the representative of the groups equivalent to a group.
  constructor(data: PageData<Texts>, times: (name: string) => Float64Array, private readonly texts: Texts,
              like: (group: number) => number) {
    this.operation = data.u8('call.op');
    this.length = this.operation.length;
    this.group = data.f64('call.group');
    this.like = this.group.map(like);
    this.number = data.i32('call.number');
    this.npus = data.i32('call.npus');
    this.size = data.f64('call.size');
    this.algorithms = data.i32('call.algorithm');
    this.sources = data.has('call.source') ? data.i32('call.source') : new Int32Array();
    this.errors = data.has('call.source') ? data.f64('call.error_pct') : new Float64Array();
    this.bound = times('call.bound');
    this.begin = times('call.begin');
    this.lastBegin = times('call.last_begin');
    this.end = times('call.end');
    this.factor = data.f64('call.factor');
  }

  op(i: number): string { return this.texts.ops[this.operation[i]!]!; }
  opNumber(i: number): number { return this.operation[i]!; }
  algorithm(i: number): string { return this.texts.texts[this.algorithms[i]!] ?? ''; }
  // Returns the algorithm and, on a machine, the origin of the time with its expected error: "nvls, measured, ±1.5 %".
  algorithmText(i: number): string {
    const source = this.texts.texts[this.sources[i] ?? -1], error = this.errors[i] ?? -1;
    return [this.algorithm(i), source ?? '', error >= 0 ? `±${error.toFixed(1)} %` : ''].filter(t => t !== '').join(', ');
  }
  boundOf(i: number): number { return this.bound[i]!; }
  // Returns the time of a call; -1: not ended.
  time(i: number): number { return this.end[i]! < 0 ? -1 : this.end[i]! - this.begin[i]!; }
  // Returns size / time of a call in GB/s; 0 if the size or the time is unknown.
  algbw(i: number): number {
    return this.size[i]! > 0 && this.end[i]! > this.begin[i]! ? this.size[i]! / (this.end[i]! - this.begin[i]!) * 1000 : 0;
  }
  // Returns busbw as nccl-tests define it: comparable with the bandwidth of a link.
  busbw(i: number): number { return this.algbw(i) * this.factor[i]!; }
  // Returns how long the first NPU waits for the last NPU.
  waitsForLast(i: number): number { return Math.max(0, this.lastBegin[i]! - this.begin[i]!); }
  // Returns bound / time since the last NPU's call; -1: unknown.
  ofBound(i: number): number {
    return this.bound[i]! >= 0 && this.end[i]! > this.lastBegin[i]! ? this.bound[i]! / (this.end[i]! - this.lastBegin[i]!) : -1;
  }
  hasBounds(): boolean { return this.bound.some((_, i) => this.ofBound(i) >= 0); }
  bestBusbw(): number {
    let best = 0;
    for (let i = 0; i < this.length; ++i) best = Math.max(best, this.busbw(i));
    return best;
  }
}

// Calls of one operation, size and group; equivalent groups are one. Times are picoseconds, over calls that ended;
// -1 without such calls.
export interface Group {
  key: string; op: string; size: number; group: number; title: string; calls: number[];
  sum: number; least: number; mean: number; most: number; waits: number; busbw: number; ofBound: number;
}

// Returns the mean of the known values; -1 if none is known.
function mean(calls: number[], of: (i: number) => number): number {
  let sum = 0, known = 0;
  for (const i of calls) {
    const value = of(i);
    if (value < 0) continue;
    sum += value;
    ++known;
  }
  return known > 0 ? sum / known : -1;
}

function groupOf(run: Run, list: number[]): Group {
  const {calls} = run, first = list[0]!, op = calls.op(first), size = calls.size[first]!, group = calls.like[first]!;
  const title = run.groupTitle(group);
  let sum = 0, ended = 0, least = Infinity;
  for (const i of list) {
    const time = calls.time(i);
    if (time < 0) continue;
    sum += time;
    ++ended;
    least = Math.min(least, time);
  }
  return {key: `${op} ${size} ${calls.npus[first]!} ${title}`, op, size, group, title, calls: list, sum: ended > 0 ? sum : -1,
          least: ended > 0 ? least : -1, mean: ended > 0 ? sum / ended : -1, most: largest(list.map(i => calls.time(i)), -1),
          waits: mean(list, i => calls.waitsForLast(i)), busbw: mean(list, i => calls.busbw(i)), ofBound: mean(list, i => calls.ofBound(i))};
}

// Returns the calls by operation, size and group, in order of their first calls.
export function grouped(run: Run): Group[] {
  const {calls} = run;
  const found = new Map<number, Map<number, number[]>>(), lists: number[][] = [];
  for (let i = 0; i < calls.length; ++i) {
    const size = calls.size[i]!, kind = calls.like[i]! * 256 + calls.opNumber(i);
    let bySize = found.get(size);
    if (!bySize) found.set(size, bySize = new Map());
    let list = bySize.get(kind);
    if (!list) {
      bySize.set(kind, list = []);
      lists.push(list);
    }
    list.push(i);
  }
  return lists.map(list => groupOf(run, list));
}
