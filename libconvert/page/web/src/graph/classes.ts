// SPDX-License-Identifier: MIT
// Classes and colours of nodes: by type or, in traces with PyTorch operators, by family of operators.
import {color, isDark} from '../lib/theme';
import {NodeType} from './model';
import type {Model} from './model';

interface Class {
  name: string;
  color: string | [string, string];  // name in style.css, or light and dark
}

const classes: Class[] = [
  {name: 'compute', color: 'compute'}, {name: 'CPU', color: 'cpu'}, {name: 'memory', color: 'memory'},
  {name: 'send', color: 'send'}, {name: 'receive', color: 'recv'}, {name: 'collective', color: 'exposed'},
  {name: 'other', color: 'cpu'},
];
const familyBase = classes.length;

interface Family {
  name: string;
  colors: [string, string];  // light, dark
  words: string;             // whole words of a name; a word ends at any character that is not a letter
  parts: string;             // parts of a name
}

// A name belongs to the first family that matches. Patterns are parts of regular expressions; case is ignored.
const families: Family[] = [
  {name: 'communication call', colors: ['#d9622b', '#ec8350'], words: '',
   parts: 'nccl rccl c10d all_?reduce all_?gather reduce_?scatter'},
  {name: 'optimizer', colors: ['#8a6d1f', '#c9a94e'], words: '', parts: 'optimizer _foreach adam sgd'},
  {name: 'matrix product', colors: ['#2f6fd0', '#6aa5f5'],
   words: 'b?mm addmm baddbmm matmul linear einsum conv\\w* addmv mv',
   parts: 'gemm convolution cutlass mmbackward wgrad dgrad'},
  {name: 'attention, softmax', colors: ['#a23b8f', '#dd86cb'], words: '', parts: 'attention softmax flash'},
  {name: 'normalisation, loss', colors: ['#7a56b8', '#b294ea'], words: '',
   parts: 'norm dropout loss nll entropy bernoulli'},
  {name: 'reduction, index', colors: ['#b3455c', '#ec8a9d'],
   words: 'sum mean max min argmax argmin cumsum topk sort index\\w* gather scatter where masked_\\w+',
   parts: 'reduce embedding pool'},
  {name: 'copy, layout', colors: ['#75808f', '#8f9bb0'], words: 't to cat set',
   parts: 'copy memcpy memset clone contiguous view reshape transpose permute expand slice select split chunk stack ' +
     'squeeze empty zeros ones fill resize as_strided alias detach narrow unbind size item arange full lift ' +
     'accumulategrad tbackward'},
  {name: 'elementwise', colors: ['#1f9ac0', '#62c3e3'],
   words: 'add sub rsub mul div pow sqrt exp log tanh relu gelu sigmoid silu neg abs eq ne lt gt le ge and or not ' +
     'clamp threshold\\w* addc\\w+ lerp sin cos triu tril bitwise\\w* logical\\w* zero',
   parts: 'elementwise addbackward mulbackward divbackward subbackward powbackward tanhbackward relubackward'},
  {name: 'call', colors: ['#a5aebb', '#5f6b7f'], words: '', parts: '(?:)'},
];
const either = (list: string): string => list.split(' ').join('|');
const patterns = families.map(({words, parts}) =>
  new RegExp(`${either(parts)}${words ? `|(?:^|[^a-z])(?:${either(words)})_?(?:[^a-z]|$)` : ''}`, 'i'));

// By NodeType.
const typeClass = [6, 6, 2, 2, 0, 3, 4, 5];

export interface Classes {
  of: Uint8Array;      // by node
  names: string[];     // by class
  counts: number[];
}

const hasOperators = (model: Model): boolean => model.names.some(name => name.startsWith('aten::'));

export function classesOf(model: Model): Classes {
  const of = new Uint8Array(model.n), counts: number[] = [];
  const operators = hasOperators(model);
  const family = operators ? model.names.map(name => {
    const short = name.slice(0, 400);
    return familyBase + patterns.findIndex(pattern => pattern.test(short));
  }) : [];
  const cpuLane = model.head.lanes.map(([, label]) => label === 'CPU');
  for (let i = 0; i < model.n; ++i) {
    const type = model.type[i]!;
    let c = typeClass[type] ?? 6;
    if (type === NodeType.compute) c = operators ? family[model.name[i]!]! : cpuLane[model.lane[i]!] ? 1 : 0;
    of[i] = c;
    counts[c] = (counts[c] ?? 0) + 1;
  }
  return {of, counts, names: [...classes.map(c => c.name), ...families.map(f => f.name)]};
}

// Returns the colours of all classes in the current theme, "#rrggbb".
export const classColors = (): string[] => [
  ...classes.map(c => color(c.color as string)),
  ...families.map(f => f.colors[isDark() ? 1 : 0]),
];

// Returns the relative luminance of a colour "#rrggbb", between 0 and 1.
function luminance(css: string): number {
  const [r, g, b] = [1, 3, 5].map(i => {
    const c = parseInt(css.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

// Returns the colour of text on a box: dark or white, the one with more contrast.
export function inkOn(css: string): string {
  const bright = luminance(css) + 0.05;
  return bright / (luminance('#10161f') + 0.05) > 1.05 / bright ? '#10161f' : '#ffffff';
}
