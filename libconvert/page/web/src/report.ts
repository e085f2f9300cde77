// SPDX-License-Identifier: MIT
// Page of one run: panels in the order of readers' questions. A panel is a file of panels/ and a line here.
import {addHelp, fillRows, h, header, onKeys, start, Store} from './lib';
import {activity} from './panels/activity';
import {breakdown} from './panels/breakdown';
import {certainty, collectives} from './panels/collectives';
import {findings} from './panels/findings';
import {links} from './panels/links';
import {made} from './panels/made';
import {matrix} from './panels/matrix';
import {memory} from './panels/memory';
import {numbers} from './panels/numbers';
import {operations} from './panels/operations';
import {path} from './panels/path';
import {Run, whatRan} from './panels/run';
import {timeline} from './panels/timeline';
import {waits} from './panels/waits';
import {whatIf} from './panels/whatif';
import type {Head, Panel, ViewState} from './panels/run';

const panels: Panel[] = [
  findings,
  numbers,
  waits,
  breakdown,
  activity,
  timeline,
  path,
  whatIf,
  operations,
  collectives,
  certainty,
  links,
  matrix,
  memory,
  made,
];

await start<Head>(data => {
  const run = new Run(data);
  const view = new Store<ViewState>({from: 0, to: run.end, npu: -1});
  header(run.head.title || 'run', whatRan(run));
  const main = h('main');
  document.body.append(main);
  for (const panel of panels) {
    const element = panel(run, view);
    if (element) main.append(element);
  }
  fillRows(main);
  onKeys({0: () => view.set({from: 0, to: run.end})});
  addHelp('0', 'the whole run');
});
