// SPDX-License-Identifier: MIT
// Sums over NPUs.
import {parts} from './run';
import type {Npu, Run} from './run';

const index = new Map(parts.map((p, i) => [p.name, i]));

// Returns the time of an NPU in a time category: partOf(npu, 'overlap').
export const partOf = (npu: Npu, name: string): number => npu.parts[index.get(name)!]!;

// Returns the sum over all NPUs.
export const part = (run: Run, name: string): number => run.npus.reduce((sum, npu) => sum + partOf(npu, name), 0);

// Returns the exposed communication of an NPU.
export const exposedOf = (npu: Npu): number => partOf(npu, 'exposed');
