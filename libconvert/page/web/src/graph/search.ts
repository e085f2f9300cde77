// SPDX-License-Identifier: MIT
// Search of nodes: "rank:3 recv", "type:collective size>=1MiB", a part of a name, an id. All words must match.
import {prefixOf} from './rows';
import type {Classes} from './classes';
import type {Model} from './model';

type Test = (i: number) => boolean;

const sizes = new Map(Object.entries({
  '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, k: 1024, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40,
  kib: 1024, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40,
}));
const times = new Map(Object.entries({ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9}));  // in ns

function amount(text: string, units: Map<string, number>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-zµ]*)$/.exec(text);
  const unit = match ? units.get(match[2]!) : undefined;
  return unit === undefined ? undefined : Number(match![1]) * unit;
}

function compare(sign: string, limit: number): (value: number) => boolean {
  switch (sign) {
    case '>': return v => v > limit;
    case '>=': return v => v >= limit;
    case '<': return v => v < limit;
    case '<=': return v => v <= limit;
    default: return v => v === limit;
  }
}

// Short forms of types, as in traces.
const typeForms = new Map(Object.entries({
  recv: 'receive', coll: 'collective', comp: 'compute', mem: 'memory', load: 'memory load', store: 'memory store',
}));

// Lines of the help.
export const grammar: [string, string][] = [
  ['word', 'part of a name, a type, or an id; all words must match'],
  ['"two\u00a0words"', 'part of a name'], ['rank:3', 'nodes of an NPU'],
  ['type:collective', 'send, recv, compute, memory …'], ['peer:2', 'messages to or from an NPU'],
  ['id:17', 'this id only'], ['lane:stream', 'part of a lane name'], ['group:tp', 'a process group'],
  ['class:send', 'a class of the legend'],
  ['size>=1MiB', 'also <, <=, >, ='], ['time>10us', 'duration of a node'],
  ['cycle:', 'nodes that never start: on or after a cycle'],
];

// Returns the name of a class as a word: "matrix-product".
export const className = (name: string): string => name.toLowerCase().replace(/[ ,]+/g, '-');

export class Search {
  private lower: string[] | undefined;

  constructor(private readonly model: Model, private readonly classes: Classes,
              private readonly circular: Uint8Array) {}

  // Returns the nodes that match a query, ascending; undefined for an empty query.
  find(query: string): Int32Array | undefined {
    const words = [...query.toLowerCase().matchAll(/"([^"]+)"?|\S+/g)];
    if (words.length === 0) return undefined;
    const tests = words.map(([word, quoted]) =>
      quoted ? this.nameTest(name => name.includes(quoted)) : this.test(word!));
    const found = new Int32Array(this.model.n);
    let count = 0;
    for (let i = 0; i < this.model.n; ++i) if (tests.every(test => test(i))) found[count++] = i;
    return found.slice(0, count);
  }

  private test(word: string): Test {
    const {model} = this;
    const limit = /^(size|bytes|time|duration)(>=|<=|>|<|=)(.+)$/.exec(word);
    if (limit) {
      const size = limit[1] === 'size' || limit[1] === 'bytes';
      const wanted = amount(limit[3]!, size ? sizes : times), values = size ? model.bytes : model.duration;
      if (wanted === undefined || !values) return () => false;
      const is = compare(limit[2]!, wanted);
      return i => values[i]! >= 0 && is(values[i]!);
    }
    const key = /^([a-z]+):(?!:)(.*)$/.exec(word);
    return (key && this.keyTest(key[1]!, key[2]!)) ?? this.wordTest(word);
  }

  // Returns the test of a word like "rank:3"; undefined if the key is unknown, so that the word is a part of a
  // name.
  private keyTest(key: string, value: string): Test | undefined {
    const {model} = this, number = /^\d+$/.test(value) ? Number(value) : -1;
    switch (key) {
      case 'rank': case 'npu': return i => model.rankOf(i) === number;
      case 'peer': return i => number >= 0 && model.peer[i] === number;
      case 'id': return i => model.idOf(i) === value;
      case 'type': return this.typeTest(value, true);
      case 'class': {
        const wanted = this.classes.names.findIndex(name => className(name) === value);
        return i => this.classes.of[i] === wanted;
      }
      case 'lane': return i => model.laneOf(i).toLowerCase().replace(/ /g, '').includes(value);
      case 'name': return this.nameTest(name => name.includes(value));
      case 'prefix': return this.nameTest(name => prefixOf(name).toLowerCase() === value);
      case 'group': {
        const groups = model.processGroups();
        return i => groups[i] !== undefined && groups[i]!.toLowerCase().includes(value);
      }
      case 'cycle': return i => this.circular[i] !== 0;
      default: return undefined;
    }
  }

  private typeTest(value: string, part: boolean): Test {
    const {model} = this, wanted = typeForms.get(value) ?? value, op = wanted.replace(/_/g, '-');
    return i => {
      const type = model.typeOf(i);
      return type === wanted || (part && (type.startsWith(wanted) || model.opOf(i) === op));
    };
  }

  private nameTest(is: (name: string) => boolean): Test {
    this.lower ??= this.model.names.map(name => name.toLowerCase());
    const ok = this.lower.map(is), {name} = this.model;
    return i => ok[name[i]!]!;
  }

  private wordTest(word: string): Test {
    const named = this.nameTest(name => name.includes(word)), typed = this.typeTest(word, false);
    if (!/^\d+$/.test(word)) return i => named(i) || typed(i);
    const {model} = this, id = Number(word);
    return i => named(i) || (model.id[i] === id || (model.id[i]! < 0 && model.idOf(i) === word));
  }
}
