// SPDX-License-Identifier: MIT
// Tables: sorted by a click on a heading or Enter, cut on the screen, printed with up to 100 rows.
import {h} from './dom';
import {count} from './format';
import type {Child} from './dom';
import {onPrint} from './theme';

export interface TableColumn<R> {
  title: string;
  hint?: string;                       // meaning of the number
  left?: boolean;                      // text; numbers are right-aligned
  value?: (row: R) => number | string; // sort key; without it the column is not sortable
  cell: (row: R) => Child;
  data?: [string, (row: R) => number | string];  // name and value of a data attribute, for tests
}

interface TableOptions<R> {
  columns: TableColumn<R>[];
  rows: R[];
  sort?: number;                       // column; descending
  most?: number;                       // maximum rows on the screen; default: all
  click?: (row: R) => void;
  rowData?: (row: R) => Record<string, string | number>;
}

// Returns the first `most` rows in sorted order. Sorts long lists in pieces, together with the best rows so far.
function firstOf<R>(rows: R[], value: (row: R) => number | string, down: boolean, most: number): R[] {
  const sign = down ? -1 : 1, part = Math.max(4096, most);
  let best: {row: R; i: number; key: number | string}[] = [];
  for (let from = 0; from < rows.length; from += part) {
    for (let i = from; i < Math.min(rows.length, from + part); ++i) best.push({row: rows[i]!, i, key: value(rows[i]!)});
    best.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * sign || a.i - b.i);
    best = best.slice(0, most);
  }
  return best.map(b => b.row);
}

export class Table<R> {
  readonly element: HTMLTableElement;
  private readonly body = h('tbody');
  private sort: number;
  private down = true;
  private rows: R[];
  private readonly heads: HTMLTableCellElement[];

  constructor(private readonly options: TableOptions<R>) {
    this.rows = options.rows;
    this.sort = options.sort ?? -1;
    this.heads = options.columns.map((column, i) => h('th', {
      scope: 'col', class: column.left ? 'l' : null, title: column.hint, tabindex: column.value ? 0 : null,
      onclick: () => this.sortBy(i),
      onkeydown: (e: Event) => { if ((e as KeyboardEvent).key === 'Enter') this.sortBy(i); },
    }, column.title));
    this.element = h('table', {}, h('thead', {}, h('tr', {}, this.heads)), this.body);
    this.fill(options.most);
    onPrint(() => this.fill(100), () => this.fill(options.most));
  }

  setRows(rows: R[]): void {
    this.rows = rows;
    this.fill(this.options.most);
  }

  private sortBy(column: number): void {
    if (!this.options.columns[column]!.value) return;
    this.down = this.sort === column ? !this.down : true;
    this.sort = column;
    this.fill(this.options.most);
  }

  private fill(most: number | undefined): void {
    const {columns, click, rowData} = this.options;
    const {rows} = this, value = columns[this.sort]?.value;
    this.heads.forEach((head, i) => {
      if (i === this.sort) head.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    const shown = value ? firstOf(rows, value, this.down, most ?? rows.length) : most === undefined ? rows : rows.slice(0, most);
    this.body.replaceChildren();
    for (const row of shown) this.body.append(this.row(row, columns, click, rowData));
    if (shown.length < rows.length) {
      this.body.append(h('tr', {class: 'more'}, h('td', {class: 'l', colspan: columns.length},
        `${count(rows.length - shown.length)} more`)));
    }
  }

  private row(row: R, columns: TableColumn<R>[], click?: (row: R) => void,
              rowData?: (row: R) => Record<string, string | number>): HTMLTableRowElement {
    const element = h('tr', {class: click ? 'click' : null, tabindex: click ? 0 : null}, columns.map(column =>
      h('td', {class: column.left ? 'l' : null,
               ...(column.data ? {['data-' + column.data[0]]: column.data[1](row)} : {})}, column.cell(row))));
    for (const [key, v] of Object.entries(rowData?.(row) ?? {})) element.dataset[key] = String(v);
    if (click) {
      element.addEventListener('click', () => click(row));
      element.addEventListener('keydown', e => { if (e.key === 'Enter') click(row); });
    }
    return element;
  }
}
