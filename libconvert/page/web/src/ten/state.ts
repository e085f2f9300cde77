// SPDX-License-Identifier: MIT
// What all views of the page share.
import {Store} from '../lib';
import type {Model} from './model';

export interface State {
  t: number;
  chunk: number;     // that is followed; -1: all
  npu: number;       // under the pointer; -1: none
  playing: boolean;
}

export interface Context { model: Model; store: Store<State>; large: boolean }
