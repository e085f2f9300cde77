// SPDX-License-Identifier: MIT
// Drawing of the bars of many thin lanes as pixels, which is much faster than rectangles. If bars share a pixel,
// their colours are mixed by coverage.
import {channels} from '../lib';
import type {BarSink} from './timeline_bars';

// The bars of a part of a lane; drawn in its first line of pixels, then copied to the other lines.
class PixelBars implements BarSink {
  private line = 0;  // first pixel
  private lines = 0;

  constructor(private readonly pixels: Uint32Array, private readonly width: number, private readonly ratio: number,
              private readonly rgb: (color: string) => number) {}

  moveTo(top: number, lines: number): void {
    this.line = top * this.width;
    this.lines = lines;
  }

  add(from: number, to: number, color: string, alpha: number): void {
    const a = Math.max(0, from * this.ratio), b = Math.min(this.width, to * this.ratio);
    if (b <= a || this.lines === 0) return;
    const rgb = this.rgb(color), first = Math.floor(a), last = Math.ceil(b) - 1;
    if (first === last) return this.mix(first, rgb, alpha * (b - a));
    this.mix(first, rgb, alpha * (first + 1 - a));
    this.mix(last, rgb, alpha * (b - last));
    if (last > first + 1) this.pixels.fill((Math.round(255 * alpha) << 24 | rgb) >>> 0, this.line + first + 1, this.line + last);
  }

  finish(): void {
    for (let i = 1; i < this.lines; ++i) this.pixels.copyWithin(this.line + i * this.width, this.line, this.line + this.width);
  }

  private mix(x: number, rgb: number, share: number): void {
    const before = this.pixels[this.line + x]!, held = (before >>> 24) / 255, sum = held + share;
    let pixel = Math.min(255, Math.round(255 * sum)) << 24;
    for (let shift = 0; shift < 24; shift += 8) {
      const own = rgb >>> shift & 255, other = before >>> shift & 255;
      pixel |= Math.round((other * held + own * share) / sum) << shift;
    }
    this.pixels[this.line + x] = pixel >>> 0;
  }
}

export class Pixels {
  private readonly canvas = document.createElement('canvas');
  private readonly context: CanvasRenderingContext2D;
  private readonly image: ImageData;
  private readonly pixels: Uint32Array;  // alpha, blue, green, red from the highest byte (little-endian RGBA)
  private readonly bars: PixelBars[];
  private readonly known = new Map<string, number>();

  // `ratio`: screen pixels per page pixel; `parts`: maximum number of parts of a lane.
  constructor(readonly width: number, readonly height: number, readonly ratio: number, parts: number) {
    const {canvas} = this;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    this.context = canvas.getContext('2d', {willReadFrequently: true})!;
    this.image = this.context.createImageData(canvas.width, canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.bars = Array.from({length: parts}, () => new PixelBars(this.pixels, canvas.width, ratio, color => this.rgb(color)));
  }

  clear(): void { this.pixels.fill(0); }

  // Returns the sink of the `k`th part of a lane. Its bars must end with finish() before the bars of the next lane
  // begin.
  part(k: number, y: number, height: number): BarSink {
    const top = Math.round(y * this.ratio), bottom = Math.max(top + 1, Math.round((y + height) * this.ratio));
    this.bars[k]!.moveTo(top, Math.max(0, Math.min(this.image.height, bottom) - top));
    return this.bars[k]!;
  }

  drawTo(pen: CanvasRenderingContext2D): void {
    this.context.putImageData(this.image, 0, 0);
    pen.drawImage(this.canvas, 0, 0, this.width, this.height);
  }

  private rgb(color: string): number {
    let known = this.known.get(color);
    if (known === undefined) {
      const [red, green, blue] = channels(color);
      this.known.set(color, known = blue! << 16 | green! << 8 | red!);
    }
    return known;
  }
}
