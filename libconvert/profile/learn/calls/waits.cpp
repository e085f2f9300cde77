// SPDX-License-Identifier: MIT
#include "profile/learn/calls/waits.h"

#include <algorithm>

namespace convert {
namespace {

class Finder {
 public:
  Finder(const RankLog& log, std::span<const std::uint32_t> places) : log_(log), places_(places) {
    for (const Range& items : log.joins) {
      const std::uint32_t end = end_of(items);
      joins_.push_back({end, mask_of(items, end)});
    }
  }

  std::vector<CallWaits> run() const {
    std::vector<std::uint32_t> call(places_.size() -
                                    static_cast<std::size_t>(std::ranges::count(places_, no_index)));
    for (std::uint32_t c = 0; c < places_.size(); ++c) {
      if (places_[c] != no_index) call[places_[c]] = c;
    }
    std::vector<CallWaits> out;
    for (std::uint32_t place = 0; place < call.size(); ++place) {
      const CallMask direct = mask_of(log_.calls[call[place]].after, place);
      CallWaits waits;
      for (std::uint32_t back = 1; back <= std::min(place, CallMask::reach); ++back) {
        if (!direct.has(back) || waits.all.has(back)) continue;
        waits.nearest.push_back(back);
        waits.all.add(out[place - back].all.moved(back));
        waits.all.set(back);
      }
      out.push_back(std::move(waits));
    }
    return out;
  }

 private:
  // The calls of a join, relative to the position after its last call.
  struct Join {
    std::uint32_t end = 0;
    CallMask calls{};
  };

  [[nodiscard]] std::span<const std::uint32_t> items_of(const Range& range) const {
    return std::span(log_.after).subspan(range.begin, range.count);
  }
  [[nodiscard]] const Join* join_of(std::uint32_t item) const {
    return (item & RankLog::join_bit) != 0 ? &joins_[item & ~RankLog::join_bit] : nullptr;
  }
  [[nodiscard]] std::uint32_t end_of(const Range& range) const {
    std::uint32_t end = 0;
    for (const std::uint32_t item : items_of(range)) {
      const Join* const join = join_of(item);
      end = std::max(end, join != nullptr ? join->end : places_[item] + 1);  // no_index: 0
    }
    return end;
  }
  // Returns the calls relative to a position.
  [[nodiscard]] CallMask mask_of(const Range& range, std::uint32_t place) const {
    CallMask out;
    for (const std::uint32_t item : items_of(range)) {
      if (const Join* const join = join_of(item)) {
        if (join->end <= place) out.add(join->calls.moved(place - join->end));
        for (std::uint32_t back = join->end - std::min(join->end, place) + 1;
             join->end > place && back <= CallMask::reach; ++back) {
          if (join->calls.has(back)) out.set(back - (join->end - place));
        }
      } else if (places_[item] < place && place - places_[item] <= CallMask::reach) {
        out.set(place - places_[item]);
      }
    }
    return out;
  }

  const RankLog& log_;
  std::span<const std::uint32_t> places_;
  std::vector<Join> joins_;
};

}  // namespace

std::vector<CallWaits> call_waits(const RankLog& log, std::span<const std::uint32_t> places) {
  return Finder(log, places).run();
}

}  // namespace convert
