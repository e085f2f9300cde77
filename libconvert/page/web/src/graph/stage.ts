// SPDX-License-Identifier: MIT
// The picture of the graph: drawing, and zooming, moving and picking by pointer and keys.
import {CanvasView} from '../lib/canvas';
import {onPrint} from '../lib/theme';
import {h, visible} from '../lib/dom';
import {bytes, counted, exactTime} from '../lib/format';
import {facts, hideTip, showTip} from '../lib/tip';
import {boxAt, stripAt} from './boxes';
import type {Layout, Strip} from './boxes';
import {Drawing, labelWidth} from './draw';
import {Minimap} from './minimap';
import type {Scene} from './scene';
import {View} from './view';

interface Events {
  pick: (box: number) => void;            // -1: nothing
  open: (box: number) => void;            // double click
  turn: (strip: Strip) => void;           // click on the name of a row
  describe: (strip: Strip) => string;     // returns the description of a row
}

export class Stage {
  readonly element: HTMLDivElement;
  readonly canvas: CanvasView;
  readonly view: View;
  private readonly drawing = new Drawing();
  private readonly minimap: Minimap;
  private drag: {x: number; y: number; moved: number} | undefined;
  private readonly fingers = new Map<number, PointerEvent>();

  constructor(readonly scene: Scene, label: string, room: () => number, private readonly events: Events) {
    this.view = new View(scene.layout);
    let printing = false;  // on paper the picture ends where the graph ends
    onPrint(() => { printing = true; }, () => { printing = false; });
    const height = (): number => printing ? Math.min(room(), this.view.contentHeight) : room();
    this.canvas = new CanvasView({label, height, focusable: true, draw: (pen, width, height) => {
      const vectors = !(pen instanceof CanvasRenderingContext2D);
      this.view.labels = labelWidth(pen, this.scene.layout, width * 0.3);
      this.view.resize(width, height);
      this.drawing.draw(pen, {...this.scene, vectors}, this.view);
      if (!vectors) this.minimap.update();
      this.canvas.canvas.dataset.boxes = String(this.drawing.visibleBoxes);
    }});
    this.minimap = new Minimap(scene.classes, this.view, () => this.redraw());
    this.element = h('div', {class: 'stage'}, this.canvas.element, this.minimap.element);
    this.listen(this.canvas.canvas);
  }

  redraw(): void { this.canvas.redraw(); }
  setLayout(layout: Layout): void {
    this.scene.layout = this.view.layout = layout;
    this.view.labels = labelWidth(this.canvas.canvas.getContext('2d')!, layout, this.canvas.width * 0.3);
    this.view.fit();
    this.redraw();
  }
  fit(): void {
    this.view.fit();
    this.redraw();
  }
  zoom(factor: number): void {
    const {selected, layout} = this.scene, box = selected < 0 ? -1 : layout.boxOf[selected]!;
    const x = box < 0 ? NaN : this.view.toX(layout.boxes.x[box]!);
    const y = box < 0 ? NaN : this.view.toY(layout.boxes.y[box]!);
    const seen = x > this.view.labels && x < this.view.width && y > 0 && y < this.view.height;
    this.view.zoom(factor, seen ? x : this.view.width / 2, seen ? y : this.view.height / 3);
    this.redraw();
  }
  pan(x: number, y: number): void {
    this.view.pan(x, y);
    this.redraw();
  }
  go(box: number): void {
    this.view.go(box);
    this.redraw();
  }

  private listen(canvas: HTMLCanvasElement): void {
    canvas.addEventListener('wheel', e => {
      e.preventDefault();
      const by = e.deltaMode === 1 ? 30 : 1;
      if (e.shiftKey) this.view.pan((e.deltaX + e.deltaY) * by, 0);
      else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.view.pan(e.deltaX * by, 0);
      else this.view.zoom(Math.exp(-Math.max(-100, Math.min(100, e.deltaY * by)) / 400), e.offsetX, e.offsetY);
      this.redraw();
    }, {passive: false});
    canvas.addEventListener('pointerdown', e => {
      this.fingers.set(e.pointerId, e);
      this.drag = {x: e.clientX, y: e.clientY, moved: this.fingers.size > 1 ? Infinity : 0};
      canvas.setPointerCapture(e.pointerId);
      canvas.focus();
      hideTip();
    });
    canvas.addEventListener('pointercancel', e => { this.fingers.delete(e.pointerId); });
    canvas.addEventListener('pointerup', e => {
      this.fingers.delete(e.pointerId);
      const still = this.drag && this.drag.moved < 5;
      this.drag = undefined;
      if (!still) return;
      const strip = this.nameAt(e);
      if (strip) this.events.turn(strip);
      else this.events.pick(this.boxAt(e));
    });
    canvas.addEventListener('dblclick', e => { if (!this.nameAt(e)) this.events.open(this.boxAt(e)); });
    canvas.addEventListener('pointermove', e => this.move(e));
    canvas.addEventListener('pointerleave', hideTip);
  }

  // Zooms by the distance of two fingers after one has moved.
  private pinch(e: PointerEvent): void {
    const distance = (): number => {
      const [a, b] = [...this.fingers.values()] as [PointerEvent, PointerEvent];
      return Math.max(10, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
    };
    const before = distance(), box = this.canvas.canvas.getBoundingClientRect();
    this.fingers.set(e.pointerId, e);
    const [a, b] = [...this.fingers.values()] as [PointerEvent, PointerEvent];
    this.view.zoom(distance() / before, (a.clientX + b.clientX) / 2 - box.left, (a.clientY + b.clientY) / 2 - box.top);
    this.redraw();
  }

  private move(e: PointerEvent): void {
    if (this.fingers.size === 2 && this.fingers.has(e.pointerId)) {
      this.pinch(e);
      return;
    }
    if (this.drag) {
      const dx = this.drag.x - e.clientX, dy = this.drag.y - e.clientY;
      this.drag = {x: e.clientX, y: e.clientY, moved: this.drag.moved + Math.abs(dx) + Math.abs(dy)};
      this.pan(dx, dy);
      return;
    }
    const strip = this.nameAt(e), box = strip ? -1 : this.boxAt(e);
    this.canvas.canvas.style.cursor = strip || box >= 0 ? 'pointer' : 'default';
    if (strip) showTip(e, visible(this.events.describe(strip)));
    else if (box >= 0) showTip(e, this.tip(box));
    else hideTip();
  }

  private boxAt(e: MouseEvent): number {
    if (e.offsetX < this.view.labels - 4) return -1;
    return boxAt(this.scene.layout, this.view.fromX(e.offsetX), this.view.fromY(e.offsetY), 1 / this.view.sx);
  }
  // Returns the strip whose name is under the pointer.
  private nameAt(e: MouseEvent): Strip | undefined {
    if (e.offsetX >= this.view.labels - 4 || e.offsetY < this.view.top) return undefined;
    if (this.scene.layout.axis === 'wrapped') return undefined;
    return stripAt(this.scene.layout, this.view.fromY(e.offsetY));
  }

  private tip(box: number): Node[] {
    const {model, layout} = this.scene, {from, members} = layout.boxes;
    const i = members[from[box]!]!, nodes = from[box + 1]! - from[box]!;
    const title = visible(model.nameOf(i)) || '(no name)';
    const takes = model.duration && model.duration[i]! >= 0 ? exactTime(model.duration[i]! * 1000) : null;
    if (nodes > 1) {
      return facts(counted(nodes, 'node'), [
        ['first:', title], ['NPU', String(model.rankOf(i))], ['lane', model.laneOf(i)],
      ]);
    }
    return facts(title, [
      ['NPU', `${model.rankOf(i)} · node ${model.idOf(i)} · ${model.opOf(i) || model.typeOf(i)} · ${model.laneOf(i)}`],
      ['size', model.bytes[i]! >= 0 ? bytes(model.bytes[i]!) : null],
      ['peer', model.peer[i]! >= 0 ? `NPU ${model.peer[i]}` : null],
      ['begins', model.begin && model.begin[i]! >= 0 ? exactTime(model.begin[i]! * 1000) : null],
      ['takes', takes],
    ]);
  }
}
