// SPDX-License-Identifier: MIT
// Rates of collectives and links.
import type {Call, Link, Run} from './run';

// Returns GB/s of the size in the time of a call; 0 if one of them is not known.
export const algbw = (call: Call): number =>
  call.size > 0 && call.end > call.begin ? call.size / (call.end - call.begin) * 1000 : 0;
// Returns the same as a rate of the links: busbw as nccl-tests define it.
export const busbw = (call: Call): number => algbw(call) * call.factor;
// Returns how long the first waits for the last.
export const waitsForLast = (call: Call): number => Math.max(0, call.lastBegin - call.begin);
// Returns the bound's share of the time since the last has come; -1: not known.
export const ofBound = (call: Call): number =>
  call.bound >= 0 && call.end > call.lastBegin ? call.bound / (call.end - call.lastBegin) : -1;

export const busiest = (run: Run): Link | undefined =>
  run.links.reduce<Link | undefined>((most, l) => l.busy > (most?.busy ?? 0) ? l : most, undefined);

const short = (end: string): string => end.replace(/^npu/, '');
export const linkName = (link: Link): string => `${short(link.from)} → ${short(link.to)}`;

// Returns the number of an NPU by a link's end, "npu3", or -1.
export function npuOfEnd(end: string): number {
  const match = /^npu(\d+)$/.exec(end);
  return match ? Number(match[1]) : -1;
}
