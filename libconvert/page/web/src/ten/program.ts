// SPDX-License-Identifier: MIT
// The program of an algorithm: threadblocks, their steps, and dependencies.
import type {Model} from './model';

// In the order of StepType (core/algorithm/algorithm.h).
export const stepTypes = ['s', 'r', 'rcs', 'rrs', 'rrc', 'rrcs', 'cpy', 're', 'nop'] as const;
export const stepWords: Record<string, string> = {
  s: 'sends', r: 'receives', rcs: 'receives, copies, sends', rrs: 'receives, adds, sends', rrc: 'receives, adds, copies',
  rrcs: 'receives, adds, copies, sends', cpy: 'copies', re: 'adds', nop: 'waits'};

export class Program {
  readonly npu: Int32Array; readonly tbId: Int32Array; readonly firstStep: Int32Array;  // by threadblock
  // By step.
  readonly type: Uint8Array; readonly done: Float64Array; readonly place: Int32Array; readonly line: Int32Array;
  readonly from: Int32Array; readonly to: Int32Array;      // dependencies
  readonly send: Int32Array; readonly recv: Int32Array;    // messages: steps; -1: never received
  readonly tbOf: Int32Array;                               // by step
  readonly columns: number;                                // number of positions in the longest chain
  readonly begin: Float64Array | undefined;                // by step, if there are times; -1: never
  private readonly tbAt = new Map<string, number>();

  constructor(private readonly model: Model) {
    const {data} = model;
    this.npu = data.i32('tb_npu');
    this.tbId = data.i32('tb_id');
    const steps = data.i32('tb_steps');
    this.firstStep = new Int32Array(steps.length + 1);
    this.type = data.u8('step_type');
    this.tbOf = new Int32Array(this.type.length);
    steps.forEach((n, tb) => {
      this.firstStep[tb + 1] = this.firstStep[tb]! + n;
      this.tbOf.fill(tb, this.firstStep[tb]!, this.firstStep[tb + 1]!);
      this.tbAt.set(`${this.npu[tb]!} ${this.tbId[tb]!}`, tb);
    });
    this.done = data.f64('step_done');
    this.begin = data.has('step_begin') ? data.f64('step_begin') : undefined;
    this.line = data.i32('step_line');
    this.from = data.i32('dep_from'); this.to = data.i32('dep_to');
    this.send = data.i32('send_step'); this.recv = data.i32('recv_step');
    this.place = this.placed(data.i32('step_place'));
    this.columns = 1 + this.place.reduce((a, b) => Math.max(a, b), 0);
  }

  // Places steps that never run after the steps of their threadblock that do.
  private placed(place: Int32Array): Int32Array {
    const out = place.slice();
    for (let s = 0; s < out.length; ++s) {
      if (out[s]! < 0) out[s] = s > this.firstStep[this.tbOf[s]!]! ? out[s - 1]! + 1 : 0;
    }
    return out;
  }

  stepOf(npu: number, tb: number, step: number): number {
    const at = this.tbAt.get(`${npu} ${tb}`);
    if (at === undefined || this.firstStep[at]! + step >= this.firstStep[at + 1]!) return -1;
    return this.firstStep[at]! + step;
  }
  // Returns "gpu 0 threadblock 3 step 1", as in messages of et-validate.
  name(step: number): string {
    const tb = this.tbOf[step]!;
    return `gpu ${this.npu[tb]!} threadblock ${this.tbId[tb]!} step ${step - this.firstStep[tb]!}`;
  }
  // Returns "i[3]"; empty if the step has no such place.
  private placeText(column: string, step: number): string {
    const at = this.model.data.i32(column)[step]!;
    return at < 0 ? '' : `${'ios'[at % 3]!}[${Math.floor(at / 3)}]`;
  }
  moves(step: number): string {
    const src = this.placeText('step_src', step), dst = this.placeText('step_dst', step);
    const n = this.model.data.i32('step_cnt')[step]!;
    const text = src && dst ? `${src} → ${dst}` : src || dst;
    return n > 1 ? `${text}, ${n} chunks` : text;
  }
}
