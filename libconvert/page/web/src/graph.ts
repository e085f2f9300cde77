// SPDX-License-Identifier: MIT
// The page of a dependency graph: all nodes of a set of traces, in rows, with search, details and what is near a node.
import {start} from './lib';
import {GraphApp} from './graph/app';
import {Model} from './graph/model';
import type {Head} from './graph/model';

await start<Head>(data => new GraphApp(new Model(data)).show());
