// SPDX-License-Identifier: MIT
// Computed colours: between two colours, and one for each chunk.
import {color, isDark} from './theme';

// Returns red, green and blue, 0 to 255, of "#rgb", "#rrggbb" or "rgb(r,g,b)".
export function channels(hex: string): number[] {
  if (hex.startsWith('rgb(')) return hex.slice(4).split(',').map(parseFloat);
  const digits = hex.length === 4 ? [...hex.slice(1)].map(d => d + d).join('') : hex.slice(1);
  return [0, 2, 4].map(i => parseInt(digits.slice(i, i + 2), 16));
}

// Returns the colour at `share` between two colours.
export function mix(from: string, to: string, share: number): string {
  const end = channels(to);
  const part = Math.min(1, Math.max(0, share));
  return `rgb(${channels(from).map((v, i) => Math.round(v + (end[i]! - v) * part)).join(',')})`;
}

// Returns the colour of a share between 0 and 1 in maps and matrices.
export const heat = (share: number): string => mix(color('heat0'), color('heat1'), share);

// Returns a colour by lightness, chroma and hue (radians) of OKLCH, as sRGB.
export function oklch(lightness: number, chroma: number, hue: number): string {
  const a = chroma * Math.cos(hue), b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                  -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                  -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
  const byte = (x: number): string => {
    const v = Math.min(1, Math.max(0, x));
    const gamma = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
    return Math.round(255 * gamma).toString(16).padStart(2, '0');
  };
  return '#' + linear.map(byte).join('');
}

const few = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#7f3c8d', '#6b8e23'];
const fewDark = ['#4aa3e0', '#f08a3c', '#2fc79b', '#e39bc4', '#8fd0f5', '#f2bf4a', '#b884d6', '#a9c95a'];

// Returns the colour of a chunk among `count`, "#rrggbb": for up to eight chunks, colours that colour-blind readers
// can distinguish; else evenly spaced hues.
export function chunkColor(chunk: number, count: number): string {
  if (count <= few.length) return (isDark() ? fewDark : few)[chunk]!;
  return oklch(isDark() ? 0.74 : 0.6, 0.13, 2 * Math.PI * chunk / count + 0.4);
}
