// SPDX-License-Identifier: MIT
// Positions of NPUs on the map: on a grid if all links are links of a grid or torus, else on a ring.

export interface Place { x: number; y: number }
export interface Layout { places: Place[]; gap: number; wraps: (a: number, b: number) => boolean }

// Returns the sizes of the two or three dimensions of a grid or torus that has these links; undefined if they do
// not form one.
export function gridOf(npus: number, links: readonly [number, number][]): number[] | undefined {
  if (links.length === 0 || npus < 4) return undefined;
  const divisors = (n: number): number[] => Array.from({length: n - 1}, (_, i) => i + 2).filter(d => n % d === 0);
  for (const a of divisors(npus)) {
    if (a < npus && fits([a, npus / a], links)) return [a, npus / a];
  }
  for (const a of divisors(npus)) {
    for (const b of divisors(npus / a)) if (a * b < npus && fits([a, b, npus / a / b], links)) return [a, b, npus / a / b];
  }
  return undefined;
}

function fits(sizes: number[], links: readonly [number, number][]): boolean {
  const used = new Set<number>();
  for (const [s, d] of links) {
    let stride = 1, differing = -1, distance = 0;
    for (let k = 0; k < sizes.length; ++k) {
      const from = Math.floor(s / stride) % sizes[k]!, to = Math.floor(d / stride) % sizes[k]!;
      if (from !== to) {
        if (differing >= 0) return false;
        differing = k;
        distance = Math.abs(from - to);
      }
      stride *= sizes[k]!;
    }
    if (differing < 0 || (distance !== 1 && distance !== sizes[differing]! - 1)) return false;
    used.add(differing);
  }
  return used.size === sizes.length;
}

export function layOut(npus: number, grid: number[] | undefined, width: number, height: number): Layout {
  const pad = npus > 256 ? 14 : 34;
  if (!grid) {
    const r = Math.min(width, height) / 2 - pad;
    const angle = (n: number): number => 2 * Math.PI * n / npus - Math.PI / 2;
    return {places: Array.from({length: npus}, (_, n) => ({x: width / 2 + r * Math.cos(angle(n)), y: height / 2 + r * Math.sin(angle(n))})),
            gap: 2 * Math.PI * r / Math.max(1, npus), wraps: () => false};
  }
  // The planes of a third dimension are side by side, in the number of rows that fills the panel best.
  const [a, b, c = 1] = grid as [number, number, number?];
  let best = {gap: 0, columns: 1};
  for (let columns = 1; columns <= c; ++columns) {
    const rows = Math.ceil(c / columns);
    const gap = Math.min((width - 2 * pad) / (columns * a + columns - 2), (height - 2 * pad) / (rows * b + rows - 2));
    if (gap > best.gap) best = {gap, columns};
  }
  const {gap, columns} = best;
  const rows = Math.ceil(c / columns);
  const left = (width - gap * (columns * a + columns - 2)) / 2, top = (height - gap * (rows * b + rows - 2)) / 2;
  const places = Array.from({length: npus}, (_, n) => {
    const x = n % a, y = Math.floor(n / a) % b, z = Math.floor(n / a / b);
    return {x: left + gap * (x + (z % columns) * (a + 1)), y: top + gap * (y + Math.floor(z / columns) * (b + 1))};
  });
  const wraps = (s: number, d: number): boolean =>
    Math.floor(s / a / b) === Math.floor(d / a / b) &&
    Math.hypot(places[s]!.x - places[d]!.x, places[s]!.y - places[d]!.y) > 1.5 * gap;
  return {places, gap, wraps};
}
