// SPDX-License-Identifier: MIT
// Rates of the threadblocks of MSCCL programs; the replay limits them only on machines that state rates.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "config/collective_rules.h"
#include "core/algorithm/algorithm.h"
#include "core/units.h"
#include "simulate/engine/replay.h"
#include "simulate/system/plan.h"

namespace convert {
namespace {

// Measured rate of a sending threadblock in bytes per ns, by Protocol: 1 GiB all-gathers around 8 MI300X with one
// channel (86.4 ms with Simple, 598.6 ms with LL). LL128 was not measured; it is not faster than Simple, as 15 of
// 16 words are data.
constexpr std::array<double, 3> measured = {10.9, 1.57, 10.9};

std::string threadblock_rate(double bytes_per_ns) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.3g GB/s", bytes_per_ns);
  return text.data();
}

// The fastest threadblocks of some ranks.
struct Fastest {
  double bytes_per_ns = 0;
  ThreadblockUse use{};

  void add(const ThreadblockUse& of, std::int64_t bytes, Picoseconds time) {
    if (of.senders == 0 || time <= 0) return;
    const double rate =
        static_cast<double>(bytes) / of.senders * static_cast<double>(ps_per_ns) / static_cast<double>(time);
    if (rate > bytes_per_ns) *this = {rate, of};
  }
  [[nodiscard]] double limit() const { return measured[static_cast<std::size_t>(use.protocol)]; }
};

// `of`: " of FILE" if there are several programs.
std::string rate_note(const Fastest& f, const std::string& of) {
  return "a threadblock" + of + " sends " + threadblock_rate(f.bytes_per_ns) + " here, but about " +
         threadblock_rate(f.limit()) + " on MI300X; see et-simulation(7), WHAT IS NOT SIMULATED";
}

// The rank of an algorithm whose threadblocks send most.
struct Busiest {
  ThreadblockUse use{};
  std::int64_t bytes = 0;
};
// Returns the busiest rank; no senders for an algorithm of the library, which is not a program of a runtime.
Busiest busiest_place(const CustomAlgorithm& algorithm) {
  Busiest most;
  if (is_builtin(algorithm.source)) return most;
  double each = 0;
  for (const auto& place : algorithm.places) {
    if (place->threadblocks.senders == 0) continue;
    std::int64_t bytes = 0;
    for (const Op& op : place->ops) bytes += op.type == OpType::send ? op.value : 0;
    const double of_place = static_cast<double>(bytes) / place->threadblocks.senders;
    if (of_place <= each) continue;
    each = of_place;
    most = {place->threadblocks, bytes};
  }
  return most;
}

}  // namespace

void note_threadblock_rates(const ReplayProgram& program, ReplayResult& result) {
  if (result.ideal_network) return;
  Fastest own;
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    if (const Rank r = result.rank(i); r < program.ranks.size())
      own.add(program.ranks[r].code->threadblocks, result.npus[i].bytes_sent, result.total_ps);
  }
  if (own.bytes_per_ns > own.limit()) result.notes.push_back(rate_note(own, ""));
  std::map<std::string, Fastest> of_source;
  std::map<std::uint32_t, Busiest> busiest;  // by custom
  for (const CollectiveResult& c : result.collectives) {
    const std::uint32_t custom = program.plans[c.plan].call.custom;
    if (custom == 0 || !c.end_ps) continue;
    const auto [at, added] = busiest.try_emplace(custom);
    if (added) at->second = busiest_place(program.customs[custom - 1]);
    of_source[program.customs[custom - 1].source].add(at->second.use, at->second.bytes, *c.end_ps - c.begin_ps);
  }
  for (const auto& [source, fastest] : of_source) {
    if (fastest.bytes_per_ns > fastest.limit()) result.notes.push_back(rate_note(fastest, " of " + source));
  }
}

}  // namespace convert
