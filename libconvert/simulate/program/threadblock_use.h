// SPDX-License-Identifier: MIT
// Counts the sending threadblocks of a rank of an MSCCL program, whose rates a replay does not limit.
#pragma once

#include "core/trace.h"
#include "simulate/program/op.h"

namespace convert {

// Returns the threadblocks of the sends of a trace, by its metadata msccl.proto and the attributes tb_id; none for
// a trace of a schedule, which no runtime runs unchanged. `code` has the ops of the trace.
[[nodiscard]] ThreadblockUse threadblock_use(const Trace& trace, const RankCode& code);

}  // namespace convert
