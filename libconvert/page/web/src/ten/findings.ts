// SPDX-License-Identifier: MIT
// The verdict and the findings of et-validate: as a list, and by transfer and step.
import {h, visible} from '../lib';
import type {Finding, Model} from './model';

export interface Marks { transfers: Map<number, Finding[]>; steps: Map<number, Finding[]> }

const most = 30;

function add(map: Map<number, Finding[]>, key: number, finding: Finding): void {
  const list = map.get(key);
  if (!list) map.set(key, [finding]);
  else if (!list.includes(finding)) list.push(finding);
}

// Returns the transfers and steps that errors name as "transfer 7 (…" and "gpu 0 threadblock 3 step 1 (…".
export function marksOf(model: Model, stepOf: (npu: number, tb: number, step: number) => number): Marks {
  const marks: Marks = {transfers: new Map(), steps: new Map()};
  const places = new Map<string, number>();
  if (!model.head.played) for (let i = 0; i < model.transfers; ++i) places.set(placeOf(model, i), i);
  for (const finding of model.head.findings) {
    if (finding.severity !== 'error') continue;
    for (const text of [finding.text, ...finding.notes]) {
      for (const m of text.matchAll(/gpu (\d+) threadblock (\d+) step (\d+)/g)) {
        const step = stepOf(Number(m[1]), Number(m[2]), Number(m[3]));
        if (step >= 0) add(marks.steps, step, finding);
      }
      for (const m of text.matchAll(/transfer \d+ \(chunks? ([\d,…-]+), (\d+)->(\d+)\)/g)) {
        const id = text.slice(m.index).match(/transfer (\d+)/)![1]!;
        const at = places.get(id) ?? -1;
        if (at >= 0) add(marks.transfers, at, finding);
      }
    }
  }
  if (!model.head.played || !model.data.has('send_step')) return marks;
  const send = model.data.i32('send_step'), recv = model.data.i32('recv_step');
  for (let i = 0; i < model.transfers; ++i) {
    for (const step of [send[i]!, recv[i]!]) for (const f of marks.steps.get(step) ?? []) add(marks.transfers, i, f);
  }
  return marks;
}

const placeOf = (model: Model, transfer: number): string => String(model.data.i32('id')[transfer]!);

// Returns lines of a tooltip.
export const describe = (findings: Finding[] | undefined): [string, string][] =>
  (findings ?? []).slice(0, 3).map(f => [`${f.rule}:`, visible(f.text, 300)]);

function verdictText({verdict}: Model['head']): string {
  const what = verdict.collective === 'custom' ? 'custom collective' : verdict.collective.replace(/_/g, '-');
  if (verdict.outcome === 'proved') return `Proved: every NPU ends with the result of the ${what}.`;
  if (verdict.outcome === 'not proved') return `Not proved: ${verdict.text}.`;
  return `Refuted${verdict.rule ? ` [${verdict.rule}]` : ''}: ${verdict.place ? verdict.place + ': ' : ''}${verdict.text}`;
}

// Returns the head of the page: the verdict of et-validate, requirements of the schedule, and all findings.
export function lead(model: Model): HTMLElement {
  const {findings, verdict, needs_stored} = model.head;
  const list = findings.slice(0, most).map(f => h('li', {class: f.severity === 'error' ? 'bad' : null},
    visible(`${f.place ? f.place + ': ' : ''}${f.text}${f.rule ? ` [${f.rule}]` : ''}`, 600),
    f.notes.length > 0 ? h('ul', {}, f.notes.slice(0, 20).map(n => h('li', {}, visible(n, 300)))) : null));
  return h('div', {class: 'lead', id: 'findings', role: 'region', 'aria-label': 'findings', 'data-verdict': verdict.outcome,
                   'data-rule': verdict.rule ?? '', 'data-place': verdict.place ?? '', 'data-errors': findings.filter(f => f.severity === 'error').length},
    h('p', {class: verdict.outcome === 'refuted' ? 'bad' : null}, visible(verdictText(model.head), 600)),
    needs_stored ? h('p', {}, 'The schedule requires store-and-forward: a switch forwards a message after it has received all of it (--forwarding store).') : null,
    list.length > 0 ? h('ul', {}, list, findings.length > most ? h('li', {}, `${findings.length - most} more`) : null) : null);
}
