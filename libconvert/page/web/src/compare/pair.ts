// SPDX-License-Identifier: MIT
// The two runs that a page compares, and their differences, as page/compare writes them; times in picoseconds.
import {exactTime, h, percent, Store, time} from '../lib';
import type {Child, PageData} from '../lib';
import {Run} from '../panels/run';
import type {Fidelity} from './fidelity';
import type {Head as RunHead, View, ViewState} from '../panels/run';

export interface NameRow {
  name: string; count_a: number; count_b: number; a_ps: number; b_ps: number; path_a_ps: number; path_b_ps: number; clear: string;
}
export interface PathRow { part: string; a_ps: number; b_ps: number }
export interface Head {
  title: string; input_a: string; input_b: string;
  a: RunHead; b: RunHead;
  difference: {same: boolean; sentence: string; paths: boolean; notes: string[]; path: PathRow[]; names: number; times: NameRow[]};
  statistics: {fidelity: Fidelity};
}

// Returns the index in `to` of an NPU of `from`, or -1.
function sameNpu(from: Run, index: number, to: Run): number {
  const rank = from.npus[index]?.rank;
  return rank === undefined ? -1 : to.npus.findIndex(npu => npu.rank === rank);
}

// Both runs share the time window, and the NPU under the pointer, matched by rank.
export class Pair {
  readonly a: Run;
  readonly b: Run;
  readonly viewA: View;
  readonly viewB: View;
  readonly difference: Head['difference'];
  readonly statistics: Fidelity;
  readonly title: string;
  readonly inputs: {A: string; B: string};
  private following = false;

  constructor(data: PageData<Head>) {
    this.a = new Run(data.part(data.head.a, 'a.'), 'A');
    this.b = new Run(data.part(data.head.b, 'b.'), 'B');
    this.difference = data.head.difference;
    this.statistics = data.head.statistics.fidelity;
    this.title = data.head.title;
    this.inputs = {A: data.head.input_a, B: data.head.input_b};
    const {a, b} = this;
    a.span = b.span = Math.max(a.end, b.end);
    a.mostNpus = b.mostNpus = Math.max(a.npus.length, b.npus.length);
    this.viewA = new Store<ViewState>({from: 0, to: a.span, npu: -1});
    this.viewB = new Store<ViewState>({from: 0, to: a.span, npu: -1});
    this.follow(a, this.viewA, b, this.viewB);
    this.follow(b, this.viewB, a, this.viewA);
  }

  // Returns the time of B minus the time of A.
  get change(): number { return this.b.end - this.a.end; }
  all(): void { this.viewA.set({from: 0, to: this.a.span}); }

  private follow(run: Run, view: View, other: Run, otherView: View): void {
    view.on((_, changed) => {
      if (this.following) return;
      this.following = true;
      otherView.set(changed.npu === undefined ? changed : {...changed, npu: sameNpu(run, changed.npu, other)});
      this.following = false;
    });
  }
}

// A panel shows one aspect of the differences. It returns null if there is no difference, or the runs lack the
// data.
export type PairPanel = (pair: Pair) => HTMLElement | null;

// Returns a change with its sign: "+1.2 ms", "−3.1 %", "0". A change that is rounded to 0 has no sign.
export function withSign(change: number, text: (size: number) => string): string {
  if (change === 0) return '0';
  const size = text(Math.abs(change));
  return (!/[1-9]/.test(size) ? '' : change > 0 ? '+' : '\u2212') + size;
}

// Returns the change as a share of A: "+8.7 %"; a dash if A is not positive.
export const ofA = (a: number, b: number): string => a > 0 ? withSign((b - a) / a, percent) : '–';

// Returns a change of a time; `counts`: colours it, green for less.
export function timeChange(ps: number, counts = false): HTMLElement {
  const exact = withSign(ps, exactTime);
  return h('span', {class: !counts || ps === 0 ? null : ps < 0 ? 'good' : 'bad', title: exact, 'data-exact': exact},
    withSign(ps, size => time(size)));
}

// Returns a bar to the left for less, to the right for more; its length is the share of the largest change.
export function changeBar(change: number, largest: number, counts = false): Child {
  const share = largest > 0 ? 50 * Math.abs(change) / largest : 0;
  return h('span', {class: 'change-bar', 'aria-hidden': 'true'},
    h('i', {class: !counts ? null : change < 0 ? 'less' : 'more', style: `width:${share}%;${change < 0 ? 'right' : 'left'}:50%`}));
}

// Returns the rows by size of the change, the largest first.
export function byChange<R>(rows: R[], change: (row: R) => number): R[] {
  return rows.map((row, i) => ({row, i, size: Math.abs(change(row))})).sort((x, y) => y.size - x.size || x.i - y.i).map(r => r.row);
}
