// SPDX-License-Identifier: MIT
// The panel beside the graph: details of a node, its dependencies and dependents, and a drawing of its
// neighbourhood.
import {h, visible} from '../lib/dom';
import {bytes, count, counted, exactTime} from '../lib/format';
import {boxLabel} from './draw';
import type {Layout} from './boxes';
import {drawNear, mostAround, near} from './around';
import type {Classes} from './classes';
import type {Ends, Model} from './model';

const mostListed = 100;
const neverFree = 'It never becomes free: it is on a cycle of dependencies and messages, or after one.';
const kindWords = ['data', 'control', 'message'];

// Returns the name of a set quoted for a shell.
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replace(/'/g, `'\\''`)}'`;

// Returns the command that draws the neighbourhood of a node.
export function aroundCommand(model: Model, i: number, hops: number): string {
  const where = model.manyRanks ? `${model.rankOf(i)}:${model.idOf(i)}` : model.idOf(i);
  return `et-graph --around ${where},${hops} ${shellWord(model.head.operand)} -o node${model.idOf(i)}.svg`;
}

// Copies a text that an element shows; the button shows the result.
async function copy(text: string, from: HTMLElement, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {  // a local page may have no access to the clipboard: select the text for Ctrl-C
    getSelection()?.selectAllChildren(from);
    button.textContent = 'Selected';
  }
}

export class Details {
  readonly element = h('aside', {class: 'details', 'aria-label': 'the selected node', hidden: true});
  private hops = 2;

  constructor(private readonly model: Model, private readonly classes: Classes, private readonly layer: Int32Array,
              private readonly circular: Uint8Array, private readonly layout: () => Layout,
              private readonly pick: (node: number) => void, private readonly close: () => void) {}

  hide(): void { this.element.hidden = true; }

  // Shows a node, and the other nodes of its box.
  show(i: number, others: ArrayLike<number> = []): void {
    const {model} = this;
    const what = [`NPU ${model.rankOf(i)}`, `node ${model.idOf(i)}`, model.opOf(i) || model.typeOf(i), model.laneOf(i),
                  `layer ${count(this.layer[i]!)}`];
    this.fill(visible(model.nameOf(i), 500) || '(no name)', what.join(' · '), [
      others.length > 1 ? this.list(`one of ${counted(others.length, 'node')} in this box`, others) : null,
      this.circular[i] ? h('p', {class: 'bad'}, neverFree) : null,
      this.facts(i),
      this.neighbours('waits for', model.parents, i, model.missingOf(i)),
      this.neighbours('is awaited by', model.children, i, []),
      h('p', {}, h('button', {class: 'around', onclick: () => this.showNear(i)}, 'Around it'), ' ',
        h('kbd', {}, 'Enter')),
      this.command(i),
      this.attributes(i),
    ]);
    this.element.dataset.node = model.idOf(i);
    this.element.dataset.rank = String(model.rankOf(i));
    this.element.classList.remove('wide-details');
  }

  // Shows the neighbourhood of a node.
  showNear(i: number): void {
    const {model} = this, nearby = near(model, i, this.hops);
    const many = new Set(nearby.nodes.map(k => model.rank[k])).size > 1;
    const label = (k: number): string =>
      `${many ? `${model.rankOf(k)}: ` : ''}${boxLabel(model, single(this.layout(), k), 0, 60)}`;
    const picture = drawNear(model, this.classes, this.layer, nearby, i, label, this.pick);
    const note = nearby.complete ? '' : `; the next hop exceeds the limit of ${mostAround} nodes`;
    const range = h('select', {'aria-label': 'hops', onchange: () => {
      this.hops = Number(range.value);
      this.showNear(i);
    }}, [1, 2, 3, 4, 6, 8, 12].map(k => h('option', {value: k}, k === 1 ? '1 hop' : `${k} hops`)));
    range.value = String(this.hops);
    this.fill(`Around ${visible(model.nameOf(i), 60)}`,
              `${counted(nearby.nodes.length, 'node')} within ${counted(nearby.hops, 'hop')}${note}`, [
                h('p', {}, range, ' ', h('button', {onclick: () => this.show(i)}, 'Details')),
                h('div', {class: 'wide nearby'}, picture), this.command(i)]);
    this.element.dataset.near = String(nearby.nodes.length);
    this.element.classList.add('wide-details');
    Details.scrollTo(picture, i);
  }

  // Scrolls a node of the drawing to the centre.
  private static scrollTo(picture: SVGSVGElement, i: number): void {
    const box = picture.querySelector(`[data-node="${i}"]`)?.getBoundingClientRect(), frame = picture.parentElement!;
    if (!box) return;
    const inner = frame.getBoundingClientRect();
    frame.scrollLeft = box.left + box.width / 2 - inner.left - inner.width / 2;
    frame.scrollTop = box.top + box.height / 2 - inner.top - inner.height / 2;
  }

  private fill(title: string, sub: string, rest: (Node | null)[]): void {
    delete this.element.dataset.near;
    this.element.replaceChildren(
      h('button', {class: 'close', 'aria-label': 'close', title: 'close (Esc)', onclick: this.close}, '×'),
      h('h2', {}, title));
    for (const part of [h('div', {class: 'sub'}, sub), ...rest]) if (part) this.element.append(part);
    this.element.hidden = false;
    this.element.scrollTop = 0;
  }

  private facts(i: number): Node | null {
    const {model} = this, lines: [string, string][] = [];
    const size = model.bytes[i]!;
    if (size >= 0) lines.push(['size', size < 1024 ? bytes(size) : `${bytes(size)} (${count(size)} bytes)`]);
    if (model.peer[i]! >= 0) lines.push(['peer', `NPU ${model.peer[i]}`]);
    if (model.begin && model.begin[i]! >= 0) lines.push(['begins', exactTime(model.begin[i]! * 1000)]);
    if (model.duration && model.duration[i]! >= 0) lines.push(['takes', exactTime(model.duration[i]! * 1000)]);
    return lines.length ? facts(lines) : null;
  }

  private neighbours(title: string, ends: Ends, i: number, missing: string[]): Node {
    const from = ends.begin[i]!, all = ends.begin[i + 1]! - from + missing.length;
    const shown = [...ends.node.subarray(from, Math.min(ends.begin[i + 1]!, from + mostListed))];
    const more = all - missing.length - shown.length, {rank} = this.model;
    return h('div', {class: 'neighbours', 'data-count': all},
      h('h3', {}, all === 0 ? `${title} nothing` : `${title} ${count(all)}`),
      h('ul', {}, shown.map((other, k) => this.item(other, kindWords[ends.kind[from + k]!]!, rank[other] !== rank[i])),
        missing.map(id => h('li', {class: 'bad'}, id ? `${id}, which does not exist` : 'a node that does not exist')),
        more > 0 ? h('li', {class: 'sub'}, `${count(more)} more`) : null));
  }

  private list(title: string, nodes: ArrayLike<number>): Node {
    const shown = Array.prototype.slice.call(nodes, 0, mostListed) as number[];
    return h('details', {}, h('summary', {}, title), h('ul', {}, shown.map(i => this.item(i, '', false)),
      nodes.length > shown.length ? h('li', {class: 'sub'}, `${count(nodes.length - shown.length)} more`) : null));
  }

  private item(i: number, kind: string, withRank: boolean): Node {
    const {model} = this;
    const where = withRank ? `, NPU ${model.rankOf(i)}` : '';
    return h('li', {}, h('button', {class: 'link', 'data-node': model.idOf(i), onclick: () => this.pick(i)},
      `${model.idOf(i)} ${visible(model.nameOf(i), 80)}${where}`), kind ? h('span', {class: 'sub'}, ` ${kind}`) : null);
  }

  private command(i: number): Node {
    const code = h('code', {}, aroundCommand(this.model, i, this.hops));
    const button: HTMLElement = h('button', {
      class: 'copy', title: 'copy the command that draws the neighbourhood',
      onclick: () => { void copy(code.textContent!, code, button); },
    }, 'Copy');
    return h('div', {class: 'command'}, code, button);
  }

  private attributes(i: number): Node | null {
    const lines = this.model.attributesOf(i).map(({name, value, leftOut}): [string, string] => [
      visible(name, 60),
      leftOut === undefined ? visible(value ?? '', 400) : `omitted: more than ${bytes(leftOut)} of different texts`,
    ]);
    if (lines.length === 0) return null;
    return h('details', {open: true}, h('summary', {}, counted(lines.length, 'attribute')), facts(lines));
  }
}

const facts = (lines: [string, string][]): Node =>
  h('dl', {class: 'facts'}, lines.map(([key, value]) => [h('dt', {}, key), h('dd', {}, value)]));

// Returns a layout of one box for one node, for its label.
const single = (layout: Layout, i: number): Layout =>
  ({...layout, boxes: {...layout.boxes, from: Int32Array.of(0, 1), members: Int32Array.of(i)}});
