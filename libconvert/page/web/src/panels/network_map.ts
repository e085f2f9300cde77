// SPDX-License-Identifier: MIT
// Positions of the ends of links on a map: a grid for products of two dimensions, grids side by side for three, a
// ring for one, tiers for trees of switches.
import {largest} from '../lib';
import {npuOfEnd} from './rates';
import type {Link, Run} from './run';

// `plane`: index of the grid if there are several.
export interface Place { name: string; x: number; y: number; npu: number; size: number; plane: number }
export interface NetworkMap { kind: 'grid' | 'grids' | 'circle' | 'tiers'; places: Map<string, Place>; height: number }

// Returns a text of at most `most` characters.
export const cut = (text: string, most: number): string => text.length > most ? text.slice(0, most - 1) + '…' : text;

const mostOnMap = 144;

function grid(names: string[], a: number, b: number, grids: number, width: number): NetworkMap {
  const places = new Map<string, Place>(), across = Math.ceil(Math.sqrt(grids));
  const room = width / across, margin = grids > 1 ? 34 : 42;
  const step = Math.min(70, Math.max(14, (room - 2 * margin) / Math.max(1, a - 1)));
  const gridHeight = step * (b - 1) + 2 * margin;
  names.forEach((name, i) => {
    const g = Math.floor(i / (a * b)), within = i % (a * b);
    const x0 = (g % across) * room + (room - step * (a - 1)) / 2, y0 = Math.floor(g / across) * gridHeight + margin;
    places.set(name, {name, npu: npuOfEnd(name), x: x0 + step * (within % a), y: y0 + step * Math.floor(within / a), size: step,
                      plane: g});
  });
  return {kind: grids > 1 ? 'grids' : 'grid', places, height: gridHeight * Math.ceil(grids / across)};
}

function circle(names: string[], width: number): NetworkMap {
  const places = new Map<string, Place>(), height = Math.min(width, 330), r = height / 2 - 24;
  names.forEach((name, i) => {
    const angle = 2 * Math.PI * i / names.length - Math.PI / 2;
    places.set(name, {name, npu: npuOfEnd(name), x: width / 2 + r * Math.cos(angle), y: height / 2 + r * Math.sin(angle),
                      size: 2 * Math.PI * r / names.length, plane: 0});
  });
  return {kind: 'circle', places, height};
}

// Returns the tier of each device. Switches of a dimension or level of the network are above the switches of the
// level below. Without dimensions, a device is one tier above the lowest of its neighbours.
function tierOf(npus: string[], devices: string[], links: Link[], beside: Map<string, Set<string>>): Map<string, number> {
  const tier = new Map(npus.map(n => [n, 0]));
  if (links.every(l => l.dim >= 0)) {
    for (const {from, to, dim} of links) {
      for (const end of [from, to]) if (npuOfEnd(end) < 0) tier.set(end, Math.min(tier.get(end) ?? Infinity, dim + 1));
    }
    return tier;
  }
  for (let queue = [...npus]; queue.length > 0;) {
    const next: string[] = [];
    for (const name of queue) {
      for (const other of beside.get(name) ?? []) {
        if (!tier.has(other)) { tier.set(other, tier.get(name)! + 1); next.push(other); }
      }
    }
    queue = next;
  }
  for (const device of devices) if (!tier.has(device)) tier.set(device, 1);
  return tier;
}

// NPUs are at the bottom; devices are centred above their lower neighbours.
function tiers(npus: string[], devices: string[], links: Link[], width: number): NetworkMap {
  const beside = new Map<string, Set<string>>();
  for (const {from, to} of links) {
    beside.set(from, (beside.get(from) ?? new Set()).add(to));
    beside.set(to, (beside.get(to) ?? new Set()).add(from));
  }
  const tier = tierOf(npus, devices, links, beside);
  const top = largest(devices.map(d => tier.get(d)!), 0);
  const height = Math.min(330, 60 + 84 * top), places = new Map<string, Place>();
  const y = (t: number): number => height - 26 - t * (height - 52) / Math.max(1, top);
  const put = (names: string[], t: number): void => names.forEach((name, i) => places.set(name, {
    name, npu: npuOfEnd(name), x: width * (i + 0.5) / names.length, y: y(t), size: width / names.length, plane: 0}));
  put(npus, 0);
  for (let t = 1; t <= top; ++t) {
    const middle = (name: string): number => {
      const xs = [...beside.get(name) ?? []].map(n => places.get(n)?.x).filter(x => x !== undefined) as number[];
      return xs.reduce((a, b) => a + b, 0) / Math.max(1, xs.length);
    };
    const level = devices.filter(d => tier.get(d)! === t).map(name => ({name, at: middle(name)}));
    put(level.sort((a, b) => a.at - b.at).map(l => l.name), t);
  }
  return {kind: 'tiers', places, height};
}

// Returns a map of the network, or null if it has too many ends for a readable map.
export function networkMap(run: Run, width: number): NetworkMap | null {
  const ends = [...new Set(run.links.flatMap(l => [l.from, l.to]))];
  if (ends.length > mostOnMap) return null;
  const npus = ends.filter(e => npuOfEnd(e) >= 0).sort((a, b) => npuOfEnd(a) - npuOfEnd(b));
  const devices = ends.filter(e => npuOfEnd(e) < 0);
  if (devices.length > 0) return npus.length <= 64 ? tiers(npus, devices, run.links, width) : null;
  const dims = run.head.dims.map(d => d.npus), product = dims.reduce((a, b) => a * b, 1);
  if (product === npus.length && dims.length === 2) return grid(npus, dims[0]!, dims[1]!, 1, width);
  if (product === npus.length && dims.length === 3) return grid(npus, dims[0]!, dims[1]!, dims[2]!, width);
  return npus.length <= 64 && run.links.length <= 600 ? circle(npus, width) : null;
}
