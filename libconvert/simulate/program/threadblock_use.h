// SPDX-License-Identifier: MIT
// Counts the sending threadblocks of a rank of an MSCCL program; the replay does not limit their rates.
#pragma once

#include "core/trace.h"
#include "simulate/program/op.h"

namespace convert {

// Returns the threadblock use of the sends of a trace, from its metadata msccl.proto and the attributes tb_id. It
// is empty for the trace of a schedule, which no runtime runs unchanged. `code` contains the ops of the trace.
[[nodiscard]] ThreadblockUse threadblock_use(const Trace& trace, const RankCode& code);

}  // namespace convert
