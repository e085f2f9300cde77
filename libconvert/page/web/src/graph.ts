// SPDX-License-Identifier: MIT
// The page of a dependency graph: all nodes of a set of traces, in rows, with search, details and what is near a node.
import {addHelp, count, counted, h, header, saveButton, start} from './lib';
import {classesOf} from './graph/classes';
import {legendOf} from './graph/legend';
import {Details} from './graph/details';
import {GraphState} from './graph/state';
import {layersOf} from './graph/layers';
import {Model} from './graph/model';
import type {Head} from './graph/model';
import {grammar, Search} from './graph/search';
import {Stage} from './graph/stage';
import {rowTable} from './graph/row_table';

// Returns the line below the title, with what is wrong with the graph.
function summary(model: Model, depth: number, circular: number): string {
  const parts = [counted(model.n, 'node'), counted(model.edges, 'edge'), `depth ${count(depth)}`];
  if (model.manyRanks) parts.unshift(counted(model.head.ranks.length, 'NPU'));
  if (model.missing) parts.push(`${counted(model.missing, 'dependency', 'dependencies')} on nodes that do not exist`);
  if (circular) parts.push(`${counted(circular, 'node')} on circles or behind them`);
  return parts.join(' · ');
}

await start<Head>(data => {
  const model = new Model(data), layers = layersOf(model), classes = classesOf(model);
  const circular = new Uint8Array(model.n);
  for (const i of layers.circular) circular[i] = 1;
  const state = new GraphState(model, layers);
  const search = new Search(model, classes, circular);

  const main = h('main', {class: 'graph'});
  const room = (): number => Math.max(240, innerHeight - (stage.element.getBoundingClientRect().top + scrollY) - 29);
  const label = `graph of ${counted(model.n, 'node')} in rows; the table of rows below has the numbers`;
  const stage: Stage = new Stage(
    {model, layout: state.layout(innerWidth / Math.max(300, innerHeight - 90)), classes, marked: circular, hits: undefined,
     selected: -1, withEdges: true, vectors: false},
    label, room, {
      pick: box => select(box < 0 ? -1 : firstOf(box), box),
      open: box => { if (box >= 0) around(firstOf(box)); },
      turn: strip => { if (state.turn(strip)) relayout(); },
      describe: strip => state.describe(strip),
    });
  const {scene} = stage;
  const firstOf = (box: number): number => scene.layout.boxes.members[scene.layout.boxes.from[box]!]!;
  const details = new Details(model, classes, layers.of, circular, () => scene.layout, i => { select(i); goTo(i); },
                              () => select(-1));

  function select(i: number, box = -1): void {
    scene.selected = i;
    if (i < 0) details.hide();
    else details.show(i, box < 0 ? [] : scene.layout.boxes.members.subarray(scene.layout.boxes.from[box]!, scene.layout.boxes.from[box + 1]!));
    main.dataset.selected = i < 0 ? '' : String(i);
    stage.redraw();
  }
  function goTo(i: number): void {
    const box = scene.layout.boxOf[i]!;
    if (box >= 0) stage.go(box);
    stage.redraw();
  }
  function around(i: number): void {
    select(i);
    details.showNear(i);
  }
  function relayout(): void {
    scene.withEdges = state.hasEdges;
    stage.setLayout(state.layout(stage.canvas.width / Math.max(100, stage.canvas.height)));
    Object.assign(main.dataset, {mode: state.mode, axis: scene.layout.axis, rows: scene.layout.strips.length,
                                 boxes: scene.layout.boxes.x.length, hidden: scene.layout.hidden});
    hidden.textContent = state.hiddenText(scene.layout);
  }

  const found = h('span', {class: 'found sub', role: 'status'}), hidden = h('span', {class: 'sub'});
  const field = h('input', {type: 'search', placeholder: 'name, id, rank:3 recv  ( / )', 'aria-label': 'search nodes',
                            title: grammar.map(([what, means]) => `${what}: ${means}`).join('\n')});
  let hits: Int32Array | undefined, next = 0;
  function find(query: string): void {
    hits = search.find(query);
    next = 0;
    scene.hits = hits && new Uint8Array(model.n);
    if (hits) for (const i of hits) scene.hits![i] = 1;
    found.textContent = hits ? `${count(hits.length)} found` : '';
    main.dataset.found = hits ? String(hits.length) : '';
    stage.redraw();
  }
  function jump(step: number): void {
    if (!hits?.length) return;
    const i = hits[(next + (step < 0 ? hits.length - 2 : 0)) % hits.length]!;
    next = (next + (step < 0 ? hits.length - 1 : 1)) % hits.length;
    found.textContent = `${count(next || hits.length)} of ${count(hits.length)}`;
    select(i);
    goTo(i);
  }
  field.addEventListener('input', () => find(field.value));
  field.addEventListener('keydown', e => {
    if (e.key === 'Enter') jump(e.shiftKey ? -1 : 1);
    if (e.key !== 'Escape') return;
    field.value = '';
    find('');
    stage.canvas.canvas.focus();
  });
  const ask = (query: string): void => { field.value = query; find(query); };

  header(model.head.title, summary(model, layers.count, layers.circular.length), found, field, state.controls(relayout),
         h('button', {title: 'show all (0)', onclick: () => stage.fit()}, 'Fit'), saveButton('graph', () => stage.canvas.svg()));
  main.append(legendOf(model, classes, ask, hidden), h('div', {class: 'graph-body'}, stage.element, details.element),
              rowTable(model, () => scene.layout, () => state.rowNames()));
  document.body.append(main);
  Object.assign(main.dataset, {nodes: model.n, edges: model.edges, messages: model.messages, depth: layers.count,
                               circular: layers.circular.length, missing: model.missing});
  relayout();
  addEventListener('resize', () => { if (scene.layout.axis === 'wrapped') relayout(); else stage.redraw(); });

  const step = 120;
  const keys: Record<string, () => void> = {
    w: () => stage.zoom(1.3), s: () => stage.zoom(1 / 1.3), a: () => stage.pan(-step, 0), d: () => stage.pan(step, 0),
    ArrowLeft: () => stage.pan(-step, 0), ArrowRight: () => stage.pan(step, 0), ArrowUp: () => stage.pan(0, -80),
    ArrowDown: () => stage.pan(0, 80), '0': () => stage.fit(), '/': () => field.select(), Escape: () => escape(),
    Enter: () => { if (scene.selected >= 0) around(scene.selected); else jump(1); },
    n: () => jump(1), N: () => jump(-1),
  };
  function escape(): void {
    if (scene.selected >= 0) select(-1);
    else if (hits) ask('');
  }
  addEventListener('keydown', e => {
    const target = e.target as Element;
    if (e.ctrlKey || e.metaKey || e.altKey || target.matches('input, select, textarea') || document.querySelector('dialog')) return;
    const acts = /^(Enter|Arrow)/.test(e.key) && target.closest('button, aside, details, [role=button]') !== null;
    const handler = acts ? undefined : keys[e.key];
    if (!handler) return;
    e.preventDefault();
    handler();
  });
  addHelp('w s', 'zoom, also with the wheel');
  addHelp('a d ← → ↑ ↓', 'move, also by dragging');
  addHelp('0', 'show all');
  addHelp('/', 'search');
  addHelp('Enter', 'next of what was found; what is around the selected node');
  addHelp('n N', 'next, previous of what was found');
  addHelp('Esc', 'close, clear');
  for (const [what, means] of grammar) addHelp(what, `search: ${means}`);
});
