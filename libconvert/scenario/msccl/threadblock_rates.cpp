// SPDX-License-Identifier: MIT
#include "scenario/msccl/threadblock_rates.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

#include "core/found_attrs.h"
#include "core/units.h"
#include "passes/provenance.h"
#include "simulate/engine/replay.h"

namespace convert {
namespace {

// Bytes a nanosecond that a threadblock was measured to send, by Protocol: 1 GiB all-gathers around 8 MI300X with
// one channel (86.4 ms with Simple, 598.6 ms with LL). LL128: Simple's, as 15 of 16 words are data.
constexpr std::array<double, 3> measured = {10.9, 1.57, 10.9};

std::string rate_text(double bytes_per_ns) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.3g GB/s", bytes_per_ns);
  return text.data();
}

}  // namespace

std::optional<MscclProgram> msccl_program_of(const Trace& trace) {
  const AttrTable& table = trace.metadata.table;
  const auto attrs = std::span<const Attr>(table.attrs);
  const auto protocol = parse_protocol(string_value(table, attrs, msccl::proto).value_or(""));
  if (!protocol || find(attrs, ten::schedule_name) != nullptr) return std::nullopt;
  MscclProgram program{.protocol = *protocol};
  for (const std::int32_t peer : int32_list(table, attrs, msccl::tb_send)) program.senders += peer >= 0 ? 1 : 0;
  if (program.senders == 0) return std::nullopt;
  return program;
}

std::optional<std::string> threadblock_note(const MscclProgram& program, const ReplayResult& result) {
  std::int64_t most = 0;
  for (const NpuResult& npu : result.npus) most = std::max(most, npu.bytes_sent);
  if (result.total_ps <= 0) return std::nullopt;
  const double bytes_per_ns = static_cast<double>(most) / program.senders * static_cast<double>(ps_per_ns) /
                              static_cast<double>(result.total_ps);
  const double limit = measured[static_cast<std::size_t>(program.protocol)];
  if (bytes_per_ns <= limit) return std::nullopt;
  return "the rate of a threadblock and the cost of protocol " + std::string(name(program.protocol)) +
         " are not simulated: each of a GPU's " + counted(program.senders, "sending threadblock") + " sends " +
         rate_text(bytes_per_ns) + ", and about " + rate_text(limit) +
         " was measured (WHAT IS NOT SIMULATED in et-replay(1))";
}

}  // namespace convert
