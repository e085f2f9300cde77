// SPDX-License-Identifier: MIT
// Creation of elements. Texts from traces reach a page only through these functions and textContent, never as
// markup.

export type Child = Node | string | number | null | undefined | false;
export type Children = Child | Children[];
type Value = string | number | boolean | null | undefined | EventListener | Partial<CSSStyleDeclaration>;

function append(to: Element, children: Children[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(to, child);
    else if (child instanceof Node) to.append(child);
    else if (child !== null && child !== undefined && child !== false) to.append(String(child));
  }
}

function setAttributes(element: Element, attributes: Record<string, Value>): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.replace(/^on/, ''), value);
    else if (key === 'style' && typeof value === 'object') Object.assign((element as HTMLElement).style, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
}

// Returns an HTML element: h('button', {onclick: f, 'aria-pressed': 'true', style: {color: 'red'}}, 'text', child).
// Attributes and children that are null, undefined or false are omitted.
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Record<string, Value> = {}, ...children: Children[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

// Returns an SVG element, like h().
export function s<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Record<string, Value> = {}, ...children: Children[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

// Returns a displayable text of at most `most` characters. Control characters are replaced; marks that change the
// text direction are isolated from adjacent text.
export function visible(text: string, most = 200): string {
  // eslint-disable-next-line no-control-regex
  let clean = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}');
  if (clean.length > most) clean = clean.slice(0, most - 1) + '…';
  return /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u0590-\u08ff]/.test(clean) ? `\u2068${clean}\u2069` : clean;
}

// Calls `draw` in the frame after a size change of the element, so that drawing does not trigger the observer in a
// loop.
export function onResize(element: Element, draw: () => void): void {
  let waits = false;
  const next = (): void => {
    waits = false;
    draw();
  };
  new ResizeObserver(() => {
    if (!waits) requestAnimationFrame(next);
    waits = true;
  }).observe(element);
}
