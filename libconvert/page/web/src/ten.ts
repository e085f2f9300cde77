// SPDX-License-Identifier: MIT
// Page of a time-expanded network: an algorithm or schedule on the network, by NPU and chunk, and over time.
import {bytes, count, counted, h, header, percent, rate, start, Store, time} from './lib';
import {lead, marksOf} from './ten/findings';
import {journeyPanel} from './ten/journey';
import {networkPanel} from './ten/map';
import {matrixPanel} from './ten/matrix';
import {Model} from './ten/model';
import type {Head} from './ten/model';
import {Program} from './ten/program';
import type {Context, State} from './ten/state';
import {threadblockPanel} from './ten/threadblocks';
import {timePanel} from './ten/timeview';
import {transportBar} from './ten/transport';

const manyTransfers = 1200, mostSteps = 400;

// Returns the bytes of all chunks; -1 if they are unknown.
function size(model: Model): number {
  let sum = 0;
  for (const b of model.bytes) { if (b < 0) return -1; sum += b; }
  return model.chunks > 0 ? sum : -1;
}

function subtitle(model: Model): string {
  const {head, chunks} = model;
  const same = chunks > 0 && model.bytes[0]! >= 0 && model.bytes.every(b => b === model.bytes[0]);
  const parts = [head.collective.replace(/_/g, '-'), counted(model.devices - head.relays.length, 'NPU'),
                 counted(chunks, 'chunk') + (same ? ` of ${bytes(model.bytes[0]!)}` : '')];
  const switches = head.switches ?? 0;
  if (head.relays.length > switches) parts.push(counted(head.relays.length - switches, 'relay'));
  if (switches > 0) parts.push(switches === 1 ? '1 switch' : `${count(switches)} switches`);
  if (head.left_out > 0) parts.push(`${count(head.left_out)} transfers of other chunks omitted`);
  if (head.forwarding) parts.push(head.forwarding);
  if (model.steps) parts.push('steps, not time');
  return parts.join(' · ');
}

// Returns the factor of nccl-tests between algorithm bandwidth and bus bandwidth.
function busFactor(collective: string, n: number): [number, string] {
  if (collective === 'all_reduce') return [2 * (n - 1) / n, '× 2(n−1)/n'];
  if (['all_gather', 'reduce_scatter', 'all_to_all', 'gather', 'scatter'].includes(collective)) return [(n - 1) / n, '× (n−1)/n'];
  return [1, '× 1'];
}

// Returns the mean share of the time in which links are occupied, and whether a link is occupied for more than all
// of it. In this case transfers do not queue, and the share is a load.
function linkLoad(model: Model): {share: number; offered: boolean} {
  const loads = new Map<number, number>();
  let sum = 0, most = 0;
  for (let i = 0; i < model.transfers; ++i) {
    const link = model.src[i]! * model.devices + model.dst[i]!, load = (loads.get(link) ?? 0) + model.busy[i]!;
    loads.set(link, load);
    sum += model.busy[i]!;
    most = Math.max(most, load);
  }
  return {share: model.total > 0 && model.links.length > 0 ? sum / model.total / model.links.length : 0, offered: most > model.total * (1 + 1e-6)};
}

function numbers(model: Model, program: Program | undefined): HTMLElement {
  const reductions = model.op.reduce((a, b) => a + b, 0), load = linkLoad(model);
  const kpi = (id: string, value: number, what: string, text: string, small: string): HTMLElement =>
    h('div', {class: 'kpi', 'data-kpi': id, 'data-value': value}, h('span', {}, what), h('b', {}, text), h('small', {title: small}, small));
  const finishes = kpi('total', model.total, 'Finishes', model.steps ? counted(model.total, 'step') : time(model.total), counted(model.transfers, 'transfer'));
  const adds = kpi('reductions', reductions, 'Reductions', count(reductions), 'the other transfers copy');
  if (model.steps) {
    const list = [finishes, adds, kpi('links', model.links.length, 'Links', count(model.links.length), program ? 'in use' : 'of the network')];
    if (program) {
      list.push(kpi('threadblocks', program.npu.length, 'Threadblocks', count(program.npu.length), 'of all NPUs'),
                kpi('program', program.type.length, 'Instructions', count(program.type.length), 'steps of threadblocks'),
                kpi('chain', program.columns, 'Longest chain', count(program.columns), 'of instructions'));
    }
    return h('div', {class: 'kpis'}, list);
  }
  const list = [finishes,
    kpi('starts', model.starts.length, 'Steps', count(model.starts.length), model.starts.length <= mostSteps ? 'distinct start times' : 'start times, most close together'),
    kpi('busy', load.share, load.offered ? 'Offered load' : 'Links busy', percent(load.share),
        `mean of ${counted(model.links.length, 'link')}${load.offered ? '; transfers overlap' : ''}`), adds];
  // Size as defined by nccl-tests: for an all-to-all, the bytes that one NPU sends.
  const all = size(model), n = model.devices - model.head.relays.length;
  if (all > 0 && model.total > 0 && model.head.collective !== 'custom' && model.head.left_out === 0) {
    const bytesMoved = model.head.collective === 'all_to_all' ? all / Math.max(1, n - 1) : all;
    const algorithm = bytesMoved / model.total * 1e3, [factor, text] = busFactor(model.head.collective, n);
    list.push(kpi('algbw', algorithm, 'Algorithm bandwidth', `${rate(algorithm)} GB/s`, 'size / time'),
              kpi('busbw', algorithm * factor, 'Bus bandwidth', `${rate(algorithm * factor)} GB/s`, text));
  }
  return h('div', {class: 'kpis'}, list);
}

await start<Head>(data => {
  const model = new Model(data);
  const large = model.transfers > manyTransfers;
  const store = new Store<State>({t: 0, chunk: -1, npu: -1, playing: false});
  const context: Context = {model, store, large};
  header(data.head.title, subtitle(model));
  const program = data.has('step_type') ? new Program(model) : undefined;
  const marks = marksOf(model, (npu, tb, step) => program?.stepOf(npu, tb, step) ?? -1);
  const main = h('main', {}, lead(model), numbers(model, program), transportBar(context), networkPanel(context), matrixPanel(context),
    timePanel(context, marks), journeyPanel(context),
    program && program.type.length > 0 ? threadblockPanel(context, program, marks) : null,
    h('footer', {class: 'screen-only'}, 'Keys: space plays, ← → step, [ ] follow a chunk, Esc all chunks, t light or dark, ? all keys.'));
  document.body.append(main);
  store.set({t: model.total, chunk: large ? model.lastChunk() : -1});
});
