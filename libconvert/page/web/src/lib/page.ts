// SPDX-License-Identifier: MIT
// The frame of a page: start, header, panels, and a state that panels share.
import {h, visible} from './dom';
import type {Children} from './dom';
import {drawAll} from './canvas';
import {loadData} from './data';
import type {PageData} from './data';
import {onPrint, themeButton} from './theme';
import {showHelp} from './keys';

function fail(text: string): void {
  document.body.append(h('p', {class: 'message', role: 'alert'}, text));
  document.documentElement.dataset.painted = 'failed';
}

// Decodes the data, calls `build` to make the page, draws it, and marks the document as painted.
export async function start<H>(build: (data: PageData<H>) => void): Promise<void> {
  if (!('DecompressionStream' in globalThis)) {
    fail('This page requires a newer browser: Chrome 80, Firefox 113, Safari 16.4, or later.');
    return;
  }
  let data: PageData<H>;
  try {
    data = await loadData<H>();
  } catch {
    fail('The data of this page is damaged: the file is incomplete.');
    return;
  }
  try {
    build(data);
  } catch (error) {
    fail('This page cannot show its data, because of an error in the program that wrote it.');
    throw error;
  }
  drawAll();
  requestAnimationFrame(() => { document.documentElement.dataset.painted = String(Math.round(performance.now())); });
}

// Adds the header: the title, a line about the input, and buttons, in addition to the buttons for theme, keys and
// printing.
export function header(title: string, sub: string, ...right: Children[]): HTMLElement {
  const shown = visible(title);
  document.title = `${shown} – etkit`;
  const element = h('header', {class: 'top'}, h('h1', {}, shown), h('span', {class: 'sub'}, sub),
    h('div', {class: 'right'}, right, themeButton(),
      h('button', {title: 'keys (?)', 'aria-label': 'keys', onclick: showHelp}, '?'),
      h('button', {title: 'print, or save as PDF', onclick: () => print()}, 'Print')));
  document.body.append(element);
  return element;
}

interface PanelOptions {
  id: string;
  title: string;
  note?: Children;
  hint?: string;       // usage hint; not on paper
  width?: number;      // of 12 columns; default: 12
  right?: Children;    // controls in the heading
}

// Returns a panel; append it to the page's <main>.
export function panel(options: PanelOptions, ...children: Children[]): HTMLElement {
  return h('section', {id: options.id, class: `w${options.width ?? 12}`, 'aria-label': options.title},
    h('div', {class: 'head'}, h('h2', {}, options.title),
      options.note ? h('span', {class: 'note'}, options.note) : null,
      options.hint ? h('span', {class: 'note hint screen-only'}, options.hint) : null,
      options.right ? h('span', {class: 'right'}, options.right) : null),
    children);
}

// Widens the last panel of each row to fill the row.
export function fillRows(main: HTMLElement): void {
  const width = (e: Element): number => Number(/\bw(\d+)\b/.exec(e.className)?.[1] ?? 12);
  let used = 0, last: Element | undefined;
  const widen = (): void => {
    if (last && used < 12) last.className = last.className.replace(/\bw\d+\b/, `w${width(last) + 12 - used}`);
  };
  for (const element of main.children) {
    if (used + width(element) > 12) { widen(); used = 0; }
    used += width(element);
    last = element;
    if (used === 12) { used = 0; last = undefined; }
  }
  widen();
}

// Returns a part that is created when it is first opened.
export function unfold(title: string, make: () => HTMLElement): HTMLElement {
  const element: HTMLDetailsElement = h('details', {class: 'screen-only', ontoggle: () => {
    if (element.open && element.children.length === 1) element.append(make());
  }}, h('summary', {}, title));
  return element;
}

// Opens a part while the page is printed.
export function openOnPaper(part: HTMLDetailsElement): HTMLDetailsElement {
  let open = false;
  onPrint(() => { open = part.open; part.open = true; }, () => { part.open = open; });
  return part;
}

// Returns a legend: pairs of a colour of style.css and a text; `pale` colours are drawn at 32 %.
export function legend(items: {color: string; text: string; pale?: boolean; line?: boolean; dashed?: boolean}[]): HTMLElement {
  return h('div', {class: 'legend'}, items.map(item => h('span', {},
    h('i', {class: `${item.line ? 'line' : ''} ${item.pale ? 'pale' : ''} ${item.dashed ? 'hatched' : ''}`.trim(),
            style: `background-color:var(--${item.color})`}), item.text)));
}

// State that panels share; listeners are called after each change.
export class Store<T extends object> {
  private readonly listeners = new Set<(value: T, changed: Partial<T>) => void>();
  constructor(readonly value: T) {}
  set(change: Partial<T>): void {
    Object.assign(this.value, change);
    for (const listener of this.listeners) listener(this.value, change);
  }
  on(listener: (value: T, changed: Partial<T>) => void): void { this.listeners.add(listener); }
}
