// SPDX-License-Identifier: MIT
// Assignment of nodes to rows. Rows are in groups; a collapsed group is one row.
import {count} from '../lib/format';
import type {Model} from './model';

export type RowMode = 'lane' | 'npu' | 'prefix' | 'group' | 'nested';

export interface Row {
  label: string;
  group: number;
  collapsed: boolean;  // one row for the whole group
  first: boolean;      // of its group
  single: boolean;     // the only row of its group
}
export interface Rows {
  rows: Row[];
  of: Int32Array;     // by node
  groups: string[];   // names of the groups: "NPU 3", "process group tp"
}

// Returns the common prefix of names of one kind: "aten" of "aten::add", "encoder" of "encoder.3.mlp",
// "COMM_SEND_NODE" of "COMM_SEND_NODE_tb0_step2".
export function prefixOf(name: string): string {
  const cut = name.slice(0, 80).search(/::|[./:([ ]/);
  const head = cut > 0 ? name.slice(0, cut) : name.slice(0, 80);
  const whole = head.replace(/[_-]*[A-Za-z]*\d.*$/, '');
  return whole || head.replace(/\d.*$/, '') || head;
}

// Groups nodes by key; an expanded group has a row for each `sub` key.
function grouped(model: Model, groupOf: (i: number) => number, names: string[], subOf: (i: number) => number,
                 label: (group: number, sub: number) => string, isCollapsed: (group: number) => boolean): Rows {
  const rows: Row[] = [], rowOf = new Map<number, number>();
  const keys = new Float64Array(model.n), subs = 2 ** 26;
  const seen = new Set<number>();
  for (let i = 0; i < model.n; ++i) {
    const group = groupOf(i);
    const key = keys[i] = group * subs + (isCollapsed(group) ? 0 : subOf(i));
    if (!rowOf.has(key)) seen.add(key), rowOf.set(key, 0);
  }
  let before = -1;
  for (const key of [...seen].sort((a, b) => a - b)) {
    const group = Math.floor(key / subs), collapsed = isCollapsed(group);
    rowOf.set(key, rows.length);
    const first = group !== before;
    if (!first) rows[rows.length - 1]!.single = false;
    rows.push({label: collapsed ? names[group]! : label(group, key % subs), group, collapsed, first, single: first});
    before = group;
  }
  const of = new Int32Array(model.n);
  for (let i = 0; i < model.n; ++i) of[i] = rowOf.get(keys[i]!)!;
  return {rows, of, groups: names};
}

// Numbers texts by frequency, the most frequent first.
function ranked(counts: Map<string, number>): Map<string, number> {
  const order = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(order.map(([text], i) => [text, i]));
}

const mostNamedRows = 200;  // of a group that is expanded by name

// Groups nodes by a text. An expanded group has a row for each name or, if there are too many names, for each NPU.
function byText(model: Model, textOf: (i: number) => string, isCollapsed: (group: number) => boolean): Rows {
  const counts = new Map<string, number>(), names = new Map<string, Set<number>>();
  for (let i = 0; i < model.n; ++i) {
    const text = textOf(i);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    let of = names.get(text);
    if (!of) names.set(text, of = new Set());
    if (of.size <= mostNamedRows) of.add(model.name[i]!);
  }
  const order = ranked(counts), ranks = model.head.ranks.length;
  const named = [...order.keys()].map(text => names.get(text)!.size <= mostNamedRows);
  const groupOf = (i: number): number => order.get(textOf(i))!;
  return grouped(model, groupOf, [...order.keys()],
                 i => named[groupOf(i)] ? ranks + model.name[i]! : model.rank[i]!,
                 (_, sub) => sub < ranks ? `NPU ${model.head.ranks[sub]![0]}` : model.names[sub - ranks]!, isCollapsed);
}

// Returns the rows of a mode; `turned` are groups that the user collapsed or expanded against the mode's default.
// Mode 'nested' has no rows here: see flame.ts.
export function rowsOf(model: Model, mode: RowMode, turned: ReadonlySet<number>): Rows {
  const collapsedAtFirst = mode !== 'lane';
  const isCollapsed = (group: number): boolean => turned.has(group) !== collapsedAtFirst;
  if (mode === 'prefix') {
    const prefixes = model.names.map(prefixOf);
    return byText(model, i => prefixes[model.name[i]!]!, isCollapsed);
  }
  if (mode === 'group') {
    const groups = model.processGroups();
    return byText(model, i => groups[i] === undefined ? 'no process group' : `group ${groups[i]}`, isCollapsed);
  }
  const {ranks, lanes} = model.head;
  const label = (rank: number, lane: number): string =>
    model.manyRanks ? `${ranks[rank]![0]} ${lanes[lane]![1]}` : lanes[lane]![1];
  return grouped(model, i => model.rank[i]!, ranks.map(([rank]) => `NPU ${rank}`), i => model.lane[i]!, label,
                 isCollapsed);
}

export const rowModes = (model: Model, nested: boolean): [RowMode, string][] => {
  const modes: [RowMode, string][] = [['lane', 'a row per lane'], ['npu', 'a row per NPU'], ['prefix', 'rows by name']];
  if (model.processGroups().some(g => g !== undefined)) modes.push(['group', 'rows by process group']);
  if (nested) modes.push(['nested', 'nested calls']);
  return modes;
};

// Returns a sentence about a row for tooltips.
export const rowText = (rows: Rows, row: Row, nodes: number): string =>
  `${rows.groups[row.group]}${row.collapsed ? '' : `, ${row.label}`}: ${count(nodes)} nodes; click to ` +
  (row.collapsed ? 'expand' : 'collapse');
