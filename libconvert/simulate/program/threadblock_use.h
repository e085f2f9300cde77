// SPDX-License-Identifier: MIT
// Threadblocks and protocols of the programs (collective algorithms) in a trace.
#pragma once

#include <vector>

#include "core/trace.h"
#include "graph/graph.h"
#include "simulate/program/op.h"

namespace convert {

// Returns the threadblock use of the sends of a trace, from its metadata msccl.proto and the attributes tb_id. It
// is empty for the trace of a schedule, which no runtime runs unchanged. `code` contains the ops of the trace.
[[nodiscard]] ThreadblockUse threadblock_use(const Trace& trace, const RankCode& code);

// Sets Op::program of the ops of a trace, by index of the node. `is_algorithm`: the trace is an algorithm;
// otherwise nodes with tb_id are nodes of a program, and nodes by which et-merge replaced collectives.
void mark_programs(const Trace& trace, const Graph& graph, bool is_algorithm, std::vector<Op>& ops);

}  // namespace convert
