// SPDX-License-Identifier: MIT
// Findings: a headline and bullets, each with a link to the panel with details.
import {h} from '../lib';
import {goTo} from './run';
import type {Panel} from './run';

export const findings: Panel = run => {
  const [headline, ...bullets] = run.head.findings;
  if (!headline) return null;
  const line = (f: {text: string; panel?: string}): Node | string => !f.panel ? f.text :
    h('a', {href: '#' + f.panel, onclick: (e: Event) => {
      if (!document.getElementById(f.panel!)) return;
      e.preventDefault();
      goTo(f.panel!);
    }}, f.text);
  const said = run.head.findings.map(f => f.text).join(' ');
  const hints = run.head.hints.filter(text => !said.includes(text)).map(text => h('li', {class: 'hint'}, text));
  return h('div', {class: 'lead', id: 'findings', role: 'region', 'aria-label': 'Findings'},
    h('p', {}, headline.text),
    bullets.length + hints.length > 0 ? h('ul', {}, bullets.map(f => h('li', {}, line(f))), hints) : null);
};
