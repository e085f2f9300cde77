// SPDX-License-Identifier: MIT
// The rows of the picture as an accessible table; a click on a row collapses or expands its group.
import {h, visible} from '../lib/dom';
import {bytes, count} from '../lib/format';
import {Table} from '../lib/table';
import type {TableColumn} from '../lib/table';
import {onPrint} from '../lib/theme';
import type {Layout, Strip} from './boxes';
import {NodeType} from './model';
import type {Model} from './model';

interface Line {
  name: string;
  strip: Strip;
  nodes: number;
  sends: number;
  receives: number;
  collectives: number;
  sent: number;  // bytes
}
const mostLines = 2000;

function linesOf(model: Model, layout: Layout, names: (row: number) => string): Line[] {
  const lines = new Map<number, Line>(), {from, members} = layout.boxes;
  for (const strip of layout.strips) {
    let line = lines.get(strip.row);
    if (!line) {
      line = {name: visible(names(strip.row), 80), strip, nodes: 0, sends: 0, receives: 0, collectives: 0, sent: 0};
      lines.set(strip.row, line);
    }
    for (let m = from[strip.begin]!; m < from[strip.end]!; ++m) {
      const i = members[m]!, type = model.type[i];
      ++line.nodes;
      if (type === NodeType.send) ++line.sends;
      if (type === NodeType.send) line.sent += Math.max(0, model.bytes[i]!);
      if (type === NodeType.receive) ++line.receives;
      if (type === NodeType.collective) ++line.collectives;
    }
  }
  return [...lines.values()];
}

const number = (title: string, of: (line: Line) => number, text = count): TableColumn<Line> =>
  ({title, value: of, cell: line => text(of(line))});

// Returns the table, which is filled while it is open, and a function that updates it.
export function rowTable(model: Model, layout: () => Layout, names: () => (row: number) => string,
                         turn: (strip: Strip) => void): {element: HTMLElement; update: () => void} {
  let wasOpen = false;
  onPrint(() => {  // before the table's own handler, which prints 100 rows
    wasOpen = element.open;
    element.open = true;
    update();
  }, () => { element.open = wasOpen; });
  const table: Table<Line> = new Table<Line>({
    rows: [], most: mostLines, click: line => turn(line.strip),
    columns: [{title: 'row', left: true, cell: line => line.name, value: line => line.name},
              number('nodes', line => line.nodes), number('sends', line => line.sends),
              number('receives', line => line.receives), number('collectives', line => line.collectives),
              number('bytes sent', line => line.sent, bytes)],
  });
  const update = (): void => { if (element.open) table.setRows(linesOf(model, layout(), names())); };
  const element: HTMLDetailsElement = h('details', {class: 'rows', ontoggle: () => update()},
    h('summary', {}, 'Rows as a table'), h('div', {class: 'wide'}, table.element));
  return {element, update};
}
