// SPDX-License-Identifier: MIT
#include "passes/link/order/streams.h"

#include <algorithm>

namespace convert {

Streams::Streams(const Profile* device, const Launches& launches) {
  if (device == nullptr) return;
  const auto& all = device->device_ops;
  places_.resize(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const bool again = i > 0 && all[i].device == all[i - 1].device && all[i].stream == all[i - 1].stream;
    if (again) {
      places_[i].stream = places_[i - 1].stream;
    } else {
      places_[i].stream = by_key_.try_emplace({all[i].device, all[i].stream}, streams_.size()).first->second;
    }
    if (places_[i].stream == streams_.size()) streams_.emplace_back().device = all[i].device;
    streams_[places_[i].stream].operations.push_back(i);
  }
  for (const auto& [key, stream] : by_key_) by_number_.try_emplace(key.second, stream);
  // At equal times, the calls decide the order.
  const auto called = [&](std::uint32_t i) {
    const std::uint32_t call = launches.call_of(i);
    return call == no_index ? all[i].start_ns : device->calls[call].start_ns;
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const std::pair x(all[a].start_ns, all[a].end_ns()), y(all[b].start_ns, all[b].end_ns());
    return x != y ? x < y : std::pair(called(a), a) < std::pair(called(b), b);
  };
  for (Stream& s : streams_) {
    if (!std::is_sorted(s.operations.begin(), s.operations.end(), before))
      std::sort(s.operations.begin(), s.operations.end(), before);
    for (std::uint32_t i = 0; i < s.operations.size(); ++i) places_[s.operations[i]].place = i;
  }
}

std::uint32_t Streams::launch(std::uint32_t operation, std::uint32_t thread, std::int64_t call_ns) {
  const std::uint32_t index = of(operation);
  Stream& s = streams_[index];
  s.launched.push_back({++launches_, operation, thread, call_ns});
  if (newest_ == index) return launches_;
  if (s.older != no_index) streams_[s.older].newer = s.newer;
  if (s.newer != no_index) streams_[s.newer].older = s.older;
  s.older = newest_;
  s.newer = no_index;
  if (newest_ != no_index) streams_[newest_].newer = index;
  newest_ = index;
  return launches_;
}

std::uint32_t Streams::find(std::int64_t device, std::int64_t stream) const {
  if (const auto found = by_key_.find({device, stream}); found != by_key_.end()) return found->second;
  const auto found = by_number_.find(stream);
  return found == by_number_.end() ? no_index : found->second;
}

std::uint32_t Streams::last_launched(std::uint32_t stream, const Moment& before) const {
  const auto& launched = streams_[stream].launched;
  auto after = std::partition_point(launched.begin(), launched.end(),
                                    [&](const Launched& l) { return l.launch <= before.launches; });
  // The order of simultaneous calls of two threads is unknown. There are few of these.
  constexpr int most = 16;
  for (int i = 0; i < most && after != launched.begin(); ++i) {
    --after;
    if (after->thread == before.thread || after->call_ns < before.time_ns) return after->operation;
  }
  return no_index;
}

}  // namespace convert
