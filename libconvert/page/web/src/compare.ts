// SPDX-License-Identifier: MIT
// Page that compares two runs: the differences first, then details. A panel is a file of compare/, or a file of
// panels/ shown for each run; each has a line here.
import {addHelp, fillRows, h, header, onKeys, start, visible} from './lib';
import {collectives} from './compare/calls';
import {fidelity, lanes} from './compare/fidelity';
import {findingsOfA, findingsOfB, headline} from './compare/lead';
import {links} from './compare/links';
import {made} from './compare/made';
import {numbers} from './compare/numbers';
import {Pair} from './compare/pair';
import {breakdown} from './compare/parts';
import {path} from './compare/path';
import {times} from './compare/times';
import {activity} from './panels/activity';
import {timeline} from './panels/timeline';
import {waits} from './panels/waits';
import type {Head, PairPanel} from './compare/pair';
import type {Panel} from './panels/run';

const ofA = (panel: Panel): PairPanel => pair => panel(pair.a, pair.viewA);
const ofB = (panel: Panel): PairPanel => pair => panel(pair.b, pair.viewB);
// Omits panels over time if a run has no slices.
const overTime: Panel = (run, view) => run.data.rows('slice.begin') > 0 ? activity(run, view) : null;

const panels: PairPanel[] = [
  headline,
  findingsOfA,
  findingsOfB,
  ofA(waits),
  ofB(waits),
  numbers,
  path,
  breakdown,
  ofA(overTime),
  ofB(overTime),
  ofA(timeline),
  ofB(timeline),
  times,
  collectives,
  links,
  fidelity,
  lanes,
  made,
];

await start<Head>(data => {
  const pair = new Pair(data), {A, B} = pair.inputs;
  header(pair.title, A && B ? `A: ${visible(A, 60)} · B: ${visible(B, 60)}` : 'two runs, A and B');
  const main = h('main', {class: 'compare'});
  document.body.append(main);
  for (const panel of panels) {
    const element = panel(pair);
    if (element) main.append(element);
  }
  fillRows(main);
  onKeys({0: () => pair.all()});
  addHelp('0', 'both runs whole');
});
