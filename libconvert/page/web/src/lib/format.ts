// SPDX-License-Identifier: MIT
// Text of numbers for readers: times are picoseconds, sizes bytes; independent of the locale.
import {largest} from './extremes';

const minus = '\u2212';
const units: [string, number][] = [['ns', 1e3], ['µs', 1e6], ['ms', 1e9], ['s', 1e12]];

function plain(value: number, digits: number): string {
  const text = value.toPrecision(digits);
  return text.includes('e') ? String(Number(text)) : text;
}

function signed(value: number, text: string): string {
  return value < 0 ? minus + text : text;
}

// Returns a time with `digits` significant digits in the largest unit below it: "22.74 ms".
export function time(ps: number, digits = 4): string {
  if (ps === 0) return '0';
  const size = Math.abs(ps);
  // A picosecond is the smallest unit.
  if (size < 1000) return `${signed(ps, String(Number((size / 1e3).toFixed(3))))} ns`;
  for (const [unit, scale] of units) {
    const rounded = Number((size / scale).toPrecision(digits));
    if (rounded < 1000 || unit === 's') return `${signed(ps, plain(size / scale, digits))} ${unit}`;
  }
  return '';
}

// Returns a time with six digits, for tooltips.
export const exactTime = (ps: number): string => time(ps, 6);

// Returns labels for times on an axis: all in the unit of the largest, with enough decimals to distinguish them.
export function timeLabels(times: readonly number[]): string[] {
  const most = largest(times.map(Math.abs), 1);
  const [unit, scale] = units.filter(([, s]) => most >= s).pop() ?? units[0]!;
  const step = times.length > 1 ? Math.abs(times[1]! - times[0]!) / scale : 1;
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return times.map(t => t === 0 ? '0' : `${signed(t, (Math.abs(t) / scale).toFixed(decimals))} ${unit}`);
}

// Returns a size: "64 MiB", "1.5 GiB".
export function bytes(count: number): string {
  const size = Math.abs(count);
  if (size < 1024) return `${signed(count, String(size))} B`;
  let scale = 1024, i = 0;
  const names = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  while (i + 1 < names.length && size >= scale * 1024) { scale *= 1024; ++i; }
  return `${signed(count, String(Number((size / scale).toPrecision(4))))} ${names[i]}`;
}

// Returns a share: "20.8 %".
export const percent = (share: number, digits = 1): string => {
  const text = (100 * Math.abs(share)).toFixed(digits);
  return `${share < 0 && Number(text) !== 0 ? minus : ''}${text} %`;
};

// Returns a rate in GB/s, without the unit.
export function rate(gbPerS: number): string {
  const size = Math.abs(gbPerS);
  return size >= 100 ? gbPerS.toFixed(0) : size >= 10 ? gbPerS.toFixed(1) : size >= 1 ? gbPerS.toFixed(2)
    : String(Number(gbPerS.toPrecision(3)));
}

// Returns an integer in groups of three digits: "124,030".
export const count = (n: number): string => signed(n, String(Math.abs(n)).replace(/\B(?=(\d{3})+$)/g, ','));

// Returns "1 step" or "12 steps".
export const counted = (n: number, noun: string, nouns = noun + 's'): string => `${count(n)} ${n === 1 ? noun : nouns}`;
