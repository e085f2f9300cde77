// SPDX-License-Identifier: MIT
// Legend of colours and lines; a colour is a button that searches for the nodes of its class.
import {h} from '../lib/dom';
import {count, counted} from '../lib/format';
import {onTheme} from '../lib/theme';
import {classColors} from './classes';
import type {Classes} from './classes';
import {EdgeKind} from './model';
import type {Model} from './model';
import {className} from './search';

export function legendOf(model: Model, classes: Classes, ask: (query: string) => void, rest: (Node | string)[]): HTMLElement {
  const all = classes.names.map((name, c) => ({name, c, nodes: classes.counts[c] ?? 0}));
  const used = all.filter(({nodes}) => nodes > 0).sort((a, b) => b.nodes - a.nodes);
  const swatches = used.map(() => h('i'));
  const paint = (): void => {
    const colors = classColors();
    swatches.forEach((swatch, k) => { swatch.style.backgroundColor = colors[used[k]!.c]!; });
  };
  paint();
  onTheme(paint);
  const kinds = new Set(model.parents.kind);
  const line = (kind: EdgeKind, css: string, text: string): Node | null =>
    kinds.has(kind) ? h('span', {}, h('i', {class: css}), text) : null;
  return h('div', {class: 'legend graph-legend'},
    used.map(({name, nodes}, k) => h('button', {
      class: 'link', 'data-class': className(name), title: `find ${counted(nodes, 'node')}`,
      onclick: () => ask(`class:${className(name)}`),
    }, swatches[k], name, h('span', {class: 'sub'}, ` ${count(nodes)}`))),
    line(EdgeKind.data, 'line edge', 'data'), line(EdgeKind.control, 'line edge control', 'control'),
    line(EdgeKind.message, 'line edge messages', 'message'), rest);
}
