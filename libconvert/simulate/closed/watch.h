// SPDX-License-Identifier: MIT
// Checks the assumptions of closed phases (see ClosedPhase) in a replay of representatives: no other message comes
// to their links, and no other end coincides with one of their ends, as both would share an entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

struct PhasePlan;

// Phases that a replay must not run as closed phases.
struct ClosedLimits {
  bool none = false;                     // no phase is closed
  std::map<Rank, Picoseconds> before{};  // by representative: only phases that begin before this time are closed
  std::set<std::pair<const PhasePlan*, Rank>> open{};  // these phases of these representatives are not closed

  friend bool operator==(const ClosedLimits&, const ClosedLimits&) = default;
};

// Origin of the last message of a closed phase: `steps` times the distance from `npu` to `to`, or `steps` members
// back along a class ring. NPUs that run phases of one shape have the same kind of origin.
struct ClosedCause {
  Rank npu = 0;
  Rank to = 0;
  bool exchange = false;         // see ChannelKey
  std::uint32_t class_ring = 0;  // see ChannelKey; 0: no class ring
  std::int64_t steps = 0;
  std::uint32_t shape = 0;
  bool is_open = false;  // the origin is an event of undetermined order
};

class ClosedWatch {
 public:
  ClosedWatch(ClosedLimits limits, std::size_t npus) : limits_(std::move(limits)), found_(limits_), spans_(npus) {}

  [[nodiscard]] bool may_close(Rank npu, const PhasePlan& phase, Picoseconds now) const {
    if (limits_.none) return false;
    const auto before = limits_.before.find(npu);
    return (before == limits_.before.end() || now < before->second) && !limits_.open.contains({&phase, npu});
  }

  // Records that phases of `npu` begin at `begin` and end at `end`. `entries` holds the end times of passes
  // relative to `begin`, and must outlive this.
  void begin(Rank npu, Picoseconds begin, Picoseconds end, const std::vector<Picoseconds>& entries) {
    std::erase_if(spans_[npu], [&](const Span& s) { return s.end < begin; });
    const Span span{begin, end, &entries};
    // In an exact replay, passes that end at one time share an entry, which keeps the position of the first pass.
    if (std::ranges::any_of(spans_[npu], [&](const Span& s) { return share_entry(span, s); })) meet(npu, begin);
    spans_[npu].push_back(span);
  }
  // Records that an entry of the NPU's event table is run.
  void run_entry(Rank npu, Picoseconds now) {
    ++entries_run_;
    for (const Span& s : spans_[npu]) {
      if (now <= s.end && std::ranges::binary_search(*s.entries, now - s.begin)) meet(npu, s.begin);
    }
  }
  // Records that phases of `npu` that began at `begin` have met another event.
  void meet(Rank npu, Picoseconds begin) {
    Picoseconds& before = found_.before.try_emplace(npu, begin).first->second;
    before = std::min(before, begin);
    note();
  }
  // Records that an event of this phase of `npu` has undetermined order.
  void leave_open(const PhasePlan& phase, Rank npu) {
    found_.open.emplace(&phase, npu);
    note();
  }

  // Returns whether all phases that were run as closed are closed. If not, the replay must run again with limits().
  [[nodiscard]] bool holds() const { return found_ == limits_; }
  // Returns whether the replay must end now. It continues for a while after a violation, to find others.
  [[nodiscard]] bool stops() const { return entries_run_ > last_entry_; }
  [[nodiscard]] const ClosedLimits& limits() const { return found_; }

 private:
  struct Span {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    const std::vector<Picoseconds>* entries = nullptr;
  };
  [[nodiscard]] static bool share_entry(const Span& a, const Span& b) {
    const bool a_has_fewer = a.entries->size() < b.entries->size();
    const Span& few = a_has_fewer ? a : b;
    const Span& many = a_has_fewer ? b : a;
    return std::ranges::any_of(*few.entries, [&](Picoseconds entry) {
      return std::ranges::binary_search(*many.entries, few.begin + entry - many.begin);
    });
  }
  void note() {
    constexpr std::uint64_t some = 20000;
    if (last_entry_ == UINT64_MAX) last_entry_ = 2 * entries_run_ + some;
  }

  const ClosedLimits limits_;
  ClosedLimits found_;
  std::vector<std::vector<Span>> spans_;  // by NPU
  std::uint64_t entries_run_ = 0;
  std::uint64_t last_entry_ = UINT64_MAX;
};

}  // namespace convert
