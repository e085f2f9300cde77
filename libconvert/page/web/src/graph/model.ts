// SPDX-License-Identifier: MIT
// The graph as graph_page.h writes it: columns of nodes, and edges in both directions.
import {PageData} from '../lib/data';

export interface Head {
  version: number;
  title: string;
  operand: string;
  ranks: [number, number][];
  lanes: [number, string][];
  names: string[];
  time?: {base_ns: string};
  large_ids: [number, string][];
  attributes: {name: string; texts?: string[]; left_out?: number}[];
  attribute_lists: number[][];
}

export const enum EdgeKind { data, control, message }

// The other ends of the edges of each node i: node[begin[i]] … node[begin[i + 1] - 1].
export interface Ends {
  begin: Int32Array;
  node: Int32Array;
  kind: Uint8Array;
}

export const enum NodeType { metadata = 1, load, store, compute, send, receive, collective }
const typeWords = ['other', 'metadata', 'memory load', 'memory store', 'compute', 'send', 'receive', 'collective'];
const opWords = ['all-reduce', 'reduce', 'all-gather', 'gather', 'scatter', 'broadcast', 'all-to-all', 'reduce-scatter',
                 'reduce-scatter block', 'barrier'];

function sums(counts: Int32Array): Int32Array {
  const begin = new Int32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) begin[i + 1] = begin[i]! + counts[i]!;
  return begin;
}

// Returns the predecessors of each node: data and control dependencies, then messages.
function parentsOf(data: PageData<Head>, n: number): Ends {
  const dataCount = data.i32('data_count'), controlCount = data.i32('control_count'), parent = data.i32('parent');
  const from = data.i32('message_from'), to = data.i32('message_to');
  const counts = new Int32Array(n);
  for (let i = 0; i < n; ++i) counts[i] = dataCount[i]! + controlCount[i]!;
  for (let m = 0; m < to.length; ++m) ++counts[to[m]!];
  const begin = sums(counts);
  const node = new Int32Array(begin[n]!), kind = new Uint8Array(begin[n]!), free = new Int32Array(n);
  for (let i = 0, at = 0; i < n; ++i) {
    let e = begin[i]!;
    const data_end = e + dataCount[i]!, end = data_end + controlCount[i]!;
    for (; e < end; ++e) {
      node[e] = parent[at++]!;
      kind[e] = e < data_end ? EdgeKind.data : EdgeKind.control;
    }
    free[i] = end;
  }
  for (let m = 0; m < to.length; ++m) {
    const e = free[to[m]!]!++;
    node[e] = from[m]!;
    kind[e] = EdgeKind.message;
  }
  return {begin, node, kind};
}

function turned(ends: Ends, n: number): Ends {
  const counts = new Int32Array(n);
  for (const i of ends.node) ++counts[i];
  const begin = sums(counts), free = begin.slice();
  const node = new Int32Array(ends.node.length), kind = new Uint8Array(ends.node.length);
  for (let i = 0; i < n; ++i) {
    for (let e = ends.begin[i]!; e < ends.begin[i + 1]!; ++e) {
      const at = free[ends.node[e]!]!++;
      node[at] = i;
      kind[at] = ends.kind[e]!;
    }
  }
  return {begin, node, kind};
}

export class Model {
  readonly n: number;
  readonly names: string[];
  readonly id: Float64Array;
  readonly type: Uint8Array;
  readonly name: Int32Array;
  readonly lane: Int32Array;
  readonly bytes: Float64Array;
  readonly peer: Int32Array;
  readonly op: Uint8Array;
  readonly begin: Float64Array | undefined;     // ns; -1: unknown
  readonly duration: Float64Array | undefined;  // ns; -1: unknown
  readonly rank: Int32Array;                    // position in head.ranks
  readonly caller: Int32Array | undefined;      // -1: none
  readonly parents: Ends;
  readonly children: Ends;
  private readonly largeIds: Map<number, string>;
  private groups: (string | undefined)[] | undefined;

  constructor(private readonly data: PageData<Head>) {
    const n = this.n = data.rows('id');
    this.names = data.head.names;
    this.id = data.f64('id');
    this.type = data.u8('type');
    this.name = data.i32('name');
    this.lane = data.i32('lane');
    this.bytes = data.f64('bytes');
    this.peer = data.i32('peer');
    this.op = data.u8('op');
    if (data.has('begin')) this.begin = data.f64('begin');
    if (data.has('duration')) this.duration = data.f64('duration');
    if (data.has('caller')) this.caller = data.i32('caller');
    this.rank = new Int32Array(n);
    let first = 0;
    data.head.ranks.forEach(([, nodes], r) => this.rank.fill(r, first, first += nodes));
    this.parents = parentsOf(data, n);
    this.children = turned(this.parents, n);
    this.largeIds = new Map(data.head.large_ids);
  }
  get head(): Head { return this.data.head; }
  get edges(): number { return this.parents.node.length; }
  get messages(): number { return this.data.rows('message_from'); }
  get missing(): number { return this.data.rows('missing_node'); }
  get manyRanks(): boolean { return this.head.ranks.length > 1; }
  nameOf(i: number): string { return this.names[this.name[i]!]!; }
  idOf(i: number): string { return this.largeIds.get(i) ?? String(this.id[i]); }
  rankOf(i: number): number { return this.head.ranks[this.rank[i]!]![0]; }
  laneOf(i: number): string { return this.head.lanes[this.lane[i]!]![1]; }
  typeOf(i: number): string { return typeWords[this.type[i]!] ?? typeWords[0]!; }
  opOf(i: number): string { return opWords[this.op[i]!] ?? ''; }

  // Returns the ids of missing nodes on which node i depends; "" for an id above 2^53.
  missingOf(i: number): string[] {
    const node = this.data.i32('missing_node'), id = this.data.f64('missing_id'), out: string[] = [];
    for (let m = 0; m < node.length; ++m) if (node[m] === i) out.push(id[m]! < 0 ? '' : String(id[m]));
    return out;
  }

  // Returns the process group of each node (pg_name); undefined if it has none.
  processGroups(): (string | undefined)[] {
    if (this.groups) return this.groups;
    const groups: (string | undefined)[] = this.groups = new Array(this.n);
    const {attributes, attribute_lists: lists} = this.head;
    const a = attributes.findIndex(({name, left_out: out}) => name === 'pg_name' && out === undefined);
    if (a < 0) return groups;
    const values = this.data.f64(`attribute ${a}`), texts = attributes[a]!.texts, listOf = this.data.i32('attributes');
    const each = lists.map(list => list.filter(x => x === a).length);
    for (let i = 0, at = 0; i < this.n; ++i) {
      const many = each[listOf[i]!]!;
      if (many === 0) continue;
      groups[i] = texts ? texts[values[at]!] : String(values[at]);
      at += many;
    }
    return groups;
  }

  // Returns the attributes of node i in order; attributes that the page omits have no value.
  attributesOf(i: number): {name: string; value?: string; leftOut?: number}[] {
    const {attributes, attribute_lists: lists} = this.head;
    const lists_of = this.data.i32('attributes');
    const wanted = lists[lists_of[i]!]!;
    const place = new Map<number, number>(wanted.map(a => [a, 0]));  // values of earlier nodes, by attribute
    const times = lists.map(() => 0);
    for (let k = 0; k < i; ++k) ++times[lists_of[k]!];
    lists.forEach((list, l) => {
      for (const a of list) if (place.has(a)) place.set(a, place.get(a)! + times[l]!);
    });
    return wanted.map(a => {
      const {name, texts, left_out: leftOut} = attributes[a]!;
      if (leftOut !== undefined) return {name, leftOut};
      const at = place.get(a)!;
      place.set(a, at + 1);
      const value = this.data.f64(`attribute ${a}`)[at]!;
      return {name, value: texts ? texts[value]! : String(value)};
    });
  }
}
