// SPDX-License-Identifier: MIT
// Watches whether phases that a replay of representatives runs as closed ones (see ClosedPhase) are so: whether
// nothing comes to their wires, and no other end falls on a time of theirs, as that would share an entry with it.
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

// Says which phases a replay is not to run as closed ones.
struct ClosedLimits {
  bool none = false;                     // no phase at all
  std::map<Rank, Picoseconds> before{};  // of such a representative only those that begin before this time
  std::set<std::pair<const PhasePlan*, Rank>> open{};  // these of such a representative

  friend bool operator==(const ClosedLimits&, const ClosedLimits&) = default;
};

// Says where the chain of causes of the last message of a closed phase begins: `steps` times as far away from `npu`
// as `to`, or so many members of a class ring back; on NPUs that run phases of one shape it goes the same way.
struct ClosedCause {
  Rank npu = 0;
  Rank to = 0;
  bool exchange = false;         // see ChannelKey
  std::uint32_t class_ring = 0;  // see ChannelKey; 0: none
  std::int64_t steps = 0;
  std::uint32_t shape = 0;
  bool is_open = false;  // goes back to something of which the place among others is open
};

class ClosedWatch {
 public:
  ClosedWatch(ClosedLimits limits, std::size_t npus) : limits_(std::move(limits)), found_(limits_), spans_(npus) {}

  [[nodiscard]] bool may_close(Rank npu, const PhasePlan& phase, Picoseconds now) const {
    if (limits_.none) return false;
    const auto before = limits_.before.find(npu);
    return (before == limits_.before.end() || now < before->second) && !limits_.open.contains({&phase, npu});
  }

  // Notes that phases of `npu` have begun at `begin`, and end at `end`; `entries`, which has to outlive this, says
  // when passes end, from the beginning on.
  void begin(Rank npu, Picoseconds begin, Picoseconds end, const std::vector<Picoseconds>& entries) {
    std::erase_if(spans_[npu], [&](const Span& s) { return s.end < begin; });
    const Span span{begin, end, &entries};
    // In truth passes that end at one time share an entry, which keeps the place of the first of them.
    if (std::ranges::any_of(spans_[npu], [&](const Span& s) { return share_entry(span, s); })) meet(npu, begin);
    spans_[npu].push_back(span);
  }
  // Tells that an entry of the NPU's event table is run.
  void run_entry(Rank npu, Picoseconds now) {
    ++entries_run_;
    for (const Span& s : spans_[npu]) {
      if (now <= s.end && std::ranges::binary_search(*s.entries, now - s.begin)) meet(npu, s.begin);
    }
  }
  // Tells that phases of `npu` that have begun at `begin` have met something.
  void meet(Rank npu, Picoseconds begin) {
    Picoseconds& before = found_.before.try_emplace(npu, begin).first->second;
    before = std::min(before, begin);
    note();
  }
  // Tells that the order in which something comes in this phase of `npu` is open.
  void leave_open(const PhasePlan& phase, Rank npu) {
    found_.open.emplace(&phase, npu);
    note();
  }

  // Returns whether all phases were closed that were run so. Otherwise the replay is to run again, with limits().
  [[nodiscard]] bool holds() const { return found_ == limits_; }
  // Returns whether it is to end now: it goes on for a while, to find more.
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
