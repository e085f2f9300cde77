// SPDX-License-Identifier: MIT
// Drawing of bars as rectangles. Adjacent bars of equal look become one rectangle, as there can be more slices than
// pixels.
import type {Pen} from '../lib';

// Receives the bars of one line, from left to right; draws them at the latest in finish().
export interface BarSink {
  add(from: number, to: number, color: string, alpha: number): void;
  finish(): void;
}

export class Bars implements BarSink {
  private from = 0;
  private to = 0;
  private color = '';
  private alpha = 1;

  constructor(private readonly pen: Pen, private readonly y: number, private readonly height: number) {}

  add(from: number, to: number, color: string, alpha: number): void {
    if (from > this.to + 0.05 || color !== this.color || alpha !== this.alpha) {
      this.finish();
      this.from = this.to = from;
      this.color = color;
      this.alpha = alpha;
    }
    this.to = Math.max(this.to, to);
  }

  // Draws the pending rectangle.
  finish(): void {
    if (this.to <= this.from) return;
    this.pen.globalAlpha = this.alpha;
    this.pen.fillStyle = this.color;
    this.pen.fillRect(this.from, this.y, this.to - this.from, this.height);
    this.pen.globalAlpha = 1;
    this.from = this.to;
  }
}
