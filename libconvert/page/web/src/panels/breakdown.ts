// SPDX-License-Identifier: MIT
// Time categories: a bar for each NPU; its parts add up to the total.
import {bytes, count, unfold, exactTime, facts, h, largest, legend, panel, percent, s, scaleLinear, Table, timeText, tipOn, color,
        onTheme} from '../lib';
import {parts} from './run';
import {exposedOf} from './sums';
import type {Npu, Panel, Run, View} from './run';

const mostRows = 32, ends = 12;

function bar(run: Run, view: View, npu: Npu): HTMLElement {
  const used = parts.map((p, i) => ({...p, ps: npu.parts[i]!})).filter(p => p.ps > 0);
  const element = h('div', {class: 'row', role: 'listitem', 'data-npu': npu.rank,
                            onmouseenter: () => view.set({npu: npu.index}), onmouseleave: () => view.set({npu: -1})},
    h('span', {class: 'n'}, String(npu.rank)),
    h('span', {class: 't'}, used.map(p =>
      h('i', {class: p.name, style: `width:${100 * run.share(p.ps)}%`}))),
    h('span', {class: 'v'}, percent(run.share(exposedOf(npu)))));
  parts.forEach((p, i) => element.dataset[p.name + 'Ps'] = String(npu.parts[i]));
  tipOn(element, () => facts(run.npuName(npu.index), used.map(p => [p.text, `${exactTime(p.ps)} · ${percent(run.share(p.ps))}`])));
  return element;
}

// Returns a histogram of NPUs by their share of exposed communication.
function histogram(run: Run): HTMLElement {
  const shares = run.npus.map(n => run.share(exposedOf(n)));
  const most = largest(shares, 0.001), bins = 24;
  const counts = new Array<number>(bins).fill(0);
  for (const share of shares) ++counts[Math.min(bins - 1, Math.floor(share / most * bins))]!;
  const holder = h('div', {class: 'histogram'});
  const draw = (): void => {
    const width = 400, height = 84, y = scaleLinear().domain([0, largest(counts)]).range([0, height - 22]);
    holder.replaceChildren(s('svg', {viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img',
                                     'aria-label': 'number of NPUs by their share of exposed communication'},
      counts.map((c, i) => s('rect', {x: i * width / bins + 1, width: width / bins - 2, y: height - 18 - (c > 0 ? Math.max(2, y(c)) : 0), height: c > 0 ? Math.max(2, y(c)) : 0,
                                      fill: color('exposed'), 'data-npus': c})),
      [0, most / 2, most].map((share, i) => s('text', {
        x: i * width / 2, y: height - 4, fill: color('soft'), 'font-size': 11, 'text-anchor': ['start', 'middle', 'end'][i]!},
        percent(share)))));
  };
  draw();
  onTheme(draw);
  return h('div', {}, h('p', {class: 'small'}, `all ${count(run.npus.length)} NPUs by exposed share`), holder);
}

function table(run: Run): HTMLElement {
  const {data} = run;
  const known = data.has('npu.finish'), astra = known ? run.times('npu.astra_exposed') : new Float64Array();
  const real = (name: string): Float64Array => known ? data.f64(name) : new Float64Array();
  const sent = real('npu.bytes_sent'), sends = real('npu.sends'), peak = real('npu.peak_memory');
  const used = parts.map((p, i) => ({...p, i})).filter(p => run.npus.some(n => n.parts[p.i]! > 0));
  const number = (title: string, value: (n: Npu) => number, text: (v: number) => Node | string) =>
    ({title, value, cell: (n: Npu) => value(n) < 0 ? '–' : text(value(n))});
  return h('div', {class: 'scroll'}, new Table<Npu>({
    rows: run.npus, most: 256, columns: [
      {title: 'NPU', left: true, value: n => n.rank, cell: n => String(n.rank)},
      ...used.map(p => number(p.text, n => n.parts[p.i]!, timeText)),
      ...(known ? [number('finish', (n: Npu) => n.finish, timeText)] : []),
      ...(astra.some(t => t >= 0) ? [number('finish − compute', (n: Npu) => astra[n.index]!, timeText)] : []),
      ...(known ? [number('sends', (n: Npu) => sends[n.index]!, count), number('bytes sent', (n: Npu) => sent[n.index]!, bytes)] : []),
      ...(peak.some(b => b >= 0) ? [number('peak memory', (n: Npu) => peak[n.index]!, bytes)] : []),
    ]}).element);
}

export const breakdown: Panel = (run, view) => {
  if (run.npus.length === 0) return null;
  const many = run.npus.length > mostRows;
  const order = [...run.npus].sort((a, b) => exposedOf(b) - exposedOf(a) || a.index - b.index);
  const rows = many ? [...order.slice(0, ends), ...order.slice(-ends)] : run.npus;
  const bars = h('div', {class: 'bars', role: 'list'}, rows.map((npu, i) => [
    many && i === ends ? h('div', {class: 'gap'}, '⋯') : null, bar(run, view, npu)]));
  const used = parts.filter((_, i) => run.npus.some(n => n.parts[i]! > 0));
  view.on((state, changed) => {
    if (changed.npu === undefined) return;
    for (const row of bars.querySelectorAll('.row')) {
      row.classList.toggle('on', (row as HTMLElement).dataset.npu === String(run.npus[state.npu]?.rank));
    }
  });
  return panel({id: 'breakdown', title: 'Where the time goes', width: 5,
                note: many ? `${ends} most and ${ends} least exposed of ${count(run.npus.length)} NPUs; right: exposed share`
                  : 'by NPU; right: exposed share'},
    bars, legend(used), many ? histogram(run) : null, unfold('as a table', () => table(run)));
};
