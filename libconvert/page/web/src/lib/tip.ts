// SPDX-License-Identifier: MIT
// One tooltip for the whole page.
import {h} from './dom';
import type {Children} from './dom';

let box: HTMLElement | undefined;

// Shows `content` beside the pointer, or beside an element.
export function showTip(at: MouseEvent | Element, ...content: Children[]): void {
  box ??= document.body.appendChild(h('div', {id: 'tip', role: 'status'}));
  box.replaceChildren(h('div', {}, content));
  box.hidden = false;
  const rect = at instanceof Element ? at.getBoundingClientRect() : undefined;
  const x = rect ? rect.left + rect.width / 2 : (at as MouseEvent).clientX;
  const y = rect ? rect.bottom : (at as MouseEvent).clientY;
  const above = y + 18 + box.offsetHeight > innerHeight;
  box.style.left = Math.max(4, Math.min(innerWidth - box.offsetWidth - 8, x + 14)) + 'px';
  box.style.top = Math.max(4, above ? y - box.offsetHeight - 10 : y + 16) + 'px';
}

export function hideTip(): void {
  if (box) box.hidden = true;
}

// Returns the lines of a tooltip: a title, then names and values. Lines without a value are omitted.
export function facts(title: string, lines: ([string, string | null | undefined] | null | false)[]): Node[] {
  const out: Node[] = [h('b', {}, title)];
  for (const line of lines) {
    if (line && line[1]) out.push(h('div', {}, h('span', {class: 'k'}, line[0] + ' '), line[1]));
  }
  return out;
}

// Shows a tooltip while the pointer is over an element or the element has the focus.
export function tipOn(element: Element, content: () => Children): void {
  element.addEventListener('mousemove', e => showTip(e as MouseEvent, content()));
  element.addEventListener('mouseleave', hideTip);
  element.addEventListener('focus', () => showTip(element, content()));
  element.addEventListener('blur', hideTip);
}

addEventListener('scroll', hideTip, {passive: true});
