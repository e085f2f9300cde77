// SPDX-License-Identifier: MIT
// Functions that all pages share.
export * from './axes';
export * from './canvas';
export * from './colors';
export * from './data';
export * from './dom';
export * from './exact';
export * from './extremes';
export * from './format';
export * from './keys';
export * from './page';
export * from './svg_context';
export * from './table';
export * from './theme';
export * from './tip';
