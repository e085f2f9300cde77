// SPDX-License-Identifier: MIT
// Reader of the page's data block: the head, and the columns as typed arrays (page.h describes the format).

interface ColumnInfo {
  name: string;
  rows: number;
  kind: 'u8' | 'i32' | 'f64';
  code: 'raw' | 'delta' | 'dict';
  offset: number;
  bytes: number;
}
export type Values = Uint8Array | Int32Array | Float64Array;

// Decodes in pieces, which avoids a second string of the full length.
function fromBase64(text: string): Uint8Array {
  const part = 4 << 16, padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const out = new Uint8Array(text.length / 4 * 3 - padding);
  for (let from = 0, at = 0; from < text.length; from += part) {
    const binary = atob(text.slice(from, from + part));
    for (let i = 0; i < binary.length; ++i) out[at++] = binary.charCodeAt(i);
  }
  return out;
}

async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

// Decodes signed numbers: seven bits per byte, lowest first; the lowest bit is the sign. Exact to 2^53.
function decode(bytes: Uint8Array, out: Values, delta: boolean): void {
  let at = 0, before = 0;
  for (let row = 0; row < out.length; ++row) {
    let byte = bytes[at++]!;
    const sign = byte & 1;
    let size = (byte & 127) >> 1;
    for (let scale = 64; byte >= 128; scale *= 128) {
      byte = bytes[at++]!;
      size += (byte & 127) * scale;
    }
    const value = sign ? -size - 1 : size;
    before = delta ? before + value : value;
    out[row] = before;
  }
}

// A head of type H, and columns that are decoded on first use.
export class PageData<H> {
  private readonly infos = new Map<string, ColumnInfo>();
  private readonly decoded = new Map<string, Values>();

  constructor(readonly head: H, private readonly body: Uint8Array) {
    for (const info of (head as unknown as {columns: ColumnInfo[]}).columns) this.infos.set(info.name, info);
  }
  has(name: string): boolean { return this.infos.has(name); }
  rows(name: string): number { return this.infos.get(name)?.rows ?? 0; }
  u8(name: string): Uint8Array { return this.column(name) as Uint8Array; }
  i32(name: string): Int32Array { return this.column(name) as Int32Array; }
  f64(name: string): Float64Array { return this.column(name) as Float64Array; }

  // Returns the columns whose names begin with `prefix`, with the prefix removed, and another head.
  part<P>(head: P, prefix: string): PageData<P> {
    const columns = [...this.infos.values()].filter(info => info.name.startsWith(prefix))
      .map(info => ({...info, name: info.name.slice(prefix.length)}));
    return new PageData<P>({...head, columns}, this.body);
  }

  private column(name: string): Values {
    const known = this.decoded.get(name);
    if (known) return known;
    const info = this.infos.get(name);
    if (!info) throw new Error(`the page's data has no column ${name}`);
    const make = {u8: Uint8Array, i32: Int32Array, f64: Float64Array}[info.kind];
    const bytes = this.body.slice(info.offset, info.offset + info.bytes);
    let values: Values;
    if (info.code === 'raw') {
      values = new make(bytes.buffer);
    } else {
      values = new make(info.rows);
      decode(bytes, values, info.code === 'delta');
    }
    this.decoded.set(name, values);
    return values;
  }
}

export async function loadData<H>(): Promise<PageData<H>> {
  const element = document.getElementById('data')!;
  const buffer = await inflate(fromBase64((element.textContent ?? '').trim()));
  element.remove();
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as H;
  return new PageData(head, new Uint8Array(buffer, 4 + length));
}
