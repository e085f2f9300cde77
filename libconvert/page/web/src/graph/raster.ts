// SPDX-License-Identifier: MIT
// Drawing of many boxes as pixels: filling a rectangle of an image is faster than a canvas operation.
import {boxesBetween} from './boxes';
import type {View} from './view';

// Returns a colour as a pixel, little-endian.
export function pixel(css: string, background: string, share = 1): number {
  const channel = (text: string, i: number): number => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  const [r, g, b] = [0, 1, 2].map(i => Math.round(channel(css, i) * share + channel(background, i) * (1 - share)));
  return (255 << 24 | b! << 16 | g! << 8 | r!) >>> 0;
}

export class Raster {
  private image: ImageData | undefined;
  private pixels = new Uint32Array(0);

  // Begins an image of the canvas's size in device pixels, filled with one colour.
  begin(width: number, height: number, background: number): void {
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(background);
  }

  // Paints the boxes of visible strips; `colorOf` returns the pixel of a box (0: none).
  paint(view: View, ratio: number, colorOf: (box: number) => number): void {
    const {layout} = view, {boxes} = layout, {width, height} = this.image!;
    const sx = view.sx * ratio, left = view.labels * ratio - view.x * sx;
    const sy = view.sy * ratio, top = view.top * ratio - view.y * sy;
    const high = Math.max(1, Math.round(view.boxHeight * ratio)), edge = Math.round(view.labels * ratio);
    const share = sx * layout.smallest >= 4 * ratio ? 0.82 : 1;
    const right = view.right;
    for (const strip of layout.strips) {
      if (strip.y + strip.h < view.y || strip.y > view.bottom) continue;
      const [begin, end] = boxesBetween(layout, strip, view.x, right);
      for (let b = begin; b < end; ++b) {
        const color = colorOf(b);
        if (color === 0) continue;
        const at = left + boxes.x[b]! * sx;
        const x1 = Math.max(edge, Math.round(at));
        const x2 = Math.min(width, Math.max(x1 + 1, Math.round(at + boxes.w[b]! * sx * share)));
        const y1 = Math.round(top + boxes.y[b]! * sy), y2 = Math.min(height, y1 + high);
        for (let y = Math.max(0, y1); y < y2; ++y) {
          const line = y * width;
          if (x2 - x1 > 12) this.pixels.fill(color, line + x1, line + x2);
          else for (let x = x1; x < x2; ++x) this.pixels[line + x] = color;
        }
      }
    }
  }
  end(pen: CanvasRenderingContext2D): void { pen.putImageData(this.image!, 0, 0); }
}
