// SPDX-License-Identifier: MIT
// The visible part of a layout: zoom and position.
import type {Layout} from './boxes';

const widestBox = 170;        // pixels
const highestRow = 30;
const usualRow = 26;

export class View {
  sx = 1;      // pixels per unit
  sy = 1;
  x = 0;       // layout position at the left edge, right of the labels
  y = 0;       // layout position below the axis
  labels = 74; // width of the labels
  top = 20;    // height of the axis above the rows
  coverX = 0;  // width and height of the area at the right and lower edge that details cover, in pixels
  coverY = 0;
  width = 0;   // of the picture
  height = 0;

  constructor(public layout: Layout) {}

  private get roomX(): number { return Math.max(10, this.width - this.labels - 6); }
  private get roomY(): number { return Math.max(10, this.height - this.top - 6); }
  private get fitX(): number { return Math.min(this.roomX / this.layout.width, widestBox / this.layout.smallest); }
  private get fitY(): number { return Math.min(usualRow, this.roomY / this.layout.height); }

  resize(width: number, height: number): void {
    const all = this.isAll();
    this.width = width;
    this.height = height;
    if (all) this.fit();
    else this.bound();
  }
  isAll(): boolean {
    const same = (a: number, b: number): boolean => Math.abs(a / b - 1) < 1e-9;
    if (this.width === 0) return true;
    return this.x === 0 && this.y === 0 && same(this.sx, this.fitX) && same(this.sy, this.fitY);
  }
  fit(): void {
    this.sx = this.fitX;
    this.sy = this.fitY;
    this.x = this.y = 0;
  }
  // Height of the whole layout at the current scale, in pixels.
  get contentHeight(): number { return Math.ceil(this.top + this.layout.height * this.sy + 12); }
  // Height of a box in pixels.
  get boxHeight(): number { return Math.max(1, this.sy < 8 ? this.sy - 1 : this.sy * this.layout.fill); }
  toX(x: number): number { return this.labels + (x - this.x) * this.sx; }
  toY(y: number): number { return this.top + (y - this.y) * this.sy; }
  fromX(px: number): number { return this.x + (px - this.labels) / this.sx; }
  fromY(py: number): number { return this.y + (py - this.top) / this.sy; }
  get right(): number { return this.fromX(this.width); }
  get bottom(): number { return this.fromY(this.height); }

  // Zooms around the point (px, py).
  zoom(factor: number, px: number, py: number): void {
    const x = this.fromX(px), y = this.fromY(py);
    const most = Math.max(this.fitX, widestBox / this.layout.smallest);
    this.sx = Math.max(this.fitX, Math.min(most, this.sx * factor));
    this.sy = Math.max(this.fitY, Math.min(highestRow, this.sy * factor));
    this.x = x - (px - this.labels) / this.sx;
    this.y = y - (py - this.top) / this.sy;
    this.bound();
  }
  pan(px: number, py: number): void {
    this.x += px / this.sx;
    this.y += py / this.sy;
    this.bound();
  }
  // Shows a box at a readable size in the centre.
  go(box: number): void {
    const {x, y, w} = this.layout.boxes;
    const wanted = 104 / Math.max(w[box]!, this.layout.smallest);
    const most = Math.max(this.fitX, widestBox / this.layout.smallest);
    this.sx = Math.min(most, Math.max(this.sx, this.fitX, Math.min(wanted, this.roomX / Math.max(w[box]!, 1e-9))));
    this.sy = Math.max(this.sy, Math.min(usualRow, Math.max(18, this.fitY)));
    this.x = x[box]! + w[box]! / 2 - (this.roomX - this.coverX) / 2 / this.sx;
    this.y = y[box]! + 0.5 - (this.roomY - this.coverY) / 2 / this.sy;
    this.bound();
  }
  // Returns whether the details cover a box.
  isCovered(box: number): boolean {
    const {x, y, w} = this.layout.boxes;
    return this.toX(x[box]! + w[box]!) > this.width - this.coverX || this.toY(y[box]! + 1) > this.height - this.coverY;
  }
  // Shows a point of the layout in the centre.
  centre(x: number, y: number): void {
    this.x = x - this.roomX / 2 / this.sx;
    this.y = y - this.roomY / 2 / this.sy;
    this.bound();
  }
  // Keeps the layout on the screen.
  private bound(): void {
    this.x = Math.max(0, Math.min(this.x, this.layout.width - (this.roomX - this.coverX) / this.sx));
    this.y = Math.max(0, Math.min(this.y, this.layout.height - (this.roomY - this.coverY) / this.sy));
  }
}
