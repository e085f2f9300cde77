// SPDX-License-Identifier: MIT
// The parts of a graph page (header, legend, picture, details, table) and the reactions to user input.
import {addHelp, count, counted, h, header, saveButton} from '../lib';
import {classesOf} from './classes';
import type {Classes} from './classes';
import {Details} from './details';
import {layersOf} from './layers';
import type {Layers} from './layers';
import {legendOf} from './legend';
import type {Model} from './model';
import {rowTable} from './row_table';
import {grammar, Search} from './search';
import {Stage} from './stage';
import {GraphState} from './state';

const panStep = 120, rowStep = 80, zoomStep = 1.3;  // pixels, pixels, factor

export class GraphApp {
  private readonly layers: Layers;
  private readonly classes: Classes;
  private readonly circular: Uint8Array;
  private readonly state: GraphState;
  private readonly search: Search;
  private readonly stage: Stage;
  private readonly details: Details;
  private readonly table: ReturnType<typeof rowTable>;
  private readonly main = h('main', {class: 'graph'});
  private readonly found = h('span', {class: 'found sub', role: 'status'});
  private readonly hidden = h('span', {class: 'sub'});
  private readonly field = h('input', {
    type: 'search', placeholder: 'name, id, rank:3 recv  ( / )', 'aria-label': 'search nodes',
    title: grammar.map(([what, means]) => `${what}: ${means}`).join('\n'),
  });
  private hits: Int32Array | undefined;
  private next = 0;  // index in hits

  constructor(private readonly model: Model) {
    this.layers = layersOf(model);
    this.classes = classesOf(model);
    this.circular = new Uint8Array(model.n);
    for (const i of this.layers.circular) this.circular[i] = 1;
    this.state = new GraphState(model, this.layers);
    this.search = new Search(model, this.classes, this.circular);
    this.stage = this.makeStage();
    this.details = new Details(model, this.classes, this.layers.of, this.circular, () => this.stage.scene.layout,
                               i => { this.select(i); this.goTo(i); }, () => this.select(-1));
    this.table = rowTable(model, () => this.stage.scene.layout, () => this.state.rowNames(), strip => this.turn(strip));
  }

  // Adds the page to the document.
  show(): void {
    const {model, layers, stage} = this;
    header(model.head.title, this.summary(), this.found, this.field, this.state.controls(() => this.relayout()),
           h('button', {title: 'show all (0)', onclick: () => stage.fit()}, 'Fit'),
           saveButton('graph', () => stage.canvas.svg()));
    this.main.append(legendOf(model, this.classes, query => this.ask(query), [this.warning(), this.hidden]),
                     h('div', {class: 'graph-body'}, stage.element, this.details.element), this.table.element);
    document.body.append(this.main);
    Object.assign(this.main.dataset, {
      nodes: model.n, edges: model.edges, messages: model.messages, depth: layers.count,
      circular: layers.circular.length, cycle: layers.cycle.length, missing: model.missing,
    });
    this.relayout();
    this.listen();
  }

  private makeStage(): Stage {
    const {model, state} = this;
    const room = (): number => {
      const top = this.stage.element.getBoundingClientRect().top + scrollY, below = 29;  // the closed table
      return Math.max(240, innerHeight - top - below);
    };
    const marked = new Uint8Array(model.n);
    for (const i of this.layers.cycle) marked[i] = 1;
    const layout = state.layout(innerWidth / Math.max(300, innerHeight - 90));
    return new Stage(
      {model, layout, classes: this.classes, marked, hits: undefined, selected: -1, withEdges: true,
       vectors: false},
      `graph of ${counted(model.n, 'node')} in rows; the table of rows below has the numbers`, room, {
        pick: box => this.select(box < 0 ? -1 : this.firstOf(box), box),
        open: box => { if (box >= 0) this.around(this.firstOf(box)); },
        turn: strip => this.turn(strip),
        describe: strip => state.describe(strip),
      });
  }

  // Returns the line below the title, with defects of the graph.
  private summary(): string {
    const {model, layers} = this;
    const parts = [counted(model.n, 'node'), counted(model.edges, 'edge'), `depth ${count(layers.count)}`];
    if (model.manyRanks) parts.unshift(counted(model.head.ranks.length, 'NPU'));
    if (model.missing) parts.push(`${counted(model.missing, 'dependency', 'dependencies')} on nodes that do not exist`);
    return parts.join(' · ');
  }

  // Returns a button that selects nodes that never start; an empty text if there are none.
  private warning(): Node | string {
    const {cycle, circular} = this.layers;
    if (circular.length === 0) return '';
    return h('button', {class: 'link bad', onclick: () => { this.ask('cycle:'); this.select(cycle[0] ?? circular[0]!); }},
      `a cycle of ${counted(cycle.length, 'node')}; ${count(circular.length)} never start`);
  }

  private relayout(): void {
    const {stage, state, main} = this, {scene} = stage;
    scene.withEdges = state.hasEdges;
    stage.setLayout(state.layout(stage.canvas.width / Math.max(100, stage.canvas.height)));
    const {axis, strips, boxes, hidden} = scene.layout;
    Object.assign(main.dataset, {mode: state.mode, axis, rows: strips.length, boxes: boxes.x.length, hidden});
    this.hidden.textContent = state.hiddenText(scene.layout);
    this.table.update();
  }
  private turn(strip: Parameters<GraphState['turn']>[0]): void {
    if (this.state.turn(strip)) this.relayout();
  }

  private firstOf(box: number): number {
    const {from, members} = this.stage.scene.layout.boxes;
    return members[from[box]!]!;
  }
  private select(i: number, box = -1): void {
    const {stage, details} = this, {from, members} = stage.scene.layout.boxes;
    stage.scene.selected = i;
    if (i < 0) details.hide();
    else details.show(i, box < 0 ? [] : members.subarray(from[box]!, from[box + 1]!));
    this.main.dataset.selected = i < 0 ? '' : String(i);
    this.cover();
    stage.redraw();
  }
  private goTo(i: number): void {
    const box = this.stage.scene.layout.boxOf[i]!;
    if (box >= 0) this.stage.go(box);
  }
  private around(i: number): void {
    this.select(i);
    this.details.showNear(i);
    this.cover();
    const box = this.stage.scene.layout.boxOf[i]!;
    if (box >= 0 && this.stage.view.isCovered(box)) this.goTo(i);
  }
  // Sets the area that the details cover, so that targets are moved out of it.
  private cover(): void {
    const {offsetWidth: width, offsetHeight: height, hidden: closed} = this.details.element;
    const below = width > 0.8 * innerWidth;
    this.stage.view.coverX = closed || below ? 0 : width + 20;
    this.stage.view.coverY = closed || !below ? 0 : height + 10;
  }

  private ask(query: string): void {
    this.field.value = query;
    this.find();
  }
  private find(): void {
    const hits = this.hits = this.search.find(this.field.value), {scene} = this.stage;
    this.next = 0;
    scene.hits = hits && new Uint8Array(this.model.n);
    if (hits) for (const i of hits) scene.hits![i] = 1;
    this.found.textContent = hits ? `${count(hits.length)} found` : '';
    this.main.dataset.found = hits ? String(hits.length) : '';
    this.stage.redraw();
  }
  // Goes to the next or the previous hit.
  private jump(back: boolean): void {
    const {hits} = this;
    if (!hits?.length) return;
    const at = (this.next + (back ? hits.length - 2 : 0)) % hits.length;
    this.next = (at + 1) % hits.length;
    this.found.textContent = `${count(at + 1)} of ${count(hits.length)}`;
    this.select(hits[at]!);
    this.goTo(hits[at]!);
  }
  private escape(): void {
    if (this.stage.scene.selected >= 0) this.select(-1);
    else if (this.hits) this.ask('');
  }

  private listen(): void {
    const {field, stage} = this;
    field.addEventListener('input', () => this.find());
    field.addEventListener('keydown', e => {
      if (e.key === 'Enter') this.jump(e.shiftKey);
      if (e.key !== 'Escape') return;
      this.ask('');
      stage.canvas.canvas.focus();
    });
    addEventListener('resize', () => {
      if (stage.scene.layout.axis === 'wrapped') this.relayout();
      else stage.redraw();
    });
    const keys = this.keys();
    addEventListener('keydown', e => {
      const target = e.target as Element;
      const elsewhere = target.matches('input, select, textarea') || document.querySelector('dialog') !== null;
      if (e.ctrlKey || e.metaKey || e.altKey || elsewhere) return;
      const acts = /^(Enter|Arrow)/.test(e.key) && target.closest('button, aside, details, [role=button]') !== null;
      const handler = acts ? undefined : keys[e.key];
      if (!handler) return;
      e.preventDefault();
      handler();
    });
  }

  private keys(): Record<string, () => void> {
    const {stage} = this;
    addHelp('w s', 'zoom, also with the wheel');
    addHelp('a d ← → ↑ ↓', 'move, also by dragging');
    addHelp('0', 'show all');
    addHelp('/', 'search');
    addHelp('Enter', 'next match; neighbourhood of the selected node');
    addHelp('n N', 'next, previous match');
    addHelp('Esc', 'close, clear');
    for (const [what, means] of grammar) addHelp(what, `search: ${means}`);
    return {
      w: () => stage.zoom(zoomStep), s: () => stage.zoom(1 / zoomStep), a: () => stage.pan(-panStep, 0),
      d: () => stage.pan(panStep, 0), ArrowLeft: () => stage.pan(-panStep, 0), ArrowRight: () => stage.pan(panStep, 0),
      ArrowUp: () => stage.pan(0, -rowStep), ArrowDown: () => stage.pan(0, rowStep), '0': () => stage.fit(),
      '/': () => this.field.select(), Escape: () => this.escape(), n: () => this.jump(false), N: () => this.jump(true),
      Enter: () => { if (stage.scene.selected >= 0) this.around(stage.scene.selected); else this.jump(false); },
    };
  }
}
