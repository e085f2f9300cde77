// SPDX-License-Identifier: MIT
// Limits of the runtimes that run MSCCL-IR. A file beyond these limits is valid, but does not run there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/collective.h"
#include "core/words.h"

namespace convert {

struct RuntimeLimits {
  const char* name;
  std::uint32_t steps;                              // per threadblock
  std::uint32_t threadblocks;                       // per GPU
  bool adds_received = true;                        // accepts rcs, rrs, rrc and rrcs; else they are written as
                                                    // several steps
  std::span<const std::string_view> collectives{};  // supported names; empty: all
  // Maximum bytes of a message, by Protocol. Simple: 4 of the 8 steps of 4 MiB (NCCL_BUFFSIZE). LL: half of a step,
  // since half of each line is flags; a step is 8 lines of 16 bytes for each of 512 threads (RCCL: 256). LL128: 120
  // words of 8 bytes for each of 640 threads, 15 of 16 for data (RCCL: 28, 256, 7 of 8).
  std::array<std::int64_t, 3> message_bytes{};
};
inline constexpr std::array<std::string_view, 7> msccl_collectives = {
    "allreduce", "allgather", "reduce", "broadcast", "alltoall", "reduce_scatter", "custom"};
inline constexpr std::array<std::string_view, 11> rccl_collectives = {
    "allreduce", "allgather", "reduce",    "broadcast", "alltoall", "reducescatter",
    "gather",    "scatter",   "alltoallv", "send",      "recv"};
inline constexpr RuntimeLimits msccl_limits{
    .name = "MSCCL",
    .steps = 256,
    .threadblocks = 216,
    .collectives = msccl_collectives,
    .message_bytes = {std::int64_t{2} << 20, 512 * 8 * 16 / 2, std::int64_t{640} * 120 * 8 / 16 * 15}};
inline constexpr RuntimeLimits rccl_limits{
    .name = "RCCL",
    .steps = 64,
    .threadblocks = 64,
    .adds_received = false,
    .collectives = rccl_collectives,
    .message_bytes = {std::int64_t{2} << 20, 256 * 8 * 16 / 2, std::int64_t{256} * 28 * 8 / 8 * 7}};
inline constexpr std::array<RuntimeLimits, 2> runtimes = {msccl_limits, rccl_limits};
// Returns the limits of the runtime that a command line calls msccl or rccl.
[[nodiscard]] constexpr const RuntimeLimits& runtime_of(std::string_view target) {
  return target == "rccl" ? rccl_limits : msccl_limits;
}
// Returns the name of a collective in a runtime; empty if the runtime does not support it.
[[nodiscard]] constexpr std::string_view name_in(const RuntimeLimits& runtime, Collective c) {
  for (const std::string_view known : runtime.collectives) {
    if (same_name(known, name(c))) return known;
  }
  return {};
}
// Returns whether a runtime supports a collective of exactly this name.
[[nodiscard]] constexpr bool knows(const RuntimeLimits& runtime, std::string_view coll) {
  return runtime.collectives.empty() || std::ranges::find(runtime.collectives, coll) != runtime.collectives.end();
}
// The default of maxBytes in MSCCL (mscclGetAlgoFromXMLAndSetAlgo); RCCL requires it.
inline constexpr std::int64_t undeclared_max_bytes = std::int64_t{1} << 27;
// Limit of the sending threadblocks of a GPU on one channel, and of the receiving ones.
inline constexpr std::uint32_t threadblocks_per_channel = 32;
// Limit of the XML elements that the runtime of a GPU keeps: <algo>, each <gpu>, its own <tb> and <step>.
inline constexpr std::uint32_t most_xml_elements = 4095;
// Limit of the threadblocks that others can wait for: their number is stored in a signed byte.
inline constexpr std::uint32_t awaited_threadblocks = 128;

}  // namespace convert
