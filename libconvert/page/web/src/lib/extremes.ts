// SPDX-License-Identifier: MIT
// Extremes of lists of any length. Arguments of a call are on the stack, which holds about 125,000 values;
// tests/check_pages.py rejects calls with data as arguments.

// Return the largest and the smallest of the values and `start`.
export function largest(values: Iterable<number>, start = -Infinity): number {
  let most = start;
  for (const v of values) if (v > most) most = v;
  return most;
}
export function smallest(values: Iterable<number>, start = Infinity): number {
  let least = start;
  for (const v of values) if (v < least) least = v;
  return least;
}
