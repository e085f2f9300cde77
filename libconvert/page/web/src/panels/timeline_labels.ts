// SPDX-License-Identifier: MIT
// Short names for slices: without their common suffix, with known words abbreviated, and cut.

const short: [RegExp, string][] = [
  [/\bforward\b/gi, 'fwd'], [/\bbackward\b/gi, 'bwd'], [/\blayer (?=\d)/gi, ''], [/\biteration (?=\d)/gi, 'it '],
  [/\ball[_-]reduce\b/gi, 'AR'], [/\ball[_-]gather\b/gi, 'AG'], [/\breduce[_-]scatter\b/gi, 'RS'],
  [/\ball[_-]to[_-]all\b/gi, 'A2A'], [/^(?:aten|c10d|nccl)::/, ''],
];

// Returns the common suffix of all names that contain a space, beginning with a space.
function commonEnd(names: string[]): string {
  const long = names.filter(n => n.includes(' '));
  if (long.length < 2) return '';
  let end = long[0]!;
  for (const name of long) while (!name.endsWith(end)) end = end.slice(1);
  const space = end.startsWith(' ') ? 0 : end.indexOf(' ');
  return space < 0 ? '' : end.slice(space);
}

// Returns a function that shortens a name to `room` characters; it returns '' if nothing fits.
export function labels(names: string[]): (name: number, room: number) => string {
  const end = commonEnd(names);
  const whole = names.map(n => end && n.endsWith(end) ? n.slice(0, n.length - end.length) : n);
  const abbreviated = new Map<number, string>();
  return (name, room) => {
    const full = whole[name] ?? '';
    if (full.length <= room) return full;
    let text = abbreviated.get(name);
    if (text === undefined) abbreviated.set(name, text = short.reduce((t, [from, to]) => t.replace(from, to), full));
    return text.length <= room ? text : room >= 5 ? text.slice(0, room - 1) + '…' : '';
  };
}
