// SPDX-License-Identifier: MIT
// A drawing context that records SVG, so that the same code draws on the screen, for print and for a file.
import {s} from './dom';

// The members of a canvas context that the pages use.
export type Pen = Pick<CanvasRenderingContext2D,
  'fillStyle' | 'strokeStyle' | 'lineWidth' | 'globalAlpha' | 'font' | 'textAlign' | 'textBaseline' | 'lineCap' |
  'lineJoin' | 'beginPath' | 'closePath' | 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'bezierCurveTo' | 'arc' | 'rect' |
  'fill' | 'stroke' | 'fillRect' | 'strokeRect' | 'clearRect' | 'fillText' | 'measureText' | 'save' | 'restore' |
  'translate' | 'scale' | 'rotate' | 'clip' | 'setLineDash'>;

interface State {
  fillStyle: string; strokeStyle: string; lineWidth: number; globalAlpha: number; font: string;
  textAlign: CanvasTextAlign; textBaseline: CanvasTextBaseline; lineCap: CanvasLineCap; lineJoin: CanvasLineJoin;
  dash: number[]; matrix: DOMMatrix; group: SVGGElement | SVGSVGElement;
}

const anchors: Record<string, string> = {left: 'start', start: 'start', center: 'middle', right: 'end', end: 'end'};
const baselines: Record<string, string> = {middle: 'central', top: 'text-before-edge', bottom: 'text-after-edge'};
const round = (x: number): number => Math.round(x * 100) / 100;
let clips = 0;
let ruler: CanvasRenderingContext2D | null = null;

export class SvgContext implements Pen {
  fillStyle = '#000'; strokeStyle = '#000'; lineWidth = 1; globalAlpha = 1; font = '10px sans-serif';
  textAlign: CanvasTextAlign = 'start'; textBaseline: CanvasTextBaseline = 'alphabetic';
  lineCap: CanvasLineCap = 'butt'; lineJoin: CanvasLineJoin = 'miter';
  readonly svg: SVGSVGElement;
  private dash: number[] = [];
  private matrix = new DOMMatrix();
  private group: SVGGElement | SVGSVGElement;
  private path: string[] = [];
  private readonly stack: State[] = [];
  // Consecutive rectangles of one colour become one path.
  private run: {key: string; element: SVGPathElement; parts: string[]} | undefined;

  constructor(width: number, height: number) {
    this.svg = s('svg', {viewBox: `0 0 ${round(width)} ${round(height)}`, width: round(width), height: round(height)});
    this.group = this.svg;
  }

  // Ends the drawing and returns it.
  finish(): SVGSVGElement {
    this.endRun();
    return this.svg;
  }

  beginPath(): void { this.path = []; }
  closePath(): void { this.path.push('Z'); }
  moveTo(x: number, y: number): void { this.path.push(`M${this.point(x, y)}`); }
  lineTo(x: number, y: number): void { this.path.push(`${this.path.length ? 'L' : 'M'}${this.point(x, y)}`); }
  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.path.push(`Q${this.point(cx, cy)} ${this.point(x, y)}`);
  }
  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    this.path.push(`C${this.point(ax, ay)} ${this.point(bx, by)} ${this.point(x, y)}`);
  }
  arc(x: number, y: number, r: number, from: number, to: number, backwards = false): void {
    const at = (angle: number): string => this.point(x + r * Math.cos(angle), y + r * Math.sin(angle));
    const size = round(r * Math.hypot(this.matrix.a, this.matrix.b));
    const sweep = backwards ? 0 : 1;
    const turn = Math.abs(to - from);
    this.path.push(`${this.path.length ? 'L' : 'M'}${at(from)}`);
    if (turn >= 2 * Math.PI - 1e-9) {
      this.path.push(`A${size} ${size} 0 1 ${sweep} ${at(from + Math.PI)}A${size} ${size} 0 1 ${sweep} ${at(from)}`);
    } else {
      this.path.push(`A${size} ${size} 0 ${turn > Math.PI ? 1 : 0} ${sweep} ${at(to)}`);
    }
  }
  rect(x: number, y: number, w: number, hgt: number): void { this.path.push(this.box(x, y, w, hgt)); }

  fill(): void { this.shape({fill: this.fillStyle}); }
  stroke(): void { this.shape({fill: 'none', ...this.line()}); }
  fillRect(x: number, y: number, w: number, hgt: number): void {
    const key = `${this.fillStyle} ${this.globalAlpha}`;
    if (this.run?.key !== key) {
      this.endRun();
      const element = s('path', {fill: this.fillStyle, ...this.alpha()});
      this.group.append(element);
      this.run = {key, element, parts: []};
    }
    this.run!.parts.push(this.box(x, y, w, hgt));
  }
  strokeRect(x: number, y: number, w: number, hgt: number): void {
    this.add(s('path', {d: this.box(x, y, w, hgt), fill: 'none', ...this.line(), ...this.alpha()}));
  }
  clearRect(): void { /* a new drawing is empty */ }

  fillText(text: string, x: number, y: number): void {
    const m = this.matrix;
    const turned = m.b !== 0 || m.c !== 0;
    const at = turned ? {x: round(x), y: round(y)} : {x: round(m.a * x + m.e), y: round(m.d * y + m.f)};
    this.add(s('text', {
      ...at, transform: turned ? `matrix(${[m.a, m.b, m.c, m.d, m.e, m.f].map(round).join(' ')})` : null,
      fill: this.fillStyle, style: `font:${this.font}`, 'text-anchor': anchors[this.textAlign],
      'dominant-baseline': baselines[this.textBaseline], ...this.alpha(),
    }, text));
  }
  measureText(text: string): TextMetrics {
    ruler ??= document.createElement('canvas').getContext('2d')!;
    ruler.font = this.font;
    return ruler.measureText(text);
  }

  save(): void {
    const {fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineCap, lineJoin, dash, group} = this;
    this.stack.push({fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineCap, lineJoin,
                     dash, group, matrix: DOMMatrix.fromMatrix(this.matrix)});
  }
  restore(): void {
    this.endRun();
    const state = this.stack.pop();
    if (state) Object.assign(this, state);
  }
  translate(x: number, y: number): void { this.matrix = this.matrix.translate(x, y); }
  scale(x: number, y: number): void { this.matrix = this.matrix.scale(x, y); }
  rotate(angle: number): void { this.matrix = this.matrix.rotate(angle * 180 / Math.PI); }
  setLineDash(dash: number[]): void { this.dash = [...dash]; }
  clip(): void {
    this.endRun();
    const id = `clip${++clips}`;
    const inner = s('g', {'clip-path': `url(#${id})`});
    this.group.append(s('clipPath', {id}, s('path', {d: this.path.join('')})), inner);
    this.group = inner;
  }

  private point(x: number, y: number): string {
    const m = this.matrix;
    return `${round(m.a * x + m.c * y + m.e)} ${round(m.b * x + m.d * y + m.f)}`;
  }
  private box(x: number, y: number, w: number, hgt: number): string {
    return `M${this.point(x, y)}L${this.point(x + w, y)}L${this.point(x + w, y + hgt)}L${this.point(x, y + hgt)}Z`;
  }
  private alpha(): Record<string, number | null> { return {opacity: this.globalAlpha < 1 ? round(this.globalAlpha) : null}; }
  private line(): Record<string, string | number | null> {
    const zoom = Math.hypot(this.matrix.a, this.matrix.b);
    return {stroke: this.strokeStyle, 'stroke-width': round(this.lineWidth * zoom),
            'stroke-linecap': this.lineCap === 'butt' ? null : this.lineCap,
            'stroke-linejoin': this.lineJoin === 'miter' ? null : this.lineJoin,
            'stroke-dasharray': this.dash.length ? this.dash.map(d => round(d * zoom)).join(' ') : null};
  }
  private shape(paint: Record<string, string | number | null>): void {
    if (this.path.length) this.add(s('path', {d: this.path.join(''), ...paint, ...this.alpha()}));
  }
  private add(element: SVGElement): void {
    this.endRun();
    this.group.append(element);
  }
  private endRun(): void {
    if (this.run) this.run.element.setAttribute('d', this.run.parts.join(''));
    this.run = undefined;
  }
}
