// SPDX-License-Identifier: MIT
// The run that a report page shows, as page/report.cpp writes it; times in picoseconds.
import {counted, Store, visible} from '../lib';
import type {PageData} from '../lib';
import {Calls} from './calls';

export interface Head {
  title: string; status: 'complete' | 'unmatched' | 'deadlock' | 'stopped'; recorded: boolean; tick_ps: number;
  end_ps: number; total_ps: number; reached_ps: number; merged_below_ps: number; path_joined_below_ps: number; slices: number; link_bins: number; link_bin_ps: number;
  activity_bins: number; settings: [string, string][]; inputs: [string, string][]; limits: string[]; hints: string[];
  parts: string[]; lanes: string[]; ops: string[]; matrix_npus_each: number;
  dims: {topology: string; npus: number; gb_per_s: number; latency_ns: number}[];
  what_if: {what: string; setting: string; total_ps: number}[];
  waiting: number; waits: {npu: number; node: string; name: string; since_ps: number; text: string}[];
  findings: {text: string; panel?: string}[];
  operations: {name: string; kind: string; count: number; total_ps: number; mean_ps: number; share: number}[];
  operations_in_all: number; use?: {operations: number; tflops: number; peak_tflops: number; mfu: number};
  certainty?: {error_pct: number; origins: {source: string; calls: number; share: number; error_pct: number}[]};
  groups: {group: number; like: number; title: string; alone: string}[];
  names: string[]; texts: string[];
}

// Time categories of an NPU in stacking order of the bars: name, colour, and title for readers.
export const parts: {name: string; color: string; text: string}[] = [
  {name: 'compute', color: 'compute', text: 'computing alone'},
  {name: 'overlap', color: 'overlap', text: 'both: hidden communication'},
  {name: 'exposed', color: 'exposed', text: 'exposed communication'},
  {name: 'waiting', color: 'waiting', text: 'waiting for others'},
  {name: 'memory', color: 'memory', text: 'remote memory'},
  {name: 'cpu', color: 'cpu', text: 'CPU'},
  {name: 'idle', color: 'idle', text: 'idle'},
];

export interface Npu { index: number; rank: number; parts: number[]; finish: number }

export interface Link {
  index: number; from: string; to: string; dim: number; gbPerS: number; latencyNs: number; bytes: number;
  messages: number; busy: number; peakQueue: number;
}

export interface Step {
  kind: number; npu: number; node: string; name: string; begin: number; time: number; call: number; bytes: number;
  peer: number; then: string;
}

export class Run {
  readonly head: Head;
  readonly end: number;
  readonly npus: Npu[];
  readonly calls: Calls;
  readonly links: Link[];
  readonly path: Step[];
  span: number;     // extent of time axes: the end of the run, or of the later one of two runs
  mostNpus: number; // extent of NPU axes, in the same way
  private readonly groups = new Map<number, Head['groups'][number]>();

  // `side`: "A" or "B" in a comparison.
  constructor(readonly data: PageData<Head>, readonly side = '') {
    const head = this.head = data.head;
    this.end = head.end_ps;
    for (const g of this.head.groups) this.groups.set(g.group, g);
    const partTimes = parts.map(p => this.times('part.' + p.name));
    const finish = data.has('npu.finish') ? this.times('npu.finish') : undefined;
    this.npus = Array.from(data.i32('npu.rank'), (rank, index) =>
      ({index, rank, parts: partTimes.map(times => times[index]!), finish: finish?.[index] ?? -1}));
    this.calls = new Calls(data, name => this.times(name), head, group => this.groups.get(group)?.like ?? group);
    this.links = this.readLinks();
    this.path = this.readPath();
    this.span = this.end;
    this.mostNpus = this.npus.length;
  }

  // Returns a column of times in picoseconds; -1 stays -1.
  times(name: string): Float64Array {
    const values = this.data.f64(name);
    const {tick_ps} = this.head;
    return tick_ps === 1 ? values : values.map(v => v < 0 ? v : v * tick_ps);
  }
  text(index: number): string { return index < 0 ? '' : this.head.texts[index]!; }
  name(index: number): string { return index < 0 ? '' : this.head.names[index]!; }
  // Return the title of a process group with its equivalents, and the title of the group alone.
  groupTitle(group: number): string { return visible(this.groups.get(group)?.title ?? String(group), 60); }
  groupAlone(group: number): string { return visible(this.groups.get(group)?.alone ?? String(group), 60); }
  setting(key: string): string | undefined { return this.head.settings.find(s => s[0] === key)?.[1]; }
  // Returns the share of the run.
  share(ps: number): number { return this.end > 0 ? ps / this.end : 0; }
  // Returns the label of an NPU by its index.
  npuName(index: number): string { return `NPU ${this.npus[index]?.rank ?? '?'}`; }
  ids(name: string): (i: number) => string {
    const low = this.data.i32(name), high = this.data.i32(name + '.high');
    return i => high[i] === 0 ? String(low[i]! >>> 0)
      : String((BigInt(high[i]! >>> 0) << 32n) | BigInt(low[i]! >>> 0));
  }

  private readLinks(): Link[] {
    const {data} = this;
    const from = data.i32('link.from'), to = data.i32('link.to'), dim = data.i32('link.dim');
    const gb = data.f64('link.gb_per_s'), latency = data.f64('link.latency_ns'), bytes = data.f64('link.bytes');
    const messages = data.i32('link.messages'), busy = this.times('link.busy'), queue = data.i32('link.peak_queue');
    return Array.from(from, (f, i) => ({
      index: i, from: this.text(f), to: this.text(to[i]!), dim: dim[i]!, gbPerS: gb[i]!, latencyNs: latency[i]!,
      bytes: bytes[i]!, messages: messages[i]!, busy: busy[i]!, peakQueue: queue[i]!}));
  }
  private readPath(): Step[] {
    const {data} = this;
    const kind = data.u8('path.kind'), npu = data.i32('path.npu'), node = this.ids('path.node');
    const name = data.i32('path.name'), begin = this.times('path.begin'), time = this.times('path.time');
    const call = data.i32('path.call'), bytes = data.f64('path.bytes'), peer = data.i32('path.peer');
    const then = data.i32('path.then');
    return Array.from(kind, (k, i) => ({
      kind: k, npu: npu[i]!, node: node(i), name: this.name(name[i]!), begin: begin[i]!, time: time[i]!,
      call: call[i]!, bytes: bytes[i]!, peer: peer[i]!, then: this.text(then[i]!)}));
  }
}

// State that panels share: the time window, and the NPU under the pointer (its index, -1: none).
export interface ViewState { from: number; to: number; npu: number }
export type View = Store<ViewState>;

// A panel draws one aspect of a run; it returns null if the run lacks the data.
export type Panel = (run: Run, view: View) => HTMLElement | null;

export const opName = (op: string): string => op.replaceAll('_', '-');

// Sets the window to an interval with a margin.
export function show(run: Run, view: View, from: number, to: number, margin = 0.15): void {
  const more = Math.max(to - from, run.end / 1e6, 1) * margin;
  view.set({from: Math.max(0, from - more), to: Math.min(run.span, to + more)});
}

// Returns " of A" in a comparison.
export const ofSide = (run: Run): string => run.side ? ` of ${run.side}` : '';

// Returns a line about the run: NPUs, network, model.
export function whatRan(run: Run): string {
  const network = run.setting('network'), model = run.setting('model');
  return [counted(run.npus.length, 'NPU'), network, model ? `model ${model}` : null, run.head.recorded && model !== 'recorded' ? 'recorded' : null]
    .filter(Boolean).map(text => visible(text!, 120)).join(' · ');
}

// Scrolls to a panel.
export function goTo(id: string): void {
  document.getElementById(id)?.scrollIntoView({behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'});
}
