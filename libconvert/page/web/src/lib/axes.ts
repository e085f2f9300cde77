// SPDX-License-Identifier: MIT
// Axes: of times on a canvas, and d3's in an SVG, with the colours of the page.
import {axisBottom, axisLeft} from 'd3-axis';
import {scaleLinear} from 'd3-scale';
import type {ScaleLinear} from 'd3-scale';
import {select} from 'd3-selection';
import {color} from './theme';
import {font} from './canvas';
import {timeLabels} from './format';
import type {Pen} from './svg_context';

export {scaleLinear};
export type {ScaleLinear};

// Returns about `count` round times between two times, in picoseconds.
export const timeTicks = (from: number, to: number, count: number): number[] =>
  from < to ? scaleLinear().domain([from, to]).ticks(Math.max(2, count)) : [from];

// Draws a label at the top and a line down to `bottom` for each tick between x = left and right.
export function drawTimeAxis(pen: Pen, from: number, to: number, left: number, right: number, bottom: number): void {
  const ticks = timeTicks(from, to, (right - left) / 110);
  const labels = timeLabels(ticks);
  const x = scaleLinear().domain([from, to > from ? to : from + 1]).range([left, right]);
  pen.strokeStyle = color('grid');
  pen.fillStyle = color('soft');
  pen.lineWidth = 1;
  pen.font = font();
  pen.textBaseline = 'middle';
  ticks.forEach((t, i) => {
    const at = Math.round(x(t)) + 0.5;
    pen.beginPath();
    pen.moveTo(at, 16);
    pen.lineTo(at, bottom);
    pen.stroke();
    const half = pen.measureText(labels[i]!).width / 2;
    pen.textAlign = at - half < left - 2 ? 'left' : at + half > right ? 'right' : 'center';
    pen.fillText(labels[i]!, pen.textAlign === 'left' ? left : pen.textAlign === 'right' ? right : at, 8);
  });
}

function paint(group: SVGGElement): void {
  group.setAttribute('font-family', 'system-ui, "DejaVu Sans", sans-serif');
  for (const text of group.querySelectorAll('text')) { text.setAttribute('fill', color('soft')); text.setAttribute('font-size', '11'); }
  for (const line of group.querySelectorAll('line, path')) line.setAttribute('stroke', color('grid'));
}

// Draws a horizontal axis with these ticks and labels into a group.
export function bottomAxis(group: SVGGElement, scale: ScaleLinear, ticks: number[], labels: string[]): void {
  select(group).call(axisBottom(scale).tickValues(ticks).tickFormat((_, i) => labels[i]!).tickSizeOuter(0));
  paint(group);
}

// Draws a vertical axis with lines across the chart.
export function leftAxis(group: SVGGElement, scale: ScaleLinear, ticks: number[], labels: string[], width: number): void {
  select(group).call(axisLeft(scale).tickValues(ticks).tickFormat((_, i) => labels[i]!).tickSizeInner(-width)
    .tickSizeOuter(0).tickPadding(6));
  group.querySelector('.domain')?.remove();
  paint(group);
}
