// SPDX-License-Identifier: MIT
// A canvas of a panel: sharp on every screen, redrawn when its size or the colours change, printed and saved as
// vectors.
import {h} from './dom';
import {color, onPrint, onTheme} from './theme';
import {SvgContext} from './svg_context';
import type {Pen} from './svg_context';

export const font = (size = 11, weight = ''): string => `${weight} ${size}px system-ui, "DejaVu Sans", sans-serif`.trim();

interface CanvasOptions {
  label: string;                              // description for readers who cannot see it
  height: number | ((width: number) => number);  // a number: the drawing fits any height
  draw: (pen: Pen, width: number, height: number) => void;
  focusable?: boolean;                        // it handles keys
}

const open = new Set<CanvasView>();
const paper = 690;  // pixels between the margins of A4

// Returns the width of an element of a panel on paper. Drawings for this width keep the size of their texts.
export function paperWidth(element: Element): number {
  const section = element.closest('section'), columns = Number(/\bw(\d+)\b/.exec(section?.className ?? '')?.[1] ?? 12);
  return section ? Math.floor((paper + 10) * columns / 12 - 10 - 24) : paper;
}

export class CanvasView {
  readonly element: HTMLDivElement;
  readonly canvas: HTMLCanvasElement;
  private waiting = 0;
  private drawnWidth = 0;
  private vectors: SVGSVGElement | undefined;

  constructor(private readonly options: CanvasOptions) {
    this.canvas = h('canvas', {role: 'img', 'aria-label': options.label, tabindex: options.focusable ? 0 : null});
    this.element = h('div', {class: 'canvas'}, this.canvas);
    open.add(this);
    onTheme(() => this.redraw());
    onPrint(() => this.showVectors(), () => this.showPixels());
    new ResizeObserver(() => { if (this.width !== this.drawnWidth) this.redraw(); }).observe(this.element);
  }

  get width(): number { return this.element.clientWidth; }
  get height(): number {
    const {height} = this.options;
    return Math.round(typeof height === 'number' ? height : height(this.width));
  }
  setLabel(label: string): void { this.canvas.setAttribute('aria-label', label); }

  // Draws before the next frame, once for several calls.
  redraw(): void {
    if (!this.waiting) this.waiting = requestAnimationFrame(() => this.drawNow());
  }

  drawNow(): void {
    if (this.waiting) cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    const {width, height, canvas} = this;
    this.drawnWidth = width;
    if (width === 0) return;
    const ratio = devicePixelRatio || 1;
    const w = Math.round(width * ratio), hgt = Math.round(height * ratio);
    canvas.style.height = height + 'px';
    if (canvas.width !== w || canvas.height !== hgt) { canvas.width = w; canvas.height = hgt; }
    const pen = canvas.getContext('2d')!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = font();
    this.options.draw(pen, width, height);
  }

  // Returns the picture as SVG of this width; by default the width on the screen.
  svg(width = this.width, highest = Infinity): SVGSVGElement {
    const {height} = this.options, tall = Math.round(typeof height === 'number' ? Math.min(height, highest) : height(width));
    const pen = new SvgContext(width, tall);
    pen.font = font();
    this.options.draw(pen, width, tall);
    return pen.finish();
  }

  private showVectors(): void {
    if (this.width === 0) return;
    // in half a page, a drawing that fits any height is not higher than wide
    const most = paperWidth(this.element), width = Math.min(this.width, most);
    this.vectors = this.svg(width, most < paper / 2 ? width : Infinity);
    this.vectors.removeAttribute('height');
    this.vectors.setAttribute('width', '100%');
    this.canvas.hidden = true;
    this.element.append(this.vectors);
  }
  private showPixels(): void {
    this.vectors?.remove();
    this.vectors = undefined;
    this.canvas.hidden = false;
    this.redraw();
  }
}

// Draws all canvases that wait for their frame.
export function drawAll(): void {
  for (const view of open) view.drawNow();
}

// Saves an SVG as a file, with its background.
export function saveSvg(name: string, svg: SVGSVGElement): void {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const background = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  background.setAttribute('width', '100%');
  background.setAttribute('height', '100%');
  background.setAttribute('fill', color('panel'));
  copy.prepend(background);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('font-family', 'system-ui, "DejaVu Sans", sans-serif');
  const text = new XMLSerializer().serializeToString(copy);
  const url = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
  h('a', {href: url, download: name + '.svg'}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Returns a button that saves a picture: of a canvas, or the SVG of a chart.
export function saveButton(name: string, picture: () => SVGSVGElement): HTMLButtonElement {
  return h('button', {class: 'save', title: `save as ${name}.svg`, 'aria-label': `save ${name} as SVG`,
                      onclick: () => saveSvg(name, picture())}, 'SVG');
}
