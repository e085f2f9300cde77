// SPDX-License-Identifier: MIT
// Rates of the threadblocks of an MSCCL program, which a replay does not limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/algorithm/algorithm.h"
#include "core/trace.h"

namespace convert {

struct ReplayResult;

// What limits an MSCCL program beside its links.
struct MscclProgram {
  Protocol protocol = Protocol::simple;
  std::uint32_t senders = 0;  // threadblocks of a GPU that send
};
// Returns the program that a trace is a rank of; nothing if its metadata names none, or a schedule.
[[nodiscard]] std::optional<MscclProgram> msccl_program_of(const Trace& trace);

// Returns a note if a GPU's threadblocks send faster in a replay than threadblocks were measured to do.
[[nodiscard]] std::optional<std::string> threadblock_note(const MscclProgram& program, const ReplayResult& result);

}  // namespace convert
