// SPDX-License-Identifier: MIT
// The journey of the followed chunk: its transfers in order, and a sentence about it.
import {counted, h, panel, Table} from '../lib';
import type {Model} from './model';
import type {Context} from './state';

// Returns "126 transfers, first complete on NPU 34 at 340.5 µs, everywhere at 681.1 µs".
export function sentence(model: Model, chunk: number, transfers: number[]): string {
  const {time, npu, chunk: of, held} = model.changes;
  const needed = model.needed[chunk]!;
  const post = new Set(model.post.of(chunk));
  const complete = new Set<number>();
  let first = -1, firstAt = 0, everywhere = -1;
  for (let n = 0; n < model.npus; ++n) if (model.initial[n * model.chunks + chunk] === needed) complete.add(n);
  const initially = complete.size > 0;
  let lacking = [...post].filter(n => !complete.has(n)).length;
  for (let i = 0; i < of.length; ++i) {
    if (of[i] !== chunk) continue;
    if (held[i] !== needed) { if (complete.delete(npu[i]!) && post.has(npu[i]!)) ++lacking; continue; }
    if (first < 0 && time[i]! >= 0) { first = npu[i]!; firstAt = time[i]!; }
    if (complete.has(npu[i]!)) continue;
    complete.add(npu[i]!);
    if (post.has(npu[i]!) && --lacking === 0) everywhere = Math.max(0, time[i]!);
  }
  const parts = [counted(transfers.length, 'transfer')];
  if (needed > 1 && !initially) parts.push(first < 0 ? 'never complete' : `first complete on ${model.npuName(first)} at ${model.clock(firstAt)}`);
  if (post.size > 0) {
    const where = post.size === 1 ? `on ${model.npuName([...post][0]!)}` : post.size === model.npus ? 'everywhere' : 'everywhere it is required';
    if (lacking === 0) parts.push(everywhere < 0 ? `${where} from the beginning` : `${where} at ${model.clock(everywhere)}`);
    else parts.push(`missing on ${counted(lacking, 'NPU')} in the end`);
  }
  return parts.join(', ');
}

export function journeyPanel({model, store}: Context): HTMLElement {
  const headline = h('span', {class: 'journey-line', id: 'journey-line'});
  const of = (i: number): number => model.cargoOf(i, store.value.chunk);
  const together = model.first.some((at, i) => at - (model.first[i - 1] ?? at) > 1);
  const name = (device: number): string => model.isSwitch(device) ? model.npuName(device) : String(device);
  const table = new Table<number>({
    columns: [
      {title: 'begin', value: i => model.begin[i]!, cell: i => model.clock(model.begin[i]!, 6), data: ['begin', i => model.begin[i]!]},
      {title: 'end', value: i => model.end[i]!, cell: i => model.clock(model.end[i]!, 6), data: ['end', i => model.end[i]!]},
      {title: 'from', value: i => model.src[i]!, cell: i => name(model.src[i]!)},
      {title: 'to', value: i => model.dst[i]!, cell: i => name(model.dst[i]!)},
      {title: 'operation', left: true, value: i => model.op[i]!, cell: i => model.op[i] ? 'add' : 'copy'},
      {title: 'then has', hint: 'contributions that the receiver has when it ends', value: i => Math.abs(model.held[of(i)]!),
       cell: i => model.isSwitch(model.dst[i]!) ? '–' : `${Math.abs(model.held[of(i)]!)} of ${model.needed[store.value.chunk]!}${model.held[of(i)]! < 0 ? ', some twice' : ''}`},
      ...(together ? [{title: 'together with', left: true, cell: (i: number) => model.first[i + 1]! - model.first[i]! > 1 ? model.cargoName(i) : ''}] : []),
    ],
    rows: [], most: 200, click: i => store.set({t: model.begin[i]!, playing: false}),
  });
  const body = h('div', {class: 'scroll'}, table.element);
  const section = panel({id: 'journey', title: 'Journey of a chunk', note: headline}, body);
  let shown = -2;
  store.on(({chunk}) => {
    if (chunk === shown) return;
    shown = chunk;
    const transfers = chunk < 0 ? [] : model.journey(chunk);
    section.hidden = chunk < 0;
    headline.textContent = chunk < 0 ? '' : `${model.chunkName(chunk)}: ${sentence(model, chunk, transfers)}`;
    table.setRows(transfers);
  });
  return section;
}
