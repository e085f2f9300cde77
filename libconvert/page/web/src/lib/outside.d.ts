// SPDX-License-Identifier: MIT
// Types of d3's modules, in the versions of Debian, and of browser interfaces that tsc lacks.
declare class DecompressionStream {
  constructor(format: 'deflate');
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

declare module 'd3-scale' {
  export interface ScaleLinear {
    (value: number): number;
    invert(value: number): number;
    domain(): number[];
    domain(values: readonly number[]): ScaleLinear;
    range(): number[];
    range(values: readonly number[]): ScaleLinear;
    ticks(count?: number): number[];
    nice(count?: number): ScaleLinear;
    clamp(on: boolean): ScaleLinear;
    copy(): ScaleLinear;
  }
  export function scaleLinear(): ScaleLinear;
  export function scaleLog(): ScaleLinear;
}

declare module 'd3-axis' {
  import type {ScaleLinear} from 'd3-scale';
  import type {Selection} from 'd3-selection';
  export interface Axis {
    (selection: Selection): void;
    tickValues(values: readonly number[]): Axis;
    tickFormat(format: (value: number, index: number) => string): Axis;
    tickSizeInner(size: number): Axis;
    tickSizeOuter(size: number): Axis;
    tickPadding(size: number): Axis;
  }
  export function axisBottom(scale: ScaleLinear): Axis;
  export function axisLeft(scale: ScaleLinear): Axis;
}

declare module 'd3-selection' {
  export interface Selection {
    call(f: (selection: Selection) => void): Selection;
  }
  export function select(element: Element): Selection;
}

declare module 'd3-shape' {
  export interface Area<T> {
    (data: readonly T[]): string | null;
    x(f: (d: T, i: number) => number): Area<T>;
    y0(f: ((d: T, i: number) => number) | number): Area<T>;
    y1(f: ((d: T, i: number) => number) | number): Area<T>;
    curve(c: unknown): Area<T>;
  }
  export interface Line<T> {
    (data: readonly T[]): string | null;
    x(f: (d: T, i: number) => number): Line<T>;
    y(f: (d: T, i: number) => number): Line<T>;
    curve(c: unknown): Line<T>;
  }
  export function area<T>(): Area<T>;
  export function line<T>(): Line<T>;
  export const curveStepAfter: unknown;
  export const curveStepBefore: unknown;
  export const curveLinear: unknown;
}

declare module 'd3-array' {
  export function bisector<T>(f: (d: T) => number): {left(a: ArrayLike<T>, x: number, lo?: number, hi?: number): number};
  export function bisectLeft(a: ArrayLike<number>, x: number, lo?: number, hi?: number): number;
  export function bisectRight(a: ArrayLike<number>, x: number, lo?: number, hi?: number): number;
  export function quantileSorted(a: ArrayLike<number>, p: number): number | undefined;
  export function max(a: Iterable<number>): number | undefined;
  export function sum(a: Iterable<number>): number;
  export function mean(a: Iterable<number>): number | undefined;
  export function median(a: Iterable<number>): number | undefined;
}
