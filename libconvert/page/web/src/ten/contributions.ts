// SPDX-License-Identifier: MIT
// Follows the contributions to each chunk through the transfers of a schedule: a transfer takes what its source has when
// it begins, and its destination has it, or its sum with it, when it ends; ends come before begins at one time.
import type {Model} from './model';

export interface Changes { time: Float64Array; npu: Int32Array; chunk: Int32Array; held: Int32Array }

function bitsOf(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

// Returns the cargo of each chunk, one list behind the other, and where each begins.
function byChunk(carried: Int32Array, chunks: number): {list: Int32Array; begin: Int32Array} {
  const begin = new Int32Array(chunks + 1);
  for (const c of carried) ++begin[c + 1]!;
  for (let c = 0; c < chunks; ++c) begin[c + 1]! += begin[c]!;
  const next = begin.slice();
  const list = new Int32Array(carried.length);
  carried.forEach((c, k) => { list[next[c]!++] = k; });
  return {list, begin};
}

// Fills model.held, and returns when what is held where changes. Sets of contributors are of one chunk at a time.
export function follow(model: Model): Changes {
  const {begin, end, src, dst, op, first, carried, npus, chunks} = model;
  const transferOf = new Int32Array(carried.length);
  for (let i = 0; i < begin.length; ++i) transferOf.fill(i, first[i]!, first[i + 1]!);
  const groups = byChunk(carried, chunks);
  const bits = new Map<number, Uint32Array>();
  const twice = new Uint8Array(npus);
  const index = new Int32Array(npus);
  for (let c = 0; c < chunks; ++c) {
    const mine = groups.list.subarray(groups.begin[c]!, groups.begin[c + 1]!);
    if (mine.length === 0) continue;
    const words = (model.needed[c]! + 31) >> 5;
    const set = (n: number): Uint32Array => {
      let s = bits.get(n);
      if (!s) bits.set(n, s = new Uint32Array(words));
      return s;
    };
    bits.clear();
    twice.fill(0);
    model.pre.of(c).forEach((n, i) => {
      index[n] = model.needed[c]! > 1 ? i : 0;
      const s = set(n);
      s[index[n]! >> 5]! |= 1 << (index[n]! & 31);
    });
    const flying = new Uint32Array(mine.length * words);
    const flyingTwice = new Uint8Array(mine.length);
    for (const event of events(mine, transferOf, begin, end, model.steps)) {
      const k = event >> 1, i = transferOf[mine[k]!]!;
      if (event & 1) {
        flying.set(set(src[i]!), k * words);
        flyingTwice[k] = twice[src[i]!]!;
        continue;
      }
      const to = set(dst[i]!);
      let count = 0, come = 0, own = 0, common = 0;
      for (let w = 0; w < words; ++w) { come |= flying[k * words + w]!; own |= to[w]!; }
      // Nothing comes of what is not there, nor of a sum with what is not there.
      const counts = come !== 0 && (!op[i] || own !== 0);
      for (let w = 0; w < words; ++w) {
        const part = flying[k * words + w]!;
        common |= part & to[w]!;
        if (counts) to[w] = op[i] ? to[w]! | part : part;
        count += bitsOf(to[w]!);
      }
      if (counts && op[i]) twice[dst[i]!]! |= flyingTwice[k]! | (common ? 1 : 0);
      if (counts && !op[i]) twice[dst[i]!] = flyingTwice[k]!;
      model.held[mine[k]!] = twice[dst[i]!] ? -count : count;
    }
  }
  return inTime(model, transferOf);
}

// Returns the begins (odd) and ends (even) of a chunk's cargo in their order: twice its place in `mine`, plus one. Files
// round times, so an end counts a picosecond, or a millionth of its transfer, earlier.
function events(mine: Int32Array, transferOf: Int32Array, begin: Float64Array, end: Float64Array, steps: boolean): number[] {
  const when = new Float64Array(2 * mine.length);
  mine.forEach((cargo, k) => {
    const i = transferOf[cargo]!;
    const slack = steps ? 0 : Math.max(1, Math.floor((end[i]! - begin[i]!) / 1e6));
    when[2 * k] = Math.max(end[i]! - slack, begin[i]! + 1);
    when[2 * k + 1] = begin[i]!;
  });
  return Array.from(when.keys()).sort((a, b) => when[a]! - when[b]! || (a & 1) - (b & 1) || a - b);
}

function inTime(model: Model, transferOf: Int32Array): Changes {
  const order = Int32Array.from(model.carried.keys());
  const ends = Float64Array.from(order, k => model.end[transferOf[k]!]!);
  order.sort((a, b) => ends[a]! - ends[b]! || a - b);
  return {time: Float64Array.from(order, k => ends[k]!), npu: Int32Array.from(order, k => model.dst[transferOf[k]!]!),
          chunk: Int32Array.from(order, k => model.carried[k]!), held: Int32Array.from(order, k => model.held[k]!)};
}
