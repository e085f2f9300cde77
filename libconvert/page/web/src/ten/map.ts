// SPDX-License-Identifier: MIT
// The network: links in use, chunks under way, and the share of data that NPUs have received.
import {CanvasView, chunkColor, color, count, facts, font, hideTip, panel, saveButton, showTip} from '../lib';
import type {Pen} from '../lib';
import {gridOf, layOut} from './layout';
import type {Layout} from './layout';
import type {Held} from './model';
import {paperClock} from './state';
import type {Context} from './state';

const mostIdleLinks = 4000, mostDots = 4000;

export function networkPanel({model, store}: Context): HTMLElement {
  const grid = gridOf(model.devices, model.links);
  let layout: Layout;
  const radius = (): number => Math.min(17, layout.gap * 0.27);

  // Traces one direction of a link, beside the other direction; wrap-around links of a torus are stubs.
  const trace = (pen: Pen, a: number, b: number): void => {
    const p = layout.places[a]!, q = layout.places[b]!;
    const dx = q.x - p.x, dy = q.y - p.y, d = Math.hypot(dx, dy) || 1;
    const aside = Math.min(4, layout.gap * 0.07);
    const nx = -dy / d * aside, ny = dx / d * aside;
    if (layout.wraps(a, b)) {
      const ux = dx / d * layout.gap * 0.46, uy = dy / d * layout.gap * 0.46;
      pen.moveTo(p.x - nx, p.y - ny); pen.lineTo(p.x - ux - nx, p.y - uy - ny);
      pen.moveTo(q.x + ux - nx, q.y + uy - ny); pen.lineTo(q.x - nx, q.y - ny);
    } else {
      pen.moveTo(p.x + nx, p.y + ny); pen.lineTo(q.x + nx, q.y + ny);
    }
  };

  // Returns the position of a chunk that has covered `share` of a link.
  const along = (a: number, b: number, share: number): {x: number; y: number} => {
    const p = layout.places[a]!, q = layout.places[b]!;
    const dx = q.x - p.x, dy = q.y - p.y, d = Math.hypot(dx, dy) || 1;
    const aside = Math.min(4, layout.gap * 0.07) * (layout.wraps(a, b) ? -1 : 1);
    const nx = -dy / d * aside, ny = dx / d * aside;
    if (!layout.wraps(a, b)) return {x: p.x + dx * share + nx, y: p.y + dy * share + ny};
    const stub = layout.gap * 0.46;
    return share < 0.5 ? {x: p.x - dx / d * stub * 2 * share + nx, y: p.y - dy / d * stub * 2 * share + ny}
      : {x: q.x + dx / d * stub * 2 * (1 - share) + nx, y: q.y + dy / d * stub * 2 * (1 - share) + ny};
  };

  function drawTransfer(pen: Pen, i: number): void {
    const {t, chunk} = store.value;
    const shown = model.shownChunk(i, chunk);
    const on = chunk < 0 || shown === chunk;
    pen.globalAlpha = on ? 1 : 0.16;
    pen.strokeStyle = pen.fillStyle = shown < 0 ? color('faint') : chunkColor(shown, model.chunks);
    pen.lineWidth = on ? 2.6 : 1.6;
    pen.beginPath();
    trace(pen, model.src[i]!, model.dst[i]!);
    pen.stroke();
    const {x, y} = along(model.src[i]!, model.dst[i]!, (t - model.begin[i]!) / (model.end[i]! - model.begin[i]! || 1));
    pen.beginPath();
    pen.arc(x, y, on ? Math.max(2.5, Math.min(6, layout.gap * 0.11)) : 2.5, 0, 2 * Math.PI);
    pen.fill();
    if (!model.op[i] || !on || layout.gap <= 36) return;
    pen.strokeStyle = color('panel');
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x - 3, y); pen.lineTo(x + 3, y);
    pen.moveTo(x, y - 3); pen.lineTo(x, y + 3);
    pen.stroke();
  }

  // If very many transfers are under way, they are lines of one colour; transfers of the followed chunk are drawn
  // as usual.
  function drawCrowd(pen: Pen, flying: number[]): void {
    const {chunk} = store.value;
    pen.strokeStyle = color('compute');
    pen.lineWidth = 1;
    pen.globalAlpha = 0.12;
    pen.beginPath();
    for (const i of flying) trace(pen, model.src[i]!, model.dst[i]!);
    pen.stroke();
    for (const i of flying) if (chunk >= 0 && model.carries(i, chunk)) drawTransfer(pen, i);
  }

  // Returns the share of contributions that an NPU has: of the followed chunk, or of all chunks.
  function share(state: Held, npu: number): number {
    const {chunk} = store.value;
    if (chunk < 0) return model.share[npu]!;
    return Math.min(1, Math.abs(state[npu * model.chunks + chunk]!) / Math.max(1, model.needed[chunk]!));
  }

  function drawNpu(pen: Pen, npu: number, part: number): void {
    const {x, y} = layout.places[npu]!;
    const r = radius(), chosen = store.value.npu === npu, whole = part >= 1 - 1e-9;
    pen.globalAlpha = 1;
    pen.fillStyle = color('panel');
    pen.beginPath(); pen.arc(x, y, r, 0, 2 * Math.PI); pen.fill();
    pen.fillStyle = store.value.chunk >= 0 ? chunkColor(store.value.chunk, model.chunks) : color('compute');
    pen.globalAlpha = whole ? 0.92 : 0.42;
    pen.beginPath();
    if (!whole) pen.moveTo(x, y);
    pen.arc(x, y, r, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * part);
    pen.closePath();
    if (part > 0) pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = color(chosen ? 'focus' : 'faint');
    pen.lineWidth = chosen ? 2.4 : 1.1;
    if (model.relays.has(npu)) pen.setLineDash([3, 2]);
    pen.beginPath(); pen.arc(x, y, r, 0, 2 * Math.PI); pen.stroke();
    pen.setLineDash([]);
    if (r <= 8) return;
    pen.fillStyle = color(whole ? 'onbar' : 'ink');
    pen.textAlign = 'center'; pen.textBaseline = 'middle';
    pen.font = font(r > 12 ? 11 : 9);
    pen.fillText(String(npu), x, y + 0.5);
  }

  function drawSwitch(pen: Pen, device: number): void {
    const {x, y} = layout.places[device]!, r = Math.max(4, radius() * 0.8);
    pen.globalAlpha = 1;
    pen.fillStyle = color('panel');
    pen.strokeStyle = color(store.value.npu === device ? 'focus' : 'faint');
    pen.lineWidth = store.value.npu === device ? 2.4 : 1.1;
    pen.beginPath(); pen.rect(x - r, y - r, 2 * r, 2 * r); pen.fill(); pen.stroke();
    if (layout.gap < 16) return;
    pen.fillStyle = color('ink');
    pen.textAlign = 'center'; pen.textBaseline = 'middle';
    pen.font = font(9);
    pen.fillText(`s${device - model.npus}`, x, y + 0.5);
  }

  const view = new CanvasView({
    label: `${count(model.npus)} NPUs and ${count(model.links.length)} links; dots are chunks under way`, height: 400,
    draw: (pen, width, height) => {
      layout = layOut(model.devices, grid, width, height);
      pen.lineCap = 'round';
      if (model.links.length <= mostIdleLinks) {
        pen.strokeStyle = color('line');
        pen.lineWidth = 1.3;
        pen.globalAlpha = model.links.length > 600 ? 0.35 : 1;
        pen.beginPath();
        for (const [a, b] of model.links) trace(pen, a, b);
        pen.stroke();
      }
      const {t} = store.value;
      const flying: number[] = [];
      for (let i = 0; i < model.transfers; ++i) if (model.begin[i]! <= t && model.end[i]! > t) flying.push(i);
      if (flying.length > mostDots) drawCrowd(pen, flying);
      else for (const i of flying) drawTransfer(pen, i);
      const state = model.at(t);
      for (let n = 0; n < model.npus; ++n) drawNpu(pen, n, share(state, n));
      for (let n = model.npus; n < model.devices; ++n) drawSwitch(pen, n);
      pen.lineCap = 'butt';
    },
  });
  store.on(() => view.redraw());
  view.canvas.addEventListener('mousemove', e => {
    const n = layout.places.findIndex(p => Math.hypot(p.x - e.offsetX, p.y - e.offsetY) < radius() + 2);
    if (n !== store.value.npu) store.set({npu: n});
    if (n < 0) { hideTip(); return; }
    if (model.isSwitch(n)) { showTip(e, facts(model.npuName(n), [['', 'forwards messages']])); return; }
    const {t, chunk} = store.value, state = model.at(t);
    let whole = 0;
    for (let c = 0; c < model.chunks; ++c) if (state[n * model.chunks + c] === model.needed[c]) ++whole;
    showTip(e, facts(`${model.npuName(n)} at ${model.clock(t)}`, [
      ['complete', `${count(whole)} of ${count(model.chunks)} chunks`],
      chunk >= 0 && [model.chunkName(chunk), `${Math.abs(state[n * model.chunks + chunk]!)} of ${model.needed[chunk]!}`],
    ]));
  });
  view.canvas.addEventListener('mouseleave', () => { hideTip(); store.set({npu: -1}); });
  return panel({id: 'map', title: 'On the network', width: 6, right: saveButton('network', () => view.svg()),
                note: [paperClock(model, store), `${grid ? grid.join(' × ') + ' grid · ' : ''}dots: chunks under way, + adds · fill: share received${model.devices > model.npus ? ' · squares: switches' : ''}`]},
    view.element);
}
