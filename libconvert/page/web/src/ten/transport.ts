// SPDX-License-Identifier: MIT
// The bar that controls time: step back, play, step on, slider, time, chunk; and its keys.
import {addHelp, h, onKeys, s} from '../lib';
import type {Context} from './state';

const wholeRunMs = 9000;
const icons = {back: 'M3 3h2v10H3zM13 3v10L6 8z', play: 'M4 2.5v11l9-5.5z', pause: 'M4 3h3v10H4zM9 3h3v10H9z', on: 'M11 3h2v10h-2zM3 3v10l7-5z'};

function icon(name: keyof typeof icons): SVGSVGElement {
  return s('svg', {viewBox: '0 0 16 16', width: 13, height: 13, 'aria-hidden': 'true'}, s('path', {fill: 'currentColor', d: icons[name]}));
}

export function transportBar({model, store}: Context): HTMLElement {
  const {total, starts} = model;
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  let before = 0;

  function step(direction: number): void {
    const {t} = store.value, slack = total * 1e-9;
    let to = direction > 0 ? total : 0;
    if (direction > 0) to = starts.find(b => b > t + slack) ?? total;
    else for (const b of starts) { if (b < t - slack) to = b; else break; }
    store.set({t: to, playing: false});
  }
  function frame(now: number): void {
    if (!store.value.playing) return;
    if (still.matches) {  // steps instead of motion
      if (now - before < wholeRunMs / Math.max(1, starts.length)) { requestAnimationFrame(frame); return; }
      before = now;
      step(1);
      if (store.value.t < total) { store.set({playing: true}); requestAnimationFrame(frame); }
      return;
    }
    const t = Math.min(total, store.value.t + (now - before) / wholeRunMs * total);
    before = now;
    store.set({t, playing: t < total});
    if (t < total) requestAnimationFrame(frame);
  }
  function play(): void {
    const playing = !store.value.playing;
    store.set({playing, t: playing && store.value.t >= total ? 0 : store.value.t});
    before = performance.now();
    if (playing) requestAnimationFrame(frame);
  }
  function next(by: number): void {
    if (model.chunks === 0) return;
    const {chunk} = store.value;
    store.set({chunk: chunk < 0 ? (by > 0 ? 0 : model.chunks - 1) : (chunk + by + model.chunks) % model.chunks});
  }

  const slider: HTMLInputElement = h('input', {type: 'range', min: 0, max: 1, step: 0.0005, value: 0, 'aria-label': 'time',
                             oninput: () => store.set({t: Number(slider.value) * total, playing: false})});
  const clock = h('output', {class: 'clock', id: 'clock', 'aria-live': 'off'});
  const playButton = h('button', {id: 'play', title: 'play or pause (space)', 'aria-label': 'play or pause', onclick: play}, icon('play'));
  const chunk = chunkChooser();
  store.on(({t, playing, chunk: followed}) => {
    slider.value = String(total ? t / total : 0);
    clock.textContent = model.steps ? `${model.clock(t)} of ${total}` : model.clock(t);
    clock.dataset.t = String(t);
    chunk.show(followed);
    playButton.dataset.playing = String(playing);
    playButton.replaceChildren(icon(playing ? 'pause' : 'play'));
  });

  // A list for few chunks, else a number field.
  function chunkChooser(): {element: HTMLElement; show: (chunk: number) => void} {
    if (model.chunks <= 512) {
      const list: HTMLSelectElement = h('select', {id: 'follow', 'aria-label': 'follow a chunk', onchange: () => store.set({chunk: Number(list.value)})},
        h('option', {value: -1}, 'all chunks'), Array.from(model.ids, (id, c) => h('option', {value: c}, `chunk ${id}`)));
      return {element: list, show: c => { list.value = String(c); }};
    }
    const field: HTMLInputElement = h('input', {id: 'follow', type: 'search', size: 7, placeholder: 'all chunks', 'aria-label': 'follow a chunk, by its number',
      onchange: () => store.set({chunk: field.value.trim() === '' ? -1 : model.ids.indexOf(Number(field.value))})});
    return {element: field, show: c => { if (document.activeElement !== field) field.value = c < 0 ? '' : String(model.ids[c]); }};
  }

  onKeys({' ': play, ArrowRight: () => step(1), ArrowLeft: () => step(-1), '[': () => next(-1), ']': () => next(1),
          Home: () => store.set({t: 0, playing: false}), End: () => store.set({t: total, playing: false}),
          Escape: () => store.set({chunk: -1})});
  addHelp('space', 'play, pause');
  addHelp('← →', model.steps ? 'one step back, one step on' : 'to the previous or next begin of transfers');
  addHelp('Home End', 'the beginning, the end');
  addHelp('[ ]', 'follow the previous or next chunk');
  addHelp('Esc', 'all chunks');
  return h('section', {id: 'transport', class: 'w12 transport screen-only', 'aria-label': 'time'},
    h('div', {class: 'buttons'},
      h('button', {id: 'back', title: 'step back (←)', 'aria-label': 'step back', onclick: () => step(-1)}, icon('back')), playButton,
      h('button', {id: 'on', title: 'step on (→)', 'aria-label': 'step on', onclick: () => step(1)}, icon('on'))),
    slider, clock, h('label', {}, 'follow ', chunk.element));
}
