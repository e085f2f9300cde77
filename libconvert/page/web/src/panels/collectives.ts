// SPDX-License-Identifier: MIT
// Collectives: a row for each; of many, a row for each operation, size and group, and a click shows its calls.
import {bytes, counted, h, panel, percent, rate, Table, timeText, tipOn} from '../lib';
import {algbw, busbw, ofBound, waitsForLast} from './rates';
import {goTo, opName, show} from './run';
import type {Call, Panel, Run, View} from './run';

const mostSingle = 30;
export const hints = {
  wait: 'from the first NPU’s call to the last one’s: how long the first waits',
  algbw: 'size / time, GB/s', busbw: 'algbw × factor of the operation, as nccl-tests: comparable with a link, GB/s',
  bound: 'least time that the network allows / time since the last NPU has come: how good the algorithm is on this network',
};

function share(value: number): Node | string {
  if (value < 0) return '–';
  return h('span', {}, h('span', {class: 'bar', style: `width:${Math.min(1, value) * 44}px;margin-right:6px`}), percent(value));
}

export const mean = (values: number[]): number => values.length ? values.reduce((a, b) => a + b, 0) / values.length : -1;
const duration = (c: Call): number => c.end < 0 ? -1 : c.end - c.begin;
export const timeOrNone = (ps: number): Node | string => ps < 0 ? '–' : timeText(ps);
export const rateOrNone = (gb: number): string => gb > 0 ? rate(gb) : '–';
export const groupName = (group: number): string => group === 0 ? 'all' : String(group);

function callTable(run: Run, view: View, calls: Call[]): HTMLElement {
  const groups = new Set(calls.map(c => c.group)).size > 1 || calls[0]?.group !== 0;
  const number = new Set(run.calls.map(c => `${c.group} ${c.number}`)).size > 1;
  return new Table<Call>({
    rows: calls, sort: groups ? 5 : 4, most: 500,
    click: c => { show(run, view, c.begin, c.end < 0 ? run.end : c.end); goTo('timeline'); },
    rowData: c => ({beginPs: c.begin, endPs: c.end, group: c.group, number: c.number, algbw: algbw(c), busbw: busbw(c), boundPs: c.bound}),
    columns: [
      {title: 'collective', left: true, value: c => c.op + String(c.number).padStart(9), cell: c => {
        const name = h('span', {}, opName(c.op) + (number ? ` #${c.number}` : ''));
        if (c.algorithm) tipOn(name, () => c.algorithm);
        return name;
      }},
      ...(groups ? [{title: 'group', value: (c: Call) => c.group, cell: (c: Call) => groupName(c.group)}] : []),
      {title: 'size', value: c => c.size, cell: c => c.size < 0 ? '–' : bytes(c.size)},
      {title: 'begin', value: c => c.begin, cell: c => timeText(c.begin)},
      {title: 'waits for last', hint: hints.wait, value: waitsForLast, cell: c => {
        const wait = waitsForLast(c);
        return h('span', {class: wait > 0.3 * duration(c) ? 'warn' : null}, wait ? timeText(wait, 3) : '–');
      }},
      {title: 'time', value: duration, cell: c => c.end < 0 ? 'not ended' : timeText(duration(c))},
      {title: 'algbw', hint: hints.algbw, value: algbw, cell: c => rateOrNone(algbw(c))},
      {title: 'busbw', hint: hints.busbw, value: busbw, cell: c => rateOrNone(busbw(c))},
      ...(calls.some(c => ofBound(c) >= 0)
        ? [{title: 'of bound', hint: hints.bound, left: true, value: ofBound, cell: (c: Call) => share(ofBound(c))}] : []),
    ]}).element;
}

export interface Group { key: string; op: string; size: number; group: number; calls: Call[]; times: number[] }

// Returns the calls by operation, size and group.
export function grouped(run: Run): Group[] {
  const found = new Map<string, Group>();
  for (const call of run.calls) {
    const key = `${call.op} ${call.size} ${call.group}`;
    let group = found.get(key);
    if (!group) found.set(key, group = {key, op: call.op, size: call.size, group: call.group, calls: [], times: []});
    group.calls.push(call);
    if (call.end >= 0) group.times.push(duration(call));
  }
  return [...found.values()];
}

function groupTable(groups: Group[], open: (group: Group) => void): HTMLElement {
  const known = (g: Group, f: (c: Call) => number): number => mean(g.calls.map(f).filter(v => v >= 0));
  const sum = (g: Group): number => g.times.reduce((a, b) => a + b, 0);
  const least = (g: Group): number => g.times.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (g: Group): number => g.times.reduce((a, b) => Math.max(a, b), -1);
  return new Table<Group>({
    rows: groups, sort: 4, most: 200, click: open, rowData: g => ({calls: g.calls.length, meanPs: mean(g.times), sumPs: sum(g)}),
    columns: [
      {title: 'collective', left: true, value: g => g.op, cell: g => opName(g.op)},
      {title: 'group', value: g => g.group, cell: g => groupName(g.group)},
      {title: 'size', value: g => g.size, cell: g => g.size < 0 ? '–' : bytes(g.size)},
      {title: 'calls', value: g => g.calls.length, cell: g => String(g.calls.length)},
      {title: 'time: sum', hint: 'of its calls; they may overlap', value: sum, cell: g => timeOrNone(g.times.length ? sum(g) : -1)},
      {title: 'waits for last', hint: hints.wait + ', mean', value: g => known(g, waitsForLast), cell: g => timeOrNone(known(g, waitsForLast))},
      {title: 'min', value: least, cell: g => timeOrNone(g.times.length ? least(g) : -1)},
      {title: 'mean', value: g => mean(g.times), cell: g => timeOrNone(mean(g.times))},
      {title: 'max', value: most, cell: g => timeOrNone(most(g))},
      {title: 'busbw', hint: hints.busbw + ', mean', value: g => known(g, busbw), cell: g => rateOrNone(known(g, busbw))},
      {title: 'of bound', hint: hints.bound + ', mean', left: true, value: g => known(g, ofBound), cell: g => share(known(g, ofBound))},
    ]}).element;
}

export const collectives: Panel = (run, view) => {
  if (run.calls.length === 0) return null;
  const box = h('div', {class: 'scroll'});
  const groups = run.calls.length > mostSingle ? grouped(run) : [];
  const back = h('button', {hidden: true, onclick: () => showGroups()}, '‹ all');
  const note = h('span');
  const showCalls = (calls: Call[], what: string): void => {
    box.replaceChildren(callTable(run, view, calls));
    note.textContent = `${what} · bandwidths in GB/s`;
  };
  const showGroups = (): void => {
    back.hidden = true;
    box.replaceChildren(groupTable(groups, g => {
      back.hidden = false;
      showCalls(g.calls, `${counted(g.calls.length, 'call')} of ${opName(g.op)} ${g.size < 0 ? '' : bytes(g.size)}, group ${groupName(g.group)}`);
    }));
    note.textContent = `${counted(run.calls.length, 'call')} by operation, group and size · bandwidths in GB/s`;
  };
  if (groups.length > 0) showGroups();
  else showCalls(run.calls, counted(run.calls.length, 'call'));
  return panel({id: 'collectives', title: 'Collectives', note, hint: groups.length ? 'click: its calls' : 'click: show in the timeline', width: 12, right: back}, box,
    run.calls.some(c => ofBound(c) >= 0) ? h('p', {class: 'small'},
      'of bound: 100 % is the least time that the network allows, counted from when the last NPU has come') : null);
};
