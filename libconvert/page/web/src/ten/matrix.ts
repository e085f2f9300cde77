// SPDX-License-Identifier: MIT
// Contents of NPUs: NPUs by chunks, darker with more contributions; green is complete, red is wrong.
import {CanvasView, color, count, counted, facts, font, heat, hideTip, panel, saveButton, showTip} from '../lib';
import type {Pen} from '../lib';
import type {Held} from './model';
import {paperClock} from './state';
import type {Context} from './state';

const mostCells = 128;  // of a side; beyond, a cell is a mean
const left = 48, top = 18;

export function matrixPanel({model, store}: Context): HTMLElement {
  const perRow = Math.ceil(model.npus / mostCells), perColumn = Math.ceil(model.chunks / mostCells);
  const rows = Math.ceil(model.npus / perRow), columns = Math.max(1, Math.ceil(model.chunks / perColumn));
  let cellWidth = 1, cellHeight = 1;

  // Returns the mean share of a cell, whether all of it is complete, and whether some of it is wrong.
  function cell(state: Held, row: number, column: number): {share: number; whole: boolean; wrong: boolean} {
    let sum = 0, cells = 0, whole = true, wrong = false;
    for (let n = row * perRow; n < Math.min(model.npus, (row + 1) * perRow); ++n) {
      for (let c = column * perColumn; c < Math.min(model.chunks, (column + 1) * perColumn); ++c) {
        const held = state[n * model.chunks + c]!;
        sum += Math.min(1, Math.abs(held) / Math.max(1, model.needed[c]!));
        ++cells;
        whole &&= held === model.needed[c];
        wrong ||= held < 0;
      }
    }
    return {share: cells ? sum / cells : 0, whole, wrong};
  }

  function drawLabels(pen: Pen): void {
    pen.font = font();
    pen.textBaseline = 'middle';
    pen.textAlign = 'right';
    const every = (k: number, step: number): boolean => k % Math.max(1, Math.ceil(step)) === 0;
    for (let r = 0; r < rows; ++r) {
      const chosen = store.value.npu >= 0 && Math.floor(store.value.npu / perRow) === r;
      if (!chosen && !every(r, 13 / cellHeight)) continue;
      pen.fillStyle = color(chosen ? 'focus' : 'soft');
      pen.fillText(rows <= 16 && perRow === 1 ? `NPU ${r}` : String(r * perRow), left - 6, top + (r + 0.5) * cellHeight);
    }
    pen.textAlign = 'center';
    const digits = String(model.ids[model.chunks - 1] ?? 0).length;
    for (let c = 0; c < columns; ++c) {
      if (!every(c, (8 + 7 * digits) / cellWidth)) continue;
      pen.fillStyle = color(store.value.chunk === c * perColumn && perColumn === 1 ? 'focus' : 'soft');
      pen.fillText(String(model.ids[c * perColumn] ?? ''), left + (c + 0.5) * cellWidth, 8);
    }
  }

  function drawNumbers(pen: Pen, state: Held): void {
    pen.textAlign = 'center';
    for (let n = 0; n < rows; ++n) {
      for (let c = 0; c < columns; ++c) {
        const held = state[n * model.chunks + c]!, needed = model.needed[c]!;
        if (held === 0) continue;
        // Chunks that are not followed are paler, so their numbers are dark from a lower share.
        const pale = store.value.chunk >= 0 && store.value.chunk !== c;
        const strong = !pale && (held === needed || held < 0 || Math.sqrt(held / needed) > 0.5);
        pen.fillStyle = color(strong ? 'onbar' : 'ink');
        pen.fillText(held < 0 ? `${-held} ×2` : needed > 1 ? `${held}/${needed}` : '✓', left + (c + 0.5) * cellWidth, top + (n + 0.5) * cellHeight);
      }
    }
  }

  const view = new CanvasView({
    label: 'number of contributions to each chunk on each NPU', height: 400,
    draw: (pen, width, height) => {
      cellWidth = (width - left - 4) / columns;
      cellHeight = (height - top - 4) / rows;
      const gap = cellWidth > 7 && cellHeight > 7 ? 1.5 : cellWidth > 4 && cellHeight > 4 ? 0.5 : 0;
      const state = model.at(store.value.t);
      for (let r = 0; r < rows; ++r) {
        for (let c = 0; c < columns; ++c) {
          const {share, whole, wrong} = cell(state, r, c);
          pen.globalAlpha = store.value.chunk >= 0 && Math.floor(store.value.chunk / perColumn) !== c ? 0.45 : 1;
          pen.fillStyle = wrong ? color('bad') : whole ? color('good') : share === 0 ? color('grid') : heat(0.12 + 0.88 * Math.sqrt(share));
          pen.fillRect(left + c * cellWidth, top + r * cellHeight, cellWidth - gap, cellHeight - gap);
        }
      }
      pen.globalAlpha = 1;
      drawLabels(pen);
      if (cellWidth > 28 && cellHeight > 16 && perRow === 1 && perColumn === 1) drawNumbers(pen, state);
    },
  });
  const hit = (e: MouseEvent): [number, number] | undefined => {
    const c = Math.floor((e.offsetX - left) / cellWidth), r = Math.floor((e.offsetY - top) / cellHeight);
    return c >= 0 && c < columns && r >= 0 && r < rows && model.chunks > 0 ? [r, c] : undefined;
  };
  store.on(() => view.redraw());
  view.canvas.addEventListener('mousemove', e => {
    const at = hit(e);
    if (!at) { hideTip(); return; }
    const [r, c] = at, {t} = store.value, state = model.at(t);
    if (perRow > 1 || perColumn > 1) {
      const {share} = cell(state, r, c);
      showTip(e, facts(`NPUs ${r * perRow}–${Math.min(model.npus, (r + 1) * perRow) - 1}, chunks ${model.ids[c * perColumn]!}–${model.ids[Math.min(model.chunks, (c + 1) * perColumn) - 1]!}`,
        [['have', `${(100 * share).toFixed(1)} % of the required contributions`]]));
      return;
    }
    if (store.value.npu !== r) store.set({npu: r});
    const held = state[r * model.chunks + c]!;
    showTip(e, facts(`${model.npuName(r)}, ${model.chunkName(c)}`, [
      ['at', model.clock(t, 6)],
      ['has', `${count(Math.abs(held))} of ${model.needed[c]!} contribution${model.needed[c]! > 1 ? 's' : ''}`],
      held < 0 && ['wrong:', 'some contributions are there twice'],
      !model.post.of(c).includes(r) && ['', 'does not require it in the end'],
    ]));
  });
  view.canvas.addEventListener('mouseleave', () => { hideTip(); store.set({npu: -1}); });
  view.canvas.addEventListener('click', e => {
    const at = hit(e);
    if (at) store.set({chunk: store.value.chunk === at[1] * perColumn ? -1 : at[1] * perColumn});
  });
  const tiles = perRow > 1 || perColumn > 1 ? ` · a cell: ${counted(perRow, 'NPU')} × ${counted(perColumn, 'chunk')}` : '';
  return panel({id: 'matrix', title: 'Contents of NPUs', width: 6, right: saveButton('contents-of-npus', () => view.svg()),
                note: [paperClock(model, store), `NPUs × chunks · darker: more · green: complete${tiles}`], hint: 'click: follow'}, view.element);
}
