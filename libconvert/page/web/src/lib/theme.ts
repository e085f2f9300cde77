// SPDX-License-Identifier: MIT
// Light and dark theme, which follows the system until the user chooses; and switching of the page for print.
import {h} from './dom';

type Listener = () => void;
const listeners = new Set<Listener>();
const cache = new Map<string, string>();
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
const printers: {before: Listener; after: Listener}[] = [];

// Calls `listener` whenever colours change.
export function onTheme(listener: Listener): void { listeners.add(listener); }

// Calls `before` before the page is printed, in light colours, and `after` after it.
export function onPrint(before: Listener, after: Listener): void { printers.push({before, after}); }

// Returns the value of a colour of style.css: color('compute').
export function color(name: string): string {
  let value = cache.get(name);
  if (value === undefined) cache.set(name, value = getComputedStyle(root).getPropertyValue('--' + name).trim());
  return value;
}

export const isDark = (): boolean => root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;

function changed(): void {
  cache.clear();
  for (const listener of listeners) listener();
}

function setTheme(theme: string | undefined): void {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  changed();
}

export function switchTheme(): void { setTheme(isDark() ? 'light' : 'dark'); }

export function themeButton(): HTMLButtonElement {
  return h('button', {title: 'light or dark (t)', 'aria-label': 'switch between light and dark', onclick: switchTheme}, '◐');
}

system.addEventListener('change', changed);
let screenTheme: string | undefined;
addEventListener('beforeprint', () => {
  screenTheme = root.dataset.theme;
  setTheme('light');
  for (const printer of printers) printer.before();
});
addEventListener('afterprint', () => {
  for (const printer of printers) printer.after();
  setTheme(screenTheme);
});
