// SPDX-License-Identifier: MIT
#include "core/time/recorded_time.h"

#include <limits>

#include "core/attr_names.h"

namespace convert {
namespace {

// Return a + b, and microseconds in nanoseconds; no_time if the result exceeds 63 bits.
std::int64_t time_sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? no_time : out;
}
std::int64_t time_of_us(std::uint64_t us) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 1000;
  return us > most ? no_time : static_cast<std::int64_t>(us) * 1000;
}

}  // namespace

std::int64_t RecordedTime::end_ns() const {
  return begin_ns == no_time || duration_ns == no_time ? no_time : time_sum(begin_ns, duration_ns);
}

RecordedTime recorded_time(const NodeTable& table, const Node& node, std::int64_t base_ns) {
  RecordedTime out;
  const auto attrs = table.attributes(node);
  const IntValue start = int_value(attrs, attr::start_nanos);
  const IntValue duration = int_value(attrs, attr::duration_nanos);
  if (start && start.value >= 0) {
    out.begin_ns = time_sum(start.value, base_ns);
  } else if (node.start_us != 0) {
    const std::int64_t ns = time_of_us(node.start_us);
    out.begin_ns = ns == no_time ? no_time : time_sum(ns, base_ns);
  }
  if (duration && duration.value >= 0) {
    out.duration_ns = duration.value;
  } else if (node.duration_us != 0) {
    out.duration_ns = time_of_us(node.duration_us);
  } else if (out.begin_ns != no_time) {
    out.duration_ns = 0;
  }
  return out;
}

std::int64_t recorded_base_ns(const Metadata& metadata) {
  const IntValue base = int_value(metadata.table.attrs, attr::base_time_nanos);
  return base && base.value >= 0 ? base.value : 0;
}

}  // namespace convert
