// SPDX-License-Identifier: MIT
// Utilisation of links: on a map of the network, else by dimension; follows the window of the timeline.
import {bytes, CanvasView, color, count, exactTime, facts, font, h, heat, hideTip, largest, panel, percent, saveButton, showTip, Table, time, timeText, unfold}
  from '../lib';
import type {Pen} from '../lib';
import {cut, networkMap} from './network_map';
import type {NetworkMap, Place} from './network_map';
import {busiest, linkName} from './rates';
import type {Link, Panel, Run, View} from './run';

// Returns the share of the window in which each link is occupied.
function utilisation(run: Run, from: number, to: number): (link: Link) => number {
  const bins = run.head.link_bins;
  if (!run.data.has('link.bins') || (from <= 0 && to >= run.end) || run.head.link_bin_ps <= 0) return l => run.share(l.busy);
  const values = run.data.u8('link.bins'), a = from / run.head.link_bin_ps, b = to / run.head.link_bin_ps;
  return link => {
    let sum = 0;
    for (let i = Math.floor(a); i < Math.min(bins, Math.ceil(b)); ++i) {
      sum += values[link.index * bins + i]! / 255 * (Math.min(b, i + 1) - Math.max(a, i));
    }
    return b > a ? Math.min(1, sum / (b - a)) : 0;
  };
}

function tip(run: Run, link: Link, share: number, whole: boolean): Node[] {
  return facts(linkName(link), [
    [whole ? 'occupied' : 'occupied in the window', percent(share)],
    ['in all', `${percent(run.share(link.busy))}, ${exactTime(link.busy)}`],
    ['', `${bytes(link.bytes)} in ${count(link.messages)} messages`],
    link.gbPerS > 0 ? ['', `${link.gbPerS} GB/s, ${link.latencyNs} ns`] : null,
    ['longest queue', count(link.peakQueue)], link.dim >= 0 ? ['dimension', String(link.dim + 1)] : null]);
}

// Returns the line segments of a link. Wrap-around links of grids are stubs; links between grids are diagonal
// stubs.
function segments(map: NetworkMap, link: Link): [number, number, number, number][] {
  const a = map.places.get(link.from)!, b = map.places.get(link.to)!;
  const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
  const side = Math.min(4, a.size * 0.08, b.size * 0.2), nx = -dy / length * side, ny = dx / length * side;
  if (a.plane !== b.plane) {
    const s = a.size * 0.42, up = a.plane < b.plane ? 1 : -1;
    return [[a.x, a.y, a.x + up * s, a.y - up * s], [b.x + up * s, b.y - up * s, b.x, b.y]];
  }
  const inGrid = map.kind === 'grid' || map.kind === 'grids';
  if (inGrid && length > 1.5 * a.size) {
    const straight = Math.abs(dx) < 1 || Math.abs(dy) < 1;
    const sx = (straight ? -dx : dx) / length * a.size * 0.46, sy = (straight ? -dy : dy) / length * a.size * 0.46;
    const flip = straight ? -1 : 1;
    return [[a.x + flip * nx, a.y + flip * ny, a.x + sx + flip * nx, a.y + sy + flip * ny],
            [b.x - sx + flip * nx, b.y - sy + flip * ny, b.x + flip * nx, b.y + flip * ny]];
  }
  return [[a.x + nx, a.y + ny, b.x + nx, b.y + ny]];
}

// Idle links are visible too.
const linkColor = (share: number): string => heat(0.14 + 0.86 * share);

function drawNode(pen: Pen, place: Place, marked: boolean): void {
  const r = Math.max(3, Math.min(12, place.size * 0.3)), npu = place.npu >= 0;
  pen.beginPath();
  if (npu) pen.arc(place.x, place.y, r, 0, 2 * Math.PI);
  else pen.rect(place.x - Math.max(r, 8), place.y - 8, 2 * Math.max(r, 8), 16);
  pen.fillStyle = color('panel');
  pen.fill();
  pen.lineWidth = marked ? 2.2 : 1.2;
  pen.strokeStyle = color(marked ? 'focus' : 'faint');
  pen.stroke();
  if (place.size < 20 && place.npu >= 0) return;
  pen.fillStyle = color('ink');
  pen.font = font(npu && r < 8 ? 8.5 : 10.5);
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  if (npu) pen.fillText(String(place.npu), place.x, place.y + 0.5);
  else if (place.size > 60) {
    const name = cut(place.name, Math.max(6, Math.floor(place.size / 7))), half = pen.measureText(name).width / 2 + 3;
    pen.fillStyle = color('panel');  // separates the name from links
    pen.fillRect(place.x - half, place.y - 23, 2 * half, 14);
    pen.fillStyle = color('ink');
    pen.fillText(name, place.x, place.y - 16);
  }
}

function distance(x: number, y: number, [x1, y1, x2, y2]: [number, number, number, number]): number {
  const dx = x2 - x1, dy = y2 - y1, t = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}

function mapView(run: Run, view: View): CanvasView {
  const hottest = busiest(run);
  const now = (): ((l: Link) => number) => utilisation(run, view.value.from, view.value.to);
  const canvas = new CanvasView({
    label: `map of ${count(run.links.length)} links by utilisation${hottest ? `; busiest: ${linkName(hottest)}, ${percent(run.share(hottest.busy))}` : ''}`,
    height: width => networkMap(run, width)!.height,
    draw: (pen, width) => {
      const map = networkMap(run, width)!, share = now();
      pen.lineCap = 'round';
      for (const link of [...run.links].sort((a, b) => share(a) - share(b))) {
        const busy = share(link);
        pen.strokeStyle = linkColor(busy);
        pen.lineWidth = link === hottest ? 4.5 : 2.2 + 1.2 * busy;
        for (const [x1, y1, x2, y2] of segments(map, link)) {
          pen.beginPath();
          pen.moveTo(x1, y1);
          pen.lineTo(x2, y2);
          pen.stroke();
        }
      }
      const marked = run.npus[view.value.npu]?.rank ?? -1;
      for (const place of map.places.values()) drawNode(pen, place, place.npu >= 0 && place.npu === marked);
    }});
  canvas.canvas.addEventListener('mousemove', e => {
    const map = networkMap(run, canvas.width)!, share = now();
    let best: Link | undefined, near = 9;
    for (const link of run.links) {
      for (const segment of segments(map, link)) {
        const away = distance(e.offsetX, e.offsetY, segment);
        if (away < near) { near = away; best = link; }
      }
    }
    if (best) showTip(e, tip(run, best, share(best), view.value.to - view.value.from >= run.end));
    else hideTip();
  });
  canvas.canvas.addEventListener('mouseleave', hideTip);
  return canvas;
}

// Links of each dimension as points by utilisation; replaces the map for large networks.
function stripView(run: Run, view: View): CanvasView {
  const dims = [...new Set(run.links.map(l => l.dim))].sort((a, b) => a - b), rowHeight = 58, left = 96;
  const name = (dim: number): string => {
    const d = run.head.dims[dim];
    return d ? `${dim + 1}: ${d.topology} of ${d.npus}` : 'links';
  };
  return new CanvasView({
    label: `utilisation of ${count(run.links.length)} links by dimension`, height: () => dims.length * rowHeight + 24,
    draw: (pen, width) => {
      const share = utilisation(run, view.value.from, view.value.to), bins = 60, each = (width - left - 8) / bins;
      // The axis ends at or slightly beyond the busiest link.
      const high = run.links.reduce((most, l) => Math.max(most, share(l)), 0);
      const end = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find(v => v >= high) ?? 1, steps = [0.02, 0.2, 1].includes(end) ? 4 : 5;
      pen.textBaseline = 'middle';
      dims.forEach((dim, row) => {
        const shares = run.links.filter(l => l.dim === dim).map(share);
        const counts = new Array<number>(bins).fill(0);
        for (const v of shares) ++counts[Math.min(bins - 1, Math.floor(v / end * bins))]!;
        const most = largest(counts), bottom = (row + 1) * rowHeight;
        counts.forEach((c, i) => {
          if (c === 0) return;
          const height = Math.max(2, c / most * (rowHeight - 18));
          pen.fillStyle = heat(0.15 + 0.85 * end * (i + 0.5) / bins);
          pen.fillRect(left + i * each, bottom - height, each - 1, height);
        });
        pen.fillStyle = color('soft');
        pen.font = font();
        pen.textAlign = 'left';
        pen.fillText(name(dim), 0, bottom - 22);
        pen.fillText(`mean ${percent(shares.reduce((a, b) => a + b, 0) / shares.length)}`, 0, bottom - 8);
      });
      pen.textAlign = 'center';
      for (const v of Array.from({length: steps + 1}, (_, i) => i / steps)) {
        pen.textAlign = v === 1 ? 'right' : v === 0 ? 'left' : 'center';
        pen.fillText(percent(v * end, end < 0.05 ? 1 : 0), left + v * (width - left - 8), dims.length * rowHeight + 12);
      }
    }});
}

export const links: Panel = (run, view) => {
  const hottest = busiest(run);
  if (run.links.length === 0) return null;
  const mapped = networkMap(run, 400) !== null;
  const canvas = mapped ? mapView(run, view) : stripView(run, view);
  view.on(() => canvas.redraw());
  const note = h('span');
  view.on(({from, to}) => note.textContent = to - from < run.end * 0.9995 ? `busy share of the window, ${time(to - from, 3)}` : whole);
  const whole = `busy share of ${time(run.end, 3)}`;
  note.textContent = whole;
  const scale = mapped ? h('div', {class: 'legend'}, h('span', {}, '0 %'), h('span', {class: 'heat', style: 'background:linear-gradient(90deg, color-mix(in srgb, var(--heat0) 86%, var(--heat1)), var(--heat1))'}), h('span', {}, '100 %'),
    hottest ? h('span', {}, `thick: the busiest link, ${cut(linkName(hottest), 30)}`) : null) : null;
  const table = (): HTMLElement => h('div', {class: 'scroll'}, new Table<Link>({
    rows: run.links, sort: 1, most: 300, rowData: l => ({busyPs: l.busy}), columns: [
      {title: 'link', left: true, value: l => l.index, cell: linkName},
      {title: 'busy', value: l => l.busy, cell: l => percent(run.share(l.busy))},
      {title: 'for', value: l => l.busy, cell: l => timeText(l.busy)},
      {title: 'bytes', value: l => l.bytes, cell: l => bytes(l.bytes)},
      {title: 'messages', value: l => l.messages, cell: l => count(l.messages)},
      {title: 'queue', hint: 'largest number of messages that waited at once', value: l => l.peakQueue, cell: l => count(l.peakQueue)},
    ]}).element);
  return panel({id: 'links', title: 'Links', note, width: 6, right: saveButton('links', () => canvas.svg())},
    h('div', {'data-busiest': hottest ? linkName(hottest) : '', 'data-busy-ps': hottest?.busy ?? 0}, canvas.element), scale, unfold('as a table', table));
};
