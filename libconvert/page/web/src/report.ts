// SPDX-License-Identifier: MIT
// The page of one run.
import {h, header, start} from './lib';

interface Head { title: string; sub: string }

await start<Head>(data => {
  header(data.head.title, data.head.sub);
  document.body.append(h('main'));
});
