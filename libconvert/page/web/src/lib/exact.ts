// SPDX-License-Identifier: MIT
// Times that are displayed short and copied exactly.
import {h} from './dom';
import {exactTime, time} from './format';

// Returns a time as text; its tooltip and its copied text have six digits.
export function timeText(ps: number, digits = 4): HTMLElement {
  const exact = exactTime(ps);
  return h('span', {title: exact, 'data-exact': exact}, time(ps, digits));
}

document.addEventListener('copy', event => {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !event.clipboardData) return;
  const part = selection.getRangeAt(0).cloneContents();
  const exact = part.querySelectorAll<HTMLElement>('[data-exact]');
  if (exact.length === 0) return;
  for (const span of exact) span.textContent = span.dataset.exact!;
  const rows = [...part.querySelectorAll('tr')];
  const line = (row: Element): string => [...row.children].map(cell => cell.textContent).join('\t');
  event.clipboardData.setData('text/plain', rows.length > 0 ? rows.map(line).join('\n') : part.textContent ?? '');
  event.preventDefault();
});
