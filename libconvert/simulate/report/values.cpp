// SPDX-License-Identifier: MIT
#include "simulate/report/values.h"

#include <algorithm>
#include <string>

#include "util/text_table.h"

namespace convert {
namespace {

// Computes a Spread without overflow, exact except for the last digit.
class SpreadOf {
 public:
  explicit SpreadOf(std::size_t count) : count_(static_cast<std::int64_t>(count)) {}
  void add(std::int64_t value) {
    s_.min = any_ ? std::min(s_.min, value) : value;
    s_.max = any_ ? std::max(s_.max, value) : value;
    any_ = true;
    s_.mean += value / count_;
    rest_ += value % count_;
  }
  [[nodiscard]] Spread get() const {
    Spread s = s_;
    if (count_ == 0) return s;
    s.mean += rest_ / count_;
    std::int64_t rest = rest_ % count_;
    if (rest < 0) {
      rest += count_;
      --s.mean;
    }
    s.mean_fraction = static_cast<double>(rest) / static_cast<double>(count_);
    if (rest >= count_ - rest) ++s.mean;
    return s;
  }

 private:
  std::int64_t count_;
  bool any_ = false;
  std::int64_t rest_ = 0;
  Spread s_{};
};

template <typename Of>
Spread spread_of_all(const ReplayResult& result, const Of& value_of) {
  SpreadOf of(result.npus.size());
  for (const NpuResult& n : result.npus) of.add(value_of(n));
  return of.get();
}

}  // namespace

const std::array<NpuTime, 9> npu_times = {{
    {"finish_ns", "finish", [](const NpuResult& n) { return n.finish_ps; }},
    {"exposed_communication_ns", "exposed",
     [](const NpuResult& n) { return n.finish_ps ? std::optional(n.exposed_communication_ps) : std::nullopt; }},
    {"compute_ns", "compute", [](const NpuResult& n) { return std::optional(n.compute_ps); }},
    {"communication_ns", "communication", [](const NpuResult& n) { return std::optional(n.times.communication); }},
    {"overlap_ns", "overlap", [](const NpuResult& n) { return std::optional(n.times.overlap); }},
    {"waiting_ns", "waiting", [](const NpuResult& n) { return std::optional(n.times.waiting); }},
    {"idle_ns", "idle",
     [](const NpuResult& n) { return n.finish_ps ? std::optional(*n.finish_ps - n.times.busy) : std::nullopt; }},
    {"memory_ns", "memory", [](const NpuResult& n) { return std::optional(n.times.memory); }},
    {"cpu_ns", "cpu", [](const NpuResult& n) { return std::optional(n.times.cpu); }},
}};

std::string format_mean(const Spread& spread, int decimals) {
  std::string text = format_fixed(spread.mean_fraction, decimals);
  const std::int64_t carry = text[0] - '0' - (spread.mean_fraction >= 0.5 ? 1 : 0);  // mean is rounded
  text = std::to_string(spread.mean + carry) + text.substr(1);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::optional<Spread> spread(const ReplayResult& result, const NpuTime& time) {
  const auto count = std::count_if(result.npus.begin(), result.npus.end(),
                                   [&](const NpuResult& n) { return time.of(n).has_value(); });
  if (count == 0) return std::nullopt;
  SpreadOf of(static_cast<std::size_t>(count));
  for (const NpuResult& n : result.npus) {
    if (const auto value = time.of(n)) of.add(*value);
  }
  return of.get();
}

Spread spread_of_sends(const ReplayResult& result) {
  return spread_of_all(result, [](const NpuResult& n) { return static_cast<std::int64_t>(n.sends); });
}

Spread spread_of_bytes(const ReplayResult& result) {
  return spread_of_all(result, [](const NpuResult& n) { return n.bytes_sent; });
}

std::optional<Spread> spread_of_peaks(const ReplayResult& result) {
  if (!result.peak_tensors) return std::nullopt;
  return spread_of_all(result, [](const NpuResult& n) { return n.peak_memory->bytes; });
}

CollectiveSpeed speed_of(const CollectiveKind& kind, Picoseconds time) {
  CollectiveSpeed s;
  const double factor = bus_bandwidth_factor(kind.op, kind.npus);
  if (time > 0 && kind.size_bytes > 0 && factor > 0) {
    s.alg_gb_per_s = static_cast<double>(kind.size_bytes) * ps_per_ns / static_cast<double>(time);
    s.bus_gb_per_s = *s.alg_gb_per_s * factor;
  }
  if (!kind.bound_ps) return s;
  constexpr double rounding = 1e-3;
  const auto bound = static_cast<double>(*kind.bound_ps);
  if (static_cast<double>(time) < bound * (1 - rounding)) {
    s.beyond = true;
  } else if (time > 0) {
    s.bound_share = std::min(1.0, bound / static_cast<double>(time));
  }
  return s;
}

std::optional<Picoseconds> time_of(const CollectiveResult& collective) {
  return collective.end_ps ? std::optional(*collective.end_ps - collective.begin_ps) : std::nullopt;
}

std::string_view model_name(const ReplayResult& result) {
  if (result.recorded_communication) return "recorded";
  return result.ideal_network ? "ideal" : name(result.model);
}

double utilisation(const ReplayResult& result, const WireUse& wire) {
  if (result.reached_ps == 0) return 0;
  return static_cast<double>(wire.busy_ps) / static_cast<double>(result.reached_ps);
}

const WireUse* bottleneck(const ReplayResult& result) {
  const auto at = std::max_element(result.wires.begin(), result.wires.end(),
                                   [](const WireUse& a, const WireUse& b) { return a.busy_ps < b.busy_ps; });
  return at == result.wires.end() ? nullptr : &*at;
}

}  // namespace convert
