// SPDX-License-Identifier: MIT
// Rows of the view in time: NPUs, or groups of neighbouring NPUs if there are very many.
import type {Model} from './model';

export const mostRows = 128;

export class Rows {
  readonly per: number;     // NPUs in a row
  readonly count: number;
  // A row contains the lowest dimensions of a grid, as few as necessary; without a grid, as many NPUs as necessary.
  // NPUs from `firstSwitch` on are switches.
  constructor(readonly npus: number, grid?: number[], private readonly firstSwitch = npus) {
    this.per = Math.ceil(npus / mostRows);
    if (grid && this.per > 1) {
      const strides = grid.map((_, k) => grid.slice(0, k + 1).reduce((a, b) => a * b, 1));
      this.per = strides.find(s => s >= this.per && s < npus) ?? this.per;
    }
    this.count = Math.max(1, Math.ceil(npus / this.per));
  }
  of(npu: number): number { return Math.floor(npu / this.per); }
  label(row: number): string {
    if (this.per === 1 && row >= this.firstSwitch) return `switch ${row - this.firstSwitch}`;
    if (this.per === 1) return this.npus <= 16 ? `NPU ${row}` : String(row);
    return `${row * this.per}–${Math.min(this.npus, (row + 1) * this.per) - 1}`;
  }
}

export interface Band { from: number; to: number; bin: number; transfers: number }
// Returns the number of time bins, at most one for each step.
export const bandBins = (model: Model): number => model.steps ? Math.max(1, Math.min(96, model.total)) : 96;

// Returns the number of transfers between rows in each time bin, by their begins.
export function bands(model: Model, rows: Rows): {list: Band[]; most: number} {
  const found = new Map<number, Band>();
  const bins = bandBins(model);
  let most = 1;
  for (let i = 0; i < model.transfers; ++i) {
    const from = rows.of(model.src[i]!), to = rows.of(model.dst[i]!);
    const bin = Math.min(bins - 1, Math.floor(model.begin[i]! / (model.total || 1) * bins));
    const key = (from * rows.count + to) * bins + bin;
    let band = found.get(key);
    if (!band) found.set(key, band = {from, to, bin, transfers: 0});
    most = Math.max(most, ++band.transfers);
  }
  return {list: [...found.values()], most};
}

export const busyBins = 240;

// Returns the share of links that carry data, in equal intervals of time.
export function busyLinks(model: Model): Float64Array {
  const out = new Float64Array(busyBins);
  const scale = busyBins / (model.total || 1), links = Math.max(1, model.links.length);
  for (let i = 0; i < model.transfers; ++i) {
    const a = model.begin[i]! * scale, b = Math.min(busyBins, (model.begin[i]! + model.busy[i]!) * scale);
    for (let k = Math.floor(a); k < b - 1e-9; ++k) out[k]! += (Math.min(b, k + 1) - Math.max(a, k)) / links;
  }
  return out;
}
