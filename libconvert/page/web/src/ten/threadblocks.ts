// SPDX-License-Identifier: MIT
// Threadblocks: a row for each, a box for each step, messages and dependencies between them.
import {CanvasView, color, counted, drawTimeAxis, facts, font, h, hideTip, panel, saveButton, showTip} from '../lib';
import type {Pen} from '../lib';
import {describe} from './findings';
import type {Marks} from './findings';
import {stepTypes, stepWords} from './program';
import type {Program} from './program';
import type {Context} from './state';

const left = 84, top = 22, rowHeight = 20, mostRows = 48, boxWidth = 38, widestBox = 110, mostWidth = 12000, mostEdges = 6000;
const boxColor: Record<string, string> = {s: 'compute', r: 'recv', rcs: 'compute', rrs: 'overlap', rrc: 'overlap', rrcs: 'overlap', cpy: 'cpu', re: 'memory', nop: 'idle'};

export function threadblockPanel({model, store}: Context, program: Program, marks: Marks): HTMLElement {
  const {npu, tbId, firstStep, type, done, place, tbOf, begin} = program;
  const blocks = npu.length;
  // Pages contain whole NPUs, up to a readable number of rows; an NPU with very many threadblocks has several
  // pages.
  const rowsOf = (tb: number): number => {
    let end = tb;
    while (end < blocks && npu[end] === npu[tb]) ++end;
    return end - tb;
  };
  const pages: [number, number][] = [];
  for (let tb = 0; tb < blocks;) {
    let end = tb + Math.min(mostRows, rowsOf(tb));
    while (end < blocks && npu[end] !== npu[end - 1] && end - tb + rowsOf(end) <= mostRows) end += rowsOf(end);
    pages.push([tb, end]);
    tb = end;
  }
  const pageName = ([a, b]: [number, number]): string => npu[a] !== npu[b - 1] ? `NPU ${npu[a]!}–${npu[b - 1]!}`
    : `NPU ${npu[a]!}${rowsOf(a) > mostRows || tbId[a] !== 0 ? `, tb ${tbId[a]!}–${tbId[b - 1]!}` : ''}`;
  let page = Math.max(0, pages.findIndex(([a, b]) => [...marks.steps.keys()].some(s => tbOf[s]! >= a && tbOf[s]! < b)));
  const span = (): [number, number] => pages[page] ?? [0, 0];
  const wide = Math.min(mostWidth, left + program.columns * boxWidth + 20);
  let step = 1, scale = 1;  // pixels of a position, of a picosecond
  const x = (s: number): number => left + (begin ? Math.max(0, begin[s]!) * scale : place[s]! * step);
  const widthOf = (s: number): number => begin ? Math.max(1.5, (done[s]! - begin[s]!) * scale - 1) : Math.max(1.5, step - 5);
  const y = (tb: number): number => top + (tb - span()[0]) * rowHeight;
  const visible = (s: number): boolean => s >= 0 && tbOf[s]! >= span()[0] && tbOf[s]! < span()[1];

  // With times, a message ends at the end of its receive, which may have waited for it.
  function edge(pen: Pen, a: number, b: number, message: boolean): void {
    if (!visible(a) || !visible(b)) return;
    const x1 = x(a) + widthOf(a) + 1, y1 = y(tbOf[a]!) + rowHeight / 2, y2 = y(tbOf[b]!) + rowHeight / 2;
    const x2 = begin && message ? x(b) + widthOf(b) : x(b) + 1, bend = begin ? Math.min(24, Math.abs(x2 - x1) / 2 + 4) : step * 0.4;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    pen.stroke();
  }
  function edges(pen: Pen): void {
    pen.lineWidth = 1;
    pen.globalAlpha = 0.55;
    pen.strokeStyle = color('compute');
    for (let i = 0; i < Math.min(mostEdges, program.send.length); ++i) edge(pen, program.send[i]!, program.recv[i]!, true);
    pen.strokeStyle = color('soft');
    pen.setLineDash([3, 3]);
    for (let i = 0; i < Math.min(mostEdges, program.from.length); ++i) edge(pen, program.from[i]!, program.to[i]!, false);
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
  function box(pen: Pen, s: number): void {
    const name = stepTypes[type[s]!] ?? '?', wrong = marks.steps.has(s), ran = done[s]! >= 0;
    const at = x(s), above = y(tbOf[s]!) + 2, width = widthOf(s);
    pen.globalAlpha = ran && done[s]! <= store.value.t + 1e-9 ? 1 : 0.3;
    pen.fillStyle = color(boxColor[name] ?? 'idle');
    pen.fillRect(at, above, width, rowHeight - 4);
    pen.globalAlpha = 1;
    if (wrong || !ran) {
      pen.strokeStyle = color('bad');
      pen.lineWidth = wrong ? 2.4 : 1;
      if (!ran) pen.setLineDash([3, 2]);
      pen.strokeRect(at, above, width, rowHeight - 4);
      pen.setLineDash([]);
    }
    if (width < 20) return;
    pen.fillStyle = ran && done[s]! <= store.value.t + 1e-9 && name !== 'nop' ? color('onbar') : color('ink');
    pen.fillText(name, at + width / 2, above + (rowHeight - 4) / 2 + 0.5);
  }
  const view = new CanvasView({
    label: `threadblocks and their steps`, height: () => top + (span()[1] - span()[0]) * rowHeight + 6,
    draw: (pen, width) => {
      step = Math.min(widestBox, (width - left - 10) / program.columns);
      scale = (width - left - 10) / (model.total || 1);
      if (begin) drawTimeAxis(pen, 0, model.total, left, width - 10, y(span()[1]));
      pen.font = font();
      pen.textBaseline = 'middle';
      pen.textAlign = 'left';
      pen.fillStyle = color('soft');
      if (!begin) pen.fillText('steps, by the longest chain before them →', left, 9);
      const [from, to] = span();
      for (let tb = from; tb < to; ++tb) {
        const above = y(tb), head = tb === from || npu[tb] !== npu[tb - 1];
        if (head) {
          pen.strokeStyle = color('line');
          pen.lineWidth = 1;
          pen.beginPath(); pen.moveTo(0, above - 0.5); pen.lineTo(width, above - 0.5); pen.stroke();
        }
        pen.textAlign = 'left';
        pen.fillStyle = color(store.value.npu === npu[tb] ? 'focus' : 'ink');
        if (head) pen.fillText(`NPU ${npu[tb]!}`, 0, above + rowHeight / 2);
        pen.textAlign = 'right';
        pen.fillStyle = color('soft');
        pen.fillText(`tb ${tbId[tb]!}`, left - 8, above + rowHeight / 2);
      }
      edges(pen);
      pen.textAlign = 'center';
      for (let s = firstStep[from] ?? 0; s < (firstStep[to] ?? 0); ++s) box(pen, s);
    },
  });
  store.on(() => view.redraw());
  const hit = (e: MouseEvent): number => {
    const [from, to] = span(), tb = from + Math.floor((e.offsetY - top) / rowHeight);
    if (tb < from || tb >= to) return -1;
    for (let s = firstStep[tb]!; s < firstStep[tb + 1]!; ++s) if (e.offsetX >= x(s) && e.offsetX < x(s) + (begin ? widthOf(s) + 1 : step)) return s;
    return -1;
  };
  view.canvas.addEventListener('mousemove', e => {
    const s = hit(e);
    if (s < 0) { hideTip(); return; }
    const name = stepTypes[type[s]!] ?? '?';
    showTip(e, facts(`${program.name(s)}: ${name}`, [
      ['', stepWords[name]], ['', program.moves(s)],
      ['', done[s]! < 0 ? 'never runs' : `done at ${model.clock(done[s]!, 6)}`],
      program.line[s]! > 0 && ['line', `${program.line[s]!} of ${model.head.file}`],
      ...describe(marks.steps.get(s)),
    ]));
  });
  view.canvas.addEventListener('mouseleave', hideTip);
  view.canvas.addEventListener('click', e => {
    const s = hit(e);
    if (s >= 0 && done[s]! >= 0) store.set({t: done[s]!, playing: false});
  });

  const scroller = h('div', {class: 'wide'}, h('div', {style: {minWidth: `${wide}px`}}, view.element));
  if (wide <= 640) scroller.firstElementChild!.removeAttribute('style');
  const chooser: HTMLSelectElement = h('select', {'aria-label': 'NPUs', id: 'tb-page', onchange: () => { page = Number(chooser.value); view.drawNow(); }},
    pages.map((range, i) => h('option', {value: i, selected: i === page}, pageName(range))));
  const legendItem = (name: string, text: string): HTMLElement => h('span', {}, h('i', {style: {backgroundColor: `var(--${name})`}}), text);
  return panel({id: 'threadblocks', title: 'Threadblocks', right: [pages.length > 1 ? chooser : null, saveButton('threadblocks', () => view.svg())],
                note: `${counted(blocks, 'threadblock')}, ${counted(type.length, 'step')} · pale: not done yet${done.some(d => d < 0) ? ' · dashed red: never runs' : ''}`,
                hint: 'click: go to its time'},
    scroller, h('div', {class: 'legend'}, legendItem('compute', 'sends (s rcs)'), legendItem('recv', 'receives (r)'),
      legendItem('overlap', 'receives and adds (rrc rrs rrcs)'), legendItem('memory', 'adds (re)'), legendItem('cpu', 'copies (cpy)'),
      h('span', {}, 'lines: messages · dashed: dependencies'),
      marks.steps.size > 0 ? h('span', {class: 'bad'}, 'red frame: finding') : null));
}
