// SPDX-License-Identifier: MIT
// Miniature of the whole graph, with a frame around the visible part; a click moves the view.
import {h} from '../lib/dom';
import {onTheme, color} from '../lib/theme';
import type {Layout} from './boxes';
import {classColors} from './classes';
import type {Classes} from './classes';
import {pixel, Raster} from './raster';
import {View} from './view';

const width = 190, height = 96;

export class Minimap {
  readonly element: HTMLDivElement;
  private readonly canvas = h('canvas', {'aria-hidden': 'true'});
  private readonly frame = h('div', {class: 'frame'});
  private readonly raster = new Raster();
  private layout: Layout | undefined;

  constructor(private readonly classes: Classes, private readonly main: View, moved: () => void) {
    this.element = h('div', {class: 'minimap screen-only', hidden: true}, this.canvas, this.frame);
    const go = (e: PointerEvent): void => {
      const box = this.canvas.getBoundingClientRect(), {layout} = this.main;
      main.centre((e.clientX - box.left) / width * layout.width, (e.clientY - box.top) / height * layout.height);
      moved();
    };
    this.element.addEventListener('pointerdown', e => { this.element.setPointerCapture(e.pointerId); go(e); });
    this.element.addEventListener('pointermove', e => { if (e.buttons) go(e); });
    onTheme(() => { this.layout = undefined; });
  }

  // Shows the current view; redraws the miniature if the layout has changed.
  update(): void {
    const {main} = this;
    this.element.hidden = main.isAll();
    if (this.element.hidden) return;
    if (this.layout !== main.layout) this.draw(this.layout = main.layout);
    const {layout} = main, place = (share: number): string => `${Math.max(0, Math.min(1, share)) * 100}%`;
    Object.assign(this.frame.style, {
      left: place(main.x / layout.width), top: place(main.y / layout.height),
      right: place(1 - main.right / layout.width), bottom: place(1 - main.bottom / layout.height),
    });
  }

  private draw(layout: Layout): void {
    const ratio = devicePixelRatio || 1, view = new View(layout);
    Object.assign(view, {labels: 0, top: 0, width, height, sx: width / layout.width, sy: height / layout.height});
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const background = color('panel'), {from, members} = layout.boxes;
    const pixels = classColors().map(c => pixel(c, background));
    this.raster.begin(this.canvas.width, this.canvas.height, pixel(background, background));
    this.raster.paint(view, ratio, b => pixels[this.classes.of[members[from[b]!]!]!]!);
    this.raster.end(this.canvas.getContext('2d')!);
  }
}
