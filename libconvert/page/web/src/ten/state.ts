// SPDX-License-Identifier: MIT
// State that all views of the page share.
import {h} from '../lib';
import type {Store} from '../lib';
import type {Model} from './model';

export interface State {
  t: number;
  chunk: number;     // the followed chunk; -1: all
  npu: number;       // under the pointer; -1: none
  playing: boolean;
}

export interface Context { model: Model; store: Store<State>; large: boolean }

// Returns a text for paper, which has no clock: the time and the followed chunk.
export function paperClock(model: Model, store: Store<State>): HTMLElement {
  const element = h('span', {class: 'print-only'});
  store.on(({t, chunk}) => {
    element.textContent = `at ${model.clock(t)}${chunk < 0 ? '' : `, ${model.chunkName(chunk)}`} · `;
  });
  return element;
}
