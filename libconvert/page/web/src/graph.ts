// SPDX-License-Identifier: MIT
// Page of a dependency graph: all nodes of a trace set in rows, with search, details and neighbourhoods.
import {start} from './lib';
import {GraphApp} from './graph/app';
import {Model} from './graph/model';
import type {Head} from './graph/model';

await start<Head>(data => new GraphApp(new Model(data)).show());
