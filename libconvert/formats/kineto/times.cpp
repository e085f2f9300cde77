// SPDX-License-Identifier: MIT
#include "formats/kineto/times.h"

#include <cmath>

namespace convert {
namespace {

template <class IsAbsent>
void drop_events(Profile& profile, const IsAbsent& is_absent) {
  std::erase_if(profile.cpu_ops, is_absent);
  std::erase_if(profile.calls, is_absent);
  std::erase_if(profile.device_ops, is_absent);
  std::erase_if(profile.syncs, is_absent);
}

}  // namespace

std::int64_t KinetoTimes::resolution_ns() const {
  const double last_us = static_cast<double>(last_ns_) / 1000;
  const double step_us = std::nextafter(last_us, std::numeric_limits<double>::infinity()) - last_us;
  const auto step_ns = static_cast<std::int64_t>(std::ceil(step_us * 1000));
  return resolution_ns_ == 1 ? 1 : std::min<std::int64_t>(std::max(resolution_ns_, step_ns), 1000);
}

// Drops the events that begin long before all others (at most half of all events), if the clock of the others has
// run for days: no profile lasts that long.
KinetoTimes::Absent KinetoTimes::drop_early(Profile& profile) const {
  constexpr std::int64_t days_ns = 1'000'000'000'000'000;  // ts of 1e12 us
  const std::int64_t early_ns = last_ns_ / 4, usual_ns = last_ns_ / 2;
  if (last_ns_ < days_ns || first_ns_ >= early_ns) return {};
  std::uint64_t early = 0, between = 0, all = 0;
  const auto count = [&](const auto& events) {
    for (const Profile::Event& e : events) {
      early += e.start_ns < early_ns ? 1 : 0;
      between += e.start_ns >= early_ns && e.start_ns < usual_ns ? 1 : 0;
    }
    all += events.size();
  };
  count(profile.cpu_ops);
  count(profile.calls);
  count(profile.device_ops);
  count(profile.syncs);
  if (between != 0 || early > all / 2) return {};
  drop_events(profile, [&](const Profile::Event& e) { return e.start_ns < early_ns; });
  const auto first = std::ranges::find_if(early_, [&](const Begin& b) { return b.start_ns < early_ns; });
  Absent out{.events = early, .first_line = first->line};  // first_ns_ is an early event
  if (empty_ != 0) out.first_line = std::min(out.first_line, first_empty_line_);
  return out;
}

KinetoTimes::Absent KinetoTimes::drop_absent(Profile& profile) const {
  constexpr std::int64_t second = 1'000'000'000;
  const Absent early = drop_early(profile);
  if (early.events != 0) return early;
  const bool other_times = last_ns_ != 0;
  if (empty_ == 0 || !other_times || first_ns_ <= std::max(second, last_ns_ - first_ns_)) return {};
  drop_events(profile, [](const Profile::Event& e) { return e.start_ns == 0 && e.duration_ns == 0; });
  return {empty_, first_empty_line_, true};
}

}  // namespace convert
