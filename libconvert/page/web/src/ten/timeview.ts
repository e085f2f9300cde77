// SPDX-License-Identifier: MIT
// View in time: an arrow is a transfer, from its source at its begin to its destination at its end.
import {CanvasView, chunkColor, color, count, exactTime, facts, font, h, hideTip, panel, saveSvg, showTip, timeLabels, timeTicks} from '../lib';
import type {Pen} from '../lib';
import {gridOf} from './layout';
import {bandBins, bands, busyBins, busyLinks, mostRows, Rows} from './rows';
import {describe} from './findings';
import type {Marks} from './findings';
import type {Context} from './state';

const right = 14, top = 54, mostGridLines = 60, mostHeads = 600;

export function timePanel({model, store, large}: Context, marks: Marks): HTMLElement {
  const grid = model.devices > mostRows ? gridOf(model.devices, model.links) : undefined;
  const rows = new Rows(model.devices, grid, model.npus), left = rows.per > 1 ? 72 : 52;
  const rowHeight = Math.max(rows.count > 64 ? 7 : 9, Math.min(34, 620 / rows.count));
  const height = top + rows.count * rowHeight + 8;
  const busy = busyLinks(model);
  const grouped = rows.per > 1 ? bands(model, rows) : undefined;
  let width = 0;
  const x = (t: number): number => left + t / (model.total || 1) * (width - left - right);
  const y = (npu: number): number => top + (rows.of(npu) + 0.5) * rowHeight;

  function drawFrame(pen: Pen): void {
    pen.font = font();
    pen.textBaseline = 'middle';
    pen.fillStyle = color('soft');
    pen.textAlign = 'right';
    pen.fillText('links', left - 6, 29);
    pen.fillText('busy', left - 6, 41);
    pen.fillStyle = color('compute');
    pen.globalAlpha = 0.5;
    pen.beginPath();
    pen.moveTo(x(0), 48);
    busy.forEach((share, k) => {
      pen.lineTo(x(k / busyBins * model.total), 48 - 26 * Math.min(1, share));
      pen.lineTo(x((k + 1) / busyBins * model.total), 48 - 26 * Math.min(1, share));
    });
    pen.lineTo(x(model.total), 48);
    pen.fill();
    pen.globalAlpha = 1;
    const ticks = timeTicks(0, model.total, (width - left) / 100).filter(t => !model.steps || Number.isInteger(t));
    const labels = model.steps ? ticks.map(t => String(t)) : timeLabels(ticks);
    pen.fillStyle = color('soft');
    ticks.forEach((t, i) => {
      const half = pen.measureText(labels[i]!).width / 2;
      pen.textAlign = x(t) + half > width ? 'right' : 'center';
      pen.fillText(labels[i]!, x(t) + half > width ? width : x(t), 9);
    });
    pen.strokeStyle = color('grid');
    pen.lineWidth = 1;
    if (model.starts.length <= mostGridLines) {
      for (const t of model.starts) { pen.beginPath(); pen.moveTo(x(t), top); pen.lineTo(x(t), height - 8); pen.stroke(); }
    }
    for (let r = 0; r < rows.count; ++r) {
      const at = top + (r + 0.5) * rowHeight, chosen = store.value.npu >= 0 && rows.of(store.value.npu) === r;
      pen.strokeStyle = color(chosen ? 'focus' : 'grid');
      pen.beginPath(); pen.moveTo(left, at); pen.lineTo(x(model.total), at); pen.stroke();
      if (!chosen && r % Math.ceil(12 / rowHeight) !== 0) continue;
      pen.textAlign = 'right';
      pen.fillStyle = color(chosen ? 'focus' : 'soft');
      pen.fillText(rows.label(r), left - 7, at);
    }
  }

  function arrow(pen: Pen, i: number, line: number, alpha: number, head: boolean): void {
    const shown = model.shownChunk(i, store.value.chunk);
    const ink = marks.transfers.has(i) ? color('bad') : shown < 0 ? color('faint') : chunkColor(shown, model.chunks);
    const x1 = x(model.begin[i]!), y1 = y(model.src[i]!), x2 = x(model.end[i]!), y2 = y(model.dst[i]!);
    const angle = Math.atan2(y2 - y1, x2 - x1), short = head ? 5 : 0;
    pen.globalAlpha = alpha;
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = line;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2 - short * Math.cos(angle), y2 - short * Math.sin(angle));
    pen.stroke();
    if (!head) return;
    pen.beginPath();
    if (model.op[i]) {
      pen.arc(x2, y2, 3.7, 0, 2 * Math.PI);
      pen.fillStyle = color('panel');
      pen.fill();
      pen.lineWidth = 1.7;
      pen.stroke();
    } else {
      pen.moveTo(x2, y2);
      pen.lineTo(x2 - 8 * Math.cos(angle - 0.38), y2 - 8 * Math.sin(angle - 0.38));
      pen.lineTo(x2 - 8 * Math.cos(angle + 0.38), y2 - 8 * Math.sin(angle + 0.38));
      pen.fill();
    }
    pen.fillStyle = ink;
    pen.beginPath(); pen.arc(x1, y1, 2.1, 0, 2 * Math.PI); pen.fill();
  }

  function drawBands(pen: Pen): void {
    pen.strokeStyle = color('compute');
    pen.lineWidth = 1;
    const part = model.total / bandBins(model);
    for (const b of grouped!.list) {
      pen.globalAlpha = 0.05 + 0.3 * b.transfers / grouped!.most;
      pen.beginPath();
      pen.moveTo(x(b.bin * part), top + (b.from + 0.5) * rowHeight);
      pen.lineTo(x((b.bin + 1) * part), top + (b.to + 0.5) * rowHeight);
      pen.stroke();
    }
  }

  const base = new CanvasView({
    label: `time-expanded network of ${count(model.transfers)} transfers`, height: () => height,
    draw: (pen, w) => {
      width = w;
      drawFrame(pen);
      const {chunk, npu} = store.value;
      if (grouped) drawBands(pen);
      const mine: number[] = [];
      for (let i = 0; i < model.transfers; ++i) {
        if (chunk >= 0 && model.carries(i, chunk)) { mine.push(i); continue; }
        if (grouped) { if (marks.transfers.has(i)) mine.push(i); continue; }
        const aside = npu >= 0 && model.src[i] !== npu && model.dst[i] !== npu;
        if (chunk >= 0) arrow(pen, i, 0.7, marks.transfers.has(i) ? 1 : large ? 0.07 : 0.16, false);
        else arrow(pen, i, large ? 1 : 1.5, large ? 0.3 : aside ? 0.18 : 0.95, !large);
      }
      const crowded = mine.length > mostHeads;
      for (const i of mine) arrow(pen, i, crowded ? 1.2 : 2, 1, !crowded);
      pen.globalAlpha = 1;
    },
  });
  const front = new CanvasView({
    label: 'transfers under way at the chosen time', height: () => height, focusable: true,
    draw: (pen, w) => {
      width = w;
      const {t, chunk} = store.value;
      if (!large) {
        for (let i = 0; i < model.transfers; ++i) {
          if (model.begin[i]! <= t && model.end[i]! > t && (chunk < 0 || model.carries(i, chunk))) arrow(pen, i, 3.2, 1, true);
        }
      }
      pen.globalAlpha = 1;
      pen.strokeStyle = color('focus');
      pen.lineWidth = 1.5;
      pen.beginPath(); pen.moveTo(x(t), 18); pen.lineTo(x(t), height - 4); pen.stroke();
    },
  });
  front.element.classList.add('front');
  store.on((_, changed) => {
    if ('chunk' in changed || ('npu' in changed && !large)) base.redraw();
    front.redraw();
  });

  function near(e: MouseEvent): number {
    let best = 6, found = -1;
    const followed = store.value.chunk;
    for (let i = 0; i < model.transfers; ++i) {
      const x1 = x(model.begin[i]!), x2 = x(model.end[i]!);
      if (e.offsetX < x1 - 5 || e.offsetX > x2 + 5) continue;
      if ((grouped || (large && followed >= 0)) && !model.carries(i, followed)) continue;
      const y1 = y(model.src[i]!), dx = x2 - x1, dy = y(model.dst[i]!) - y1;
      const along = Math.max(0, Math.min(1, ((e.offsetX - x1) * dx + (e.offsetY - y1) * dy) / (dx * dx + dy * dy || 1)));
      const d = Math.hypot(e.offsetX - x1 - along * dx, e.offsetY - y1 - along * dy);
      if (d < best) { best = d; found = i; }
    }
    return found;
  }
  function tell(e: MouseEvent, i: number): void {
    const chunk = model.shownChunk(i, store.value.chunk), k = chunk < 0 ? -1 : model.cargoOf(i, chunk);
    const took = model.end[i]! - model.begin[i]!;
    showTip(e, facts(`${model.cargoName(i)}: ${model.npuName(model.src[i]!)} → ${model.isSwitch(model.dst[i]!) ? model.npuName(model.dst[i]!) : model.dst[i]!}`, [
      ['', model.op[i] ? 'is added to the receiver’s data' : 'copy'],
      ['from', model.steps ? `${model.clock(model.begin[i]!)} to ${Number(model.end[i]!.toFixed(1))}`
        : `${exactTime(model.begin[i]!)} to ${exactTime(model.end[i]!)}, ${exactTime(took)}`],
      k >= 0 && !model.isSwitch(model.dst[i]!) && [`then ${model.npuName(model.dst[i]!)} has`, `${Math.abs(model.held[k]!)} of ${model.needed[chunk]!} contributions${model.held[k]! < 0 ? ', some twice' : ''} of ${model.chunkName(chunk)}`],
      ...describe(marks.transfers.get(i)),
    ]));
  }
  let dragging = false;
  const scrub = (e: PointerEvent): void =>
    store.set({t: Math.max(0, Math.min(model.total, (e.offsetX - left) / Math.max(1, width - left - right) * model.total)), playing: false});
  front.canvas.addEventListener('pointerdown', e => {
    const i = near(e);
    if (i < 0) { dragging = true; front.canvas.setPointerCapture(e.pointerId); scrub(e); return; }
    const chunk = model.shownChunk(i, -1);
    if (chunk >= 0) store.set({chunk: model.carries(i, store.value.chunk) ? -1 : chunk});
  });
  front.canvas.addEventListener('pointerup', () => { dragging = false; });
  front.canvas.addEventListener('pointermove', e => {
    if (dragging) { scrub(e); return; }
    const i = near(e);
    if (i < 0) hideTip(); else tell(e, i);
  });
  front.canvas.addEventListener('pointerleave', hideTip);

  const chunkLegend = model.chunks <= 8
    ? Array.from(model.ids, (id, c) => h('span', {}, h('i', {class: 'dot', 'data-chunk': c}), `chunk ${id}`))
    : [h('span', {}, 'colour: chunk (hue by number)')];
  const paint = (legend: Element): void => {
    for (const dot of legend.querySelectorAll<HTMLElement>('i.dot')) dot.style.backgroundColor = chunkColor(Number(dot.dataset.chunk), model.chunks);
  };
  const legend = h('div', {class: 'legend'}, chunkLegend, h('span', {}, '◯ is added'), h('span', {}, '➤ copy'),
    marks.transfers.size > 0 ? h('span', {class: 'bad'}, 'red: finding') : null);
  paint(legend);
  store.on(() => paint(legend));
  const note = rows.per > 1 ? `rows: ${rows.per} NPUs each${grid ? `, by the highest dimensions of ${grid.join(' × ')}` : ''}; shades: number of transfers; the followed chunk: single transfers`
    : 'an arrow: a transfer, from its source when it starts to its destination when it ends';
  return panel({id: 'time', title: model.steps ? 'In steps, not time' : 'In time', note, hint: rows.per > 1 ? 'drag: time' : 'drag: time · click: follow',
                right: h('button', {class: 'save', title: 'save as in-time.svg', 'aria-label': 'save in-time as SVG',
                                    onclick: () => saveSvg('in-time', base.svg())}, 'SVG')},
    h('div', {class: 'layers'}, base.element, front.element), legend);
}
