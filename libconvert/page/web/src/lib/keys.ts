// SPDX-License-Identifier: MIT
// Keys of the page and of its parts, and the help that lists them.
import {h} from './dom';
import {hideTip} from './tip';
import {switchTheme} from './theme';

type Handler = (event: KeyboardEvent) => void;
const pageKeys = new Map<string, Handler>();
const help = new Map<string, string>();
const typing = (e: Event): boolean => e.target instanceof Element && e.target.matches('input:not([type=range]), select, textarea');

// Adds a line to the help: addHelp('w s', 'zoom the timeline').
export function addHelp(keys: string, what: string): void { help.set(keys, what); }

// Handles keys independent of the focus, except in text fields.
export function onKeys(handlers: Record<string, Handler>): void {
  for (const [key, handler] of Object.entries(handlers)) pageKeys.set(key, handler);
}

// Handles keys while `element` has the focus.
export function onKeysOf(element: HTMLElement, handlers: Record<string, Handler>): void {
  element.addEventListener('keydown', event => {
    const handler = handlers[event.key];
    if (!handler || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    handler(event);
  });
}

export function showHelp(): void {
  const dialog: HTMLDialogElement = h('dialog', {class: 'help', 'aria-label': 'keys', onclose: () => dialog.remove()},
    h('h2', {}, 'Keys'),
    h('table', {}, h('tbody', {}, [...help].map(([keys, what]) =>
      h('tr', {}, h('td', {class: 'l'}, keys.split(' ').map(k => h('kbd', {}, k))), h('td', {class: 'l'}, what))))),
    h('form', {method: 'dialog'}, h('button', {}, 'Close')));
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener('keydown', event => {
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const handler = pageKeys.get(event.key);
  if (!handler) return;
  event.preventDefault();
  handler(event);
});
onKeys({'?': showHelp, t: switchTheme});
addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });
addHelp('t', 'light or dark');
addHelp('?', 'this help');
