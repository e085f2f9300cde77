// SPDX-License-Identifier: MIT
// The rows of the picture as a table, for those who cannot see it.
import {h, visible} from '../lib/dom';
import {bytes, count} from '../lib/format';
import {Table} from '../lib/table';
import type {TableColumn} from '../lib/table';
import type {Layout} from './boxes';
import {NodeType} from './model';
import type {Model} from './model';

interface Line { name: string; nodes: number; sends: number; receives: number; collectives: number; sent: number }
const mostLines = 2000;

function linesOf(model: Model, layout: Layout, names: (row: number) => string): Line[] {
  const lines = new Map<number, Line>();
  for (const {row, begin, end} of layout.strips) {
    let line = lines.get(row);
    if (!line) lines.set(row, line = {name: visible(names(row), 80), nodes: 0, sends: 0, receives: 0, collectives: 0, sent: 0});
    for (let m = layout.boxes.from[begin]!; m < layout.boxes.from[end]!; ++m) {
      const i = layout.boxes.members[m]!, type = model.type[i];
      ++line.nodes;
      if (type === NodeType.send) { ++line.sends; line.sent += Math.max(0, model.bytes[i]!); }
      if (type === NodeType.receive) ++line.receives;
      if (type === NodeType.collective) ++line.collectives;
    }
  }
  return [...lines.values()];
}

// Returns the table, filled when it is opened.
export function rowTable(model: Model, layout: () => Layout, names: () => (row: number) => string): HTMLElement {
  const number = (title: string, of: (line: Line) => number, text = count): TableColumn<Line> =>
    ({title, value: of, cell: l => text(of(l))});
  const table = new Table<Line>({
    rows: [], most: mostLines,
    columns: [{title: 'row', left: true, cell: l => l.name, value: l => l.name},
              number('nodes', l => l.nodes), number('sends', l => l.sends), number('receives', l => l.receives),
              number('collectives', l => l.collectives), number('bytes sent', l => l.sent, bytes)],
  });
  const element = h('details', {class: 'rows', ontoggle: () => { if (element.open) table.setRows(linesOf(model, layout(), names())); }},
    h('summary', {}, 'Rows as a table'), h('div', {class: 'wide'}, table.element));
  return element;
}
