// SPDX-License-Identifier: MIT
// Choices of the user: rows, axis, collapsed groups; creates the layout.
import {h, visible} from '../lib/dom';
import {counted} from '../lib/format';
import type {Layout, Strip} from './boxes';
import {flameLayout, nestingOf} from './flame';
import type {FlameOrder, Nesting} from './flame';
import {isRibbon, layeredLayout, timeLayout, wrapped} from './layout';
import type {Layers} from './layers';
import type {Model} from './model';
import {rowModes, rowsOf, rowText} from './rows';
import type {RowMode, Rows} from './rows';

type Axis = 'layer' | FlameOrder;

export class GraphState {
  mode: RowMode;
  private axis: Axis;
  private readonly nesting: Nesting | undefined;
  private readonly timed: boolean;
  private readonly turned = new Map<RowMode, Set<number>>();
  private rows: Rows | undefined;
  private unwrapped: Layout | undefined;  // of the current choices

  constructor(private readonly model: Model, private readonly layers: Layers) {
    this.nesting = nestingOf(model);
    let begins = 0;
    if (model.begin) for (const begin of model.begin) if (begin >= 0) ++begins;
    this.timed = begins > 0;
    const mostlyTimed = begins * 2 > model.n;
    this.mode = this.nesting ? 'nested' : model.head.lanes.length > 60 && model.n > 2000 ? 'npu' : 'lane';
    this.axis = mostlyTimed ? 'time' : this.nesting ? 'order' : 'layer';
  }

  get hasEdges(): boolean { return this.mode !== 'nested'; }

  layout(aspect: number): Layout {
    const layout = this.unwrapped ??= this.makeLayout();
    return layout.axis === 'layer' && isRibbon(layout) ? wrapped(layout, aspect) : layout;
  }
  private makeLayout(): Layout {
    const turned = this.turnedNow();
    if (this.mode === 'nested') {
      const order = this.axis === 'layer' ? 'order' : this.axis;
      return flameLayout(this.model, this.nesting!, order, turned);
    }
    this.rows = rowsOf(this.model, this.mode, turned);
    return this.axis === 'time' ? timeLayout(this.model, this.rows) : layeredLayout(this.model, this.layers, this.rows);
  }

  // Returns a text about the nodes that a layout omits.
  hiddenText(layout: Layout): string {
    if (layout.hidden === 0) return '';
    if (this.mode === 'nested' && this.turnedNow().size > 0) return `${counted(layout.hidden, 'node')} not drawn`;
    return `${counted(layout.hidden, 'node')} without a begin not drawn`;
  }

  // Collapses or expands the group of a row.
  turn(strip: Strip): boolean {
    const group = this.groupOf(strip);
    if (group === undefined) return false;
    const turned = this.turnedNow();
    if (!turned.delete(group)) turned.add(group);
    this.unwrapped = undefined;
    return true;
  }

  describe(strip: Strip): string {
    const nodes = strip.end - strip.begin;
    if (this.mode === 'nested') {
      const [rank, label] = this.model.head.lanes[strip.row]!;
      const what = this.turnedNow().has(strip.row) ? 'click to expand' : 'click to show the outermost calls only';
      return `NPU ${this.model.head.ranks[rank]![0]}, ${label}; ${what}`;
    }
    return rowText(this.rows!, this.rows!.rows[strip.row]!, nodes);
  }

  // Returns the name of each row of the layout.
  rowNames(): (row: number) => string {
    const {model, rows, mode} = this;
    if (mode === 'nested') {
      return row => {
        const [rank, label] = model.head.lanes[row]!;
        return `NPU ${model.head.ranks[rank]![0]}, ${label}`;
      };
    }
    return row => {
      const {group, label, collapsed} = rows!.rows[row]!;
      return collapsed ? rows!.groups[group]! : `${rows!.groups[group]}, ${label.replace(/^\d+ /, '')}`;
    };
  }

  // Returns the selectors of rows and axis.
  controls(relayout: () => void): HTMLElement[] {
    const changed = (): void => {
      this.unwrapped = undefined;
      relayout();
    };
    const axis = h('select', {'aria-label': 'axis', class: 'axis-choice', onchange: () => {
      this.axis = axis.value as Axis;
      changed();
    }});
    const fill = (): void => {
      const choices = this.axes();
      if (!choices.some(([value]) => value === this.axis)) this.axis = choices[0]![0];
      axis.replaceChildren();
      for (const [value, text] of choices) axis.append(h('option', {value}, text));
      axis.value = this.axis;
      axis.hidden = choices.length < 2;
    };
    const mode = h('select', {'aria-label': 'rows', class: 'row-choice', onchange: () => {
      this.mode = mode.value as RowMode;
      fill();
      changed();
    }}, rowModes(this.model, this.nesting !== undefined).map(([value, text]) => h('option', {value}, visible(text))));
    mode.value = this.mode;
    fill();
    return [mode, axis];
  }

  private axes(): [Axis, string][] {
    const time: [Axis, string][] = this.timed ? [['time', 'by time']] : [];
    if (this.mode !== 'nested') return [['layer', 'by dependency'], ...time];
    return [['order', 'in order'], ...time, ['heavy', 'left heavy']];
  }
  private turnedNow(): Set<number> {
    let turned = this.turned.get(this.mode);
    if (!turned) this.turned.set(this.mode, turned = new Set());
    return turned;
  }
  private groupOf(strip: Strip): number | undefined {
    return this.mode === 'nested' ? strip.row : this.rows?.rows[strip.row]?.group;
  }
}
