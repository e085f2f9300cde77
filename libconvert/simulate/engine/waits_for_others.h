// SPDX-License-Identifier: MIT
// Waits for other NPUs: receives before their messages are sent, collectives before all NPUs have called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/trace.h"

namespace convert {

class ReceiveWaits {
 public:
  explicit ReceiveWaits(std::size_t channels) : channels_(channels) {}

  // Notes that NPU `npu` posts a receive. Returns whether it waits: its message is not sent yet.
  [[nodiscard]] bool post(std::uint32_t channel, Rank npu) {
    Channel& c = channels_[channel];
    c.receiver = npu;
    return ++c.posted_ahead > 0;
  }
  // Notes that a message is sent; calls go_on(npu) if a receive waits for this message.
  template <class GoOn>
  void send(std::uint32_t channel, const GoOn& go_on) {
    if (--channels_[channel].posted_ahead >= 0) go_on(channels_[channel].receiver);
  }

 private:
  struct Channel {
    std::int32_t posted_ahead = 0;  // receives less messages
    Rank receiver = 0;
  };
  std::vector<Channel> channels_;
};

class WaitingInCalls {
 public:
  // Notes that NPU `npu` calls a collective, for `weight` of the `size` NPUs of its group. If it is the last, calls
  // go_on(npu) for each NPU with `communicates`.
  template <class GoOn>
  void call(std::uint32_t run, Rank npu, std::uint32_t weight, std::uint32_t size, bool communicates,
            const GoOn& go_on) {
    if (run >= runs_.size()) runs_.resize(std::size_t{run} + 1);
    Run& r = runs_[run];
    if (r.called == 0) ++open_;
    r.called += weight;
    if (communicates) r.waiting.push_back(npu);
    if (r.called < size) return;
    --open_;
    for (const Rank waited : std::exchange(r.waiting, {})) go_on(waited);
  }
  // Returns whether some NPU has not called a collective that others have called.
  [[nodiscard]] bool any_open() const { return open_ != 0; }
  // Notes that the part of an NPU ends. Returns whether it has waited until now.
  [[nodiscard]] bool end(std::uint32_t run, Rank npu) {
    std::vector<Rank>& waiting = runs_[run].waiting;
    const auto at = std::ranges::find(waiting, npu);
    if (at == waiting.end()) return false;
    waiting.erase(at);
    return true;
  }

 private:
  struct Run {
    std::uint32_t called = 0;  // NPUs
    std::vector<Rank> waiting{};
  };
  std::vector<Run> runs_;
  std::size_t open_ = 0;
};

}  // namespace convert
