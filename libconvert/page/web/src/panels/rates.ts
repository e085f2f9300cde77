// SPDX-License-Identifier: MIT
// Links by name and load.
import type {Link, Run} from './run';

export const busiest = (run: Run): Link | undefined =>
  run.links.reduce<Link | undefined>((most, l) => l.busy > (most?.busy ?? 0) ? l : most, undefined);

const short = (end: string): string => end.replace(/^npu/, '');
export const linkName = (link: Link): string => `${short(link.from)} → ${short(link.to)}`;

// Returns the number of an NPU from a link's end, "npu3"; -1 for other devices.
export function npuOfEnd(end: string): number {
  const match = /^npu(\d+)$/.exec(end);
  return match ? Number(match[1]) : -1;
}
