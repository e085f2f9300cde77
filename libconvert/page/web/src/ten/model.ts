// SPDX-License-Identifier: MIT
// Data of the page: transfers, chunks, and the contents of NPUs over time. ten_page.h describes the format.
import type {PageData} from '../lib';
import {time} from '../lib';

// Contents of NPUs from a time on: contributions; negative: some twice.
interface Changes { time: Float64Array; npu: Int32Array; chunk: Int32Array; held: Int32Array }

export interface Verdict { outcome: 'proved' | 'refuted' | 'not proved'; collective: string; rule?: string; place?: string; text: string }
export interface Finding { severity: 'error' | 'warning'; rule: string; place: string; text: string; notes: string[] }
export interface Head {
  title: string; file: string; collective: string; unit: 'time' | 'steps'; npus: number; relays: number[];
  switches?: number;  // number of switches, the last ones of `relays`
  sums: boolean; played: boolean; claimed?: number; left_out: number; verdict: Verdict; findings: Finding[];
  forwarding?: string; needs_stored: boolean;
}

// Returns the start of each list with these lengths, and the end of the last list; negative lengths count as 0.
function offsets(lengths: Int32Array): Int32Array {
  const out = new Int32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; ++i) out[i + 1] = out[i]! + Math.max(0, lengths[i]!);
  return out;
}

// Sets of nodes, one for each chunk.
export class NodeSets {
  private readonly begin: Int32Array;
  constructor(private readonly count: Int32Array, private readonly nodes: Int32Array, private readonly all: Int32Array) {
    this.begin = offsets(count);
  }
  of(chunk: number): Int32Array {
    return this.count[chunk]! < 0 ? this.all : this.nodes.subarray(this.begin[chunk]!, this.begin[chunk + 1]!);
  }
}

export type Held = Int16Array | Int32Array;

export class Model {
  readonly head: Head;
  readonly devices: number;       // NPUs, relays, then switches
  readonly npus: number;          // devices that can hold chunks: all except switches
  readonly begin: Float64Array; readonly end: Float64Array;
  readonly busy: Float64Array;    // by transfer: how long it occupies its link
  readonly src: Int32Array; readonly dst: Int32Array; readonly op: Uint8Array;
  readonly first: Int32Array;     // by transfer: first index in `carried`; one element more than transfers
  readonly carried: Int32Array;   // chunks; -1: a mixture
  // By index in `carried`: contributions that the receiver then has; negative: some twice.
  readonly held: Int32Array;
  readonly ids: Float64Array;     // of chunks
  readonly bytes: Float64Array;   // of chunks; -1: unknown
  readonly pre: NodeSets; readonly post: NodeSets;
  readonly needed: Int32Array;    // by chunk: contributions of a complete chunk
  readonly changes: Changes;      // by time
  readonly initial: Held;         // by NPU and chunk
  readonly share: Float64Array;   // by NPU: its mean share of all chunks, at the time of at()
  readonly links: [number, number][];
  readonly total: number;         // end of the last transfer
  readonly starts: Float64Array;  // the distinct begins, ascending
  readonly relays: Set<number>;
  private readonly firstShare: Float64Array;
  private state: Held;
  private next = 0;

  constructor(readonly data: PageData<Head>) {
    const head = this.head = data.head;
    this.devices = head.npus;
    this.npus = head.npus - (head.switches ?? 0);
    this.begin = data.f64('begin'); this.end = data.f64('end'); this.busy = data.f64('busy');
    this.src = data.i32('src'); this.dst = data.i32('dst'); this.op = data.u8('op');
    this.first = offsets(data.i32('cargo_count'));
    this.carried = data.i32('cargo_chunk');
    this.ids = data.f64('chunk_id'); this.bytes = data.f64('chunk_bytes');
    this.relays = new Set(head.relays);
    const all = Int32Array.from(Array.from({length: this.npus}, (_, n) => n).filter(n => !this.relays.has(n)));
    this.pre = new NodeSets(data.i32('pre_count'), data.i32('pre_node'), all);
    this.post = new NodeSets(data.i32('post_count'), data.i32('post_node'), all);
    this.needed = Int32Array.from(this.ids, (_, c) => head.sums ? this.pre.of(c).length : 1);
    this.initial = new (this.npus < 32768 ? Int16Array : Int32Array)(this.npus * this.chunks);
    this.held = data.i32('cargo_held');
    this.changes = {time: data.f64('change_time'), npu: data.i32('change_npu'), chunk: data.i32('change_chunk'), held: data.i32('change_held')};
    if (!head.played) {
      for (let c = 0; c < this.chunks; ++c) for (const n of this.pre.of(c)) this.initial[n * this.chunks + c] = 1;
    }
    const src = data.i32('link_src'), dst = data.i32('link_dst');
    this.links = Array.from(src, (s, i) => [s, dst[i]!]);
    let total = 0;
    for (const e of this.end) total = Math.max(total, e);
    for (const t of this.changes.time) total = Math.max(total, t);
    this.total = total;
    this.starts = Float64Array.from(new Set(this.begin)).sort();
    this.state = this.initial.slice();
    this.firstShare = new Float64Array(this.npus);
    if (!head.played) {
      for (let c = 0; c < this.chunks; ++c) for (const n of this.pre.of(c)) this.firstShare[n]! += this.part(1, c);
    }
    this.share = this.firstShare.slice();
  }

  get chunks(): number { return this.ids.length; }
  get transfers(): number { return this.begin.length; }
  get steps(): boolean { return this.head.unit === 'steps'; }

  // Returns a number of contributions as a share of all chunks on an NPU.
  private part(held: number, chunk: number): number {
    return Math.min(1, Math.abs(held) / Math.max(1, this.needed[chunk]!)) / Math.max(1, this.chunks);
  }

  // Returns the contents of NPUs at a time: an array by NPU, then chunk, valid until the next call.
  at(t: number): Held {
    const {time: when, npu, chunk, held} = this.changes;
    if (this.next > 0 && when[this.next - 1]! > t) {
      this.state.set(this.initial);
      this.share.set(this.firstShare);
      this.next = 0;
    }
    for (; this.next < when.length && when[this.next]! <= t; ++this.next) {
      const n = npu[this.next]!, c = chunk[this.next]!, at = n * this.chunks + c;
      this.share[n]! += this.part(held[this.next]!, c) - this.part(this.state[at]!, c);
      this.state[at] = held[this.next]!;
    }
    return this.state;
  }

  // Returns the index of a chunk in `carried` of a transfer; -1 if the transfer does not carry it.
  cargoOf(transfer: number, chunk: number): number {
    for (let k = this.first[transfer]!; k < this.first[transfer + 1]!; ++k) if (this.carried[k] === chunk) return k;
    return -1;
  }
  carries(transfer: number, chunk: number): boolean { return this.cargoOf(transfer, chunk) >= 0; }
  // Returns the chunk that colours a transfer: the followed chunk if the transfer carries it, else its first chunk.
  shownChunk(transfer: number, followed: number): number {
    if (followed >= 0 && this.carries(transfer, followed)) return followed;
    return this.first[transfer]! < this.first[transfer + 1]! ? this.carried[this.first[transfer]!]! : -1;
  }

  // Returns a time or step as text.
  clock(t: number, digits = 4): string {
    return this.steps ? `step ${Number(Math.max(0, t).toFixed(1))}` : time(Math.max(0, t), digits);
  }
  isSwitch(device: number): boolean { return device >= this.npus; }
  npuName(npu: number): string {
    if (this.isSwitch(npu)) return `switch ${npu - this.npus}`;
    return this.relays.has(npu) ? `relay ${npu}` : `NPU ${npu}`;
  }
  chunkName(chunk: number): string { return chunk < 0 ? 'a mixture of chunks' : `chunk ${this.ids[chunk]!}`; }
  // Returns "chunk 3", or "chunks 0–3, 6".
  cargoName(transfer: number): string {
    const list = this.carried.subarray(this.first[transfer]!, this.first[transfer + 1]!);
    if (list.length <= 1) return this.chunkName(list.length ? list[0]! : -1);
    const runs: string[] = [];
    for (let i = 0; i < list.length;) {
      let j = i;
      while (j + 1 < list.length && this.ids[list[j + 1]!] === this.ids[list[j]!]! + 1) ++j;
      runs.push(i === j ? `${this.ids[list[i]!]}` : `${this.ids[list[i]!]}–${this.ids[list[j]!]}`);
      i = j + 1;
    }
    return `chunks ${runs.slice(0, 8).join(', ')}${runs.length > 8 ? ', …' : ''}`;
  }

  // Returns the chunk that arrives last.
  lastChunk(): number {
    let last = -1, when = -1;
    for (let i = 0; i < this.transfers; ++i) {
      const chunk = this.shownChunk(i, -1);
      if (chunk >= 0 && this.end[i]! >= when) { last = chunk; when = this.end[i]!; }
    }
    return last;
  }

  // Returns the transfers of a chunk, by begin.
  journey(chunk: number): number[] {
    const out: number[] = [];
    for (let i = 0; i < this.transfers; ++i) if (this.carries(i, chunk)) out.push(i);
    return out.sort((a, b) => this.begin[a]! - this.begin[b]! || this.end[a]! - this.end[b]!);
  }
}
