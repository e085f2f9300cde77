// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/units.h"
#include "formats/ten/teccl.h"

namespace convert::teccl {
namespace {

// Tolerance for the solver's sums of volumes.
constexpr double tolerance = 1e-6;

bool is_whole(double volume) { return std::abs(volume - std::round(volume)) <= tolerance; }

std::string text_of(const Flow& f) {
  return "chunk " + std::to_string(f.chunk.index) + " from " + std::to_string(f.chunk.origin) + " over " +
         std::to_string(f.src) + "->" + std::to_string(f.dst) + " in epoch " + std::to_string(f.epoch);
}

class Parts {
 public:
  Parts(std::vector<Path> paths, const std::vector<Flow>& flows, ScheduleBuilder& to, Diagnostics& diagnostics)
      : paths_(std::move(paths)), flows_(flows), to_(to), diagnostics_(diagnostics) {}

  std::uint32_t add() {
    check_flows();
    std::ranges::stable_sort(
        paths_, [](const Path& a, const Path& b) { return std::tie(a.chunk, a.node) < std::tie(b.chunk, b.node); });
    count_ = parts_per_chunk();
    add_nodes();
    for (std::size_t i = 0; i < paths_.size();) i = add_demand(i);
    return count_;
  }

 private:
  using Key = std::tuple<ChunkKey, std::uint32_t, std::uint32_t, std::uint32_t>;
  static Key key_of(const Flow& f) { return {f.chunk, f.src, f.dst, f.epoch}; }

  void check_flows() {
    std::map<Key, double> left;
    for (const Flow& f : flows_) {
      left[key_of(f)] += f.volume;
      lines_.try_emplace(key_of(f), f.line);
    }
    for (const Path& p : paths_) {
      for (const Flow& hop : p.hops) {
        const auto at = left.find(key_of(hop));
        if (at == left.end())
          throw to_.error(hop.line, "a path takes " + text_of(hop) + ", but there is no such flow");
        at->second -= hop.volume;
      }
    }
    warn_of(left, 1, "carried volume that no path uses, which is omitted");
    // A solver that lets nodes copy may count one part for two paths.
    warn_of(left, -1, "with less volume than the paths through it, whose volume is used");
  }

  // Warns about flows with a remaining volume of this sign.
  void warn_of(const std::map<Key, double>& left, double sign, const std::string& what) {
    const auto odd = [&](const auto& flow) { return flow.second * sign > tolerance; };
    const auto n = std::ranges::count_if(left, odd);
    if (n == 0) return;
    const Key& first = std::ranges::find_if(left, odd)->first;
    const auto& [chunk, src, dst, epoch] = first;
    diagnostics_.warning({.file = to_.schedule.file, .line = lines_.at(first)}, "R7",
                         counted(static_cast<std::uint64_t>(n), "flow") + ' ' + what + ", such as " +
                             text_of({.chunk = chunk, .src = src, .dst = dst, .epoch = epoch}));
  }

  std::uint32_t parts_per_chunk() const {
    constexpr std::uint32_t most = 1000;
    for (std::uint32_t n = 1; n <= most; ++n) {
      const bool fits = std::ranges::all_of(paths_, [&](const Path& p) { return is_whole(p.hops[0].volume * n); });
      if (fits) return n;
    }
    throw to_.error(0, "the volumes of the paths have no common divisor of at least 1/1000 of a chunk");
  }

  void add_nodes() {
    Schedule& s = to_.schedule;
    for (const Path& p : paths_) {
      participants_.insert(p.node);
      participants_.insert(p.chunk.origin);
      for (const Flow& hop : p.hops) s.nodes = std::max({s.nodes, hop.src + 1, hop.dst + 1});
    }
    for (std::uint32_t n = 0; n < s.nodes; ++n) {
      if (!participants_.contains(n)) s.relays.push_back(n);
    }
  }

  // Adds all paths of one chunk to one node. Returns the start of the next demand.
  std::size_t add_demand(std::size_t first) {
    const Path& demand = paths_[first];
    std::size_t end = first;
    double volume = 0;
    std::uint32_t last_epoch = 0;
    for (; end < paths_.size() && paths_[end].chunk == demand.chunk && paths_[end].node == demand.node; ++end) {
      volume += paths_[end].hops[0].volume;
      last_epoch = std::max(last_epoch, paths_[end].hops.back().epoch);
    }
    const std::string what = "chunk " + std::to_string(demand.chunk.index) + " from " +
                             std::to_string(demand.chunk.origin) + " for node " + std::to_string(demand.node);
    if (std::abs(volume - 1) > tolerance)
      throw to_.error(demand.hops[0].line, "the paths of " + what + " do not add up to the whole chunk");
    if (demand.met < last_epoch)
      throw to_.error(demand.hops[0].line,
                      what + " is met by epoch " + std::to_string(demand.met) + ", before its last part is sent");
    Schedule& s = to_.schedule;
    auto part = static_cast<std::int64_t>(s.chunks.size());
    for (std::uint32_t k = 0; k < count_; ++k) {
      Schedule::Chunk c{.id = part + k, .bytes = {}, .pre = {}, .post = {}, .line = demand.hops[0].line};
      c.pre = to_.add_set({demand.chunk.origin}, c.line);
      c.post = to_.add_set({demand.node}, c.line);
      s.chunks.push_back(c);
    }
    // Latency of a last hop: from its epoch to the epoch in which the demand is met.
    const std::int64_t latency = std::int64_t{demand.met} - last_epoch;
    for (std::size_t i = first; i < end; ++i) {
      const auto parts = static_cast<std::int64_t>(std::llround(paths_[i].hops[0].volume * count_));
      add_transfers(paths_[i], latency, part, parts);
      part += parts;
    }
    return end;
  }

  void add_transfers(const Path& path, std::int64_t latency, std::int64_t first_part, std::int64_t parts);

  std::vector<Path> paths_;
  const std::vector<Flow>& flows_;
  ScheduleBuilder& to_;
  Diagnostics& diagnostics_;
  std::map<Key, std::uint32_t> lines_;  // lines of the flows
  std::uint32_t count_ = 1;             // parts per chunk
  std::set<std::uint32_t> participants_;
};

void Parts::add_transfers(const Path& path, std::int64_t latency, std::int64_t first_part, std::int64_t parts) {
  for (const Flow& hop : path.hops) {
    const bool last = &hop == &path.hops.back();
    for (std::int64_t k = 0; k < parts; ++k) {
      const Schedule::Transfer t{.start = hop.epoch,
                                 .end = hop.epoch + (last ? latency : 0) + 1,
                                 .id = static_cast<std::int32_t>(to_.schedule.transfers.size()),
                                 .src = hop.src,
                                 .dst = hop.dst,
                                 .line = lines_.at(key_of(hop))};
      to_.add_transfer(t, first_part + k, Schedule::Time::steps);
    }
  }
}

}  // namespace

std::uint32_t add_parts(std::vector<Path> paths, const std::vector<Flow>& flows, ScheduleBuilder& to,
                        Diagnostics& diagnostics) {
  return Parts(std::move(paths), flows, to, diagnostics).add();
}

}  // namespace convert::teccl
