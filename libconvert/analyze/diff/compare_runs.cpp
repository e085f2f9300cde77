// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "analyze/diff/call_notes.h"
#include "analyze/diff/difference.h"
#include "analyze/diff/match.h"
#include "analyze/diff/path_parts.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

// Slices of a run by NPU; NPUs that have a representative are included.
class RunSide {
 public:
  explicit RunSide(const Run& of) : run(of), by_npu_(of) {
    for (const SlicesByNpu::Npu& npu : by_npu_.npus()) slices_[npu.rank] = {npu.slices, npu.rank};
    for (const Run::Class& c : run.classes) {
      const auto like = slices_.find(c.like);
      if (like != slices_.end() && !slices_.contains(c.npu)) slices_[c.npu] = like->second;
    }
  }
  struct Of {
    std::span<const std::uint32_t> slices;
    Rank from = 0;  // NPU that owns the slices: the NPU itself or its representative
  };
  const Run& run;
  [[nodiscard]] const std::map<Rank, Of>& ranks() const { return slices_; }

 private:
  SlicesByNpu by_npu_;
  std::map<Rank, Of> slices_;
};

class RunComparison {
 public:
  RunComparison(const Run& a, const Run& b, const DiffWishes& wishes) : wishes_(wishes), a_(a), b_(b) {}

  Difference run() {
    out_.structure = wishes_.structure;
    out_.times = wishes_.times;
    out_.tolerant = wishes_.tolerates();
    out_.total_a = window(a_.run);
    out_.total_b = window(b_.run);
    out_.status_a = a_.run.status;
    out_.status_b = b_.run.status;
    out_.totals_differ = !wishes_.structure && !wishes_.same_time(*out_.total_a, *out_.total_b);
    std::map<Rank, Rank> back;
    Partners partners(wishes_);
    for (const auto& [rank, of] : a_.ranks()) {
      const Rank other = partners.in_b(rank);
      const auto at = b_.ranks().find(other);
      back[other] = rank;
      if (at == b_.ranks().end()) {
        out_.ranks_only_a.push_back(rank);
      } else {
        compare(rank, of, at->second);
      }
    }
    for (const auto& [rank, of] : b_.ranks()) {
      if (!back.contains(rank)) out_.ranks_only_b.push_back(rank);
    }
    if (a_.ranks().empty() != b_.ranks().empty())
      out_.notes.push_back(std::string("run ") + (a_.ranks().empty() ? "A" : "B") +
                           " has no slices: only the totals are compared");
    note_npus();
    if (!wishes_.structure) {
      for (std::string& note : notes_of_calls(a_.run, b_.run)) out_.notes.push_back(std::move(note));
    }
    out_.paths = !a_.run.path.empty() && !b_.run.path.empty();
    if (!wishes_.structure) {
      add_parts(Side::a, a_.run);
      add_parts(Side::b, b_.run);
    }
    return std::move(out_);
  }

 private:
  void note_npus() {
    const std::size_t a = a_.ranks().size(), b = b_.ranks().size();
    if (a == 0 || b == 0 || (out_.ranks_only_a.empty() && out_.ranks_only_b.empty())) return;
    out_.notes.push_back("A has " + counted(a, "NPU") + ", B has " + counted(b, "NPU") +
                         "; slices are compared for " + counted(out_.ranks, "NPU"));
  }

  std::vector<Matchable> matchable(const RunSide& side, const RunSide::Of& of, bool is_a) {
    std::vector<Matchable> nodes;
    nodes.reserve(of.slices.size());
    for (const std::uint32_t i : of.slices) {
      const Slice& s = side.run.timeline.slices[i];
      Matchable m{
          .id = s.node, .type = static_cast<std::uint32_t>(s.lane), .name = texts_.add(side.run.timeline.name(s))};
      if (s.call < side.run.calls.size()) {
        m.meets = Matchable::Meets::group;
        m.partner = static_cast<std::uint64_t>(side.run.calls[s.call].group);
      } else if (s.peer >= 0 && communicates(s.lane)) {
        m.meets = s.lane == Lane::recv ? Matchable::Meets::sender : Matchable::Meets::receiver;
        m.partner = is_a ? wishes_.in_b(static_cast<Rank>(s.peer)) : static_cast<Rank>(s.peer);
      }
      nodes.push_back(m);
    }
    return nodes;
  }

  static Difference::NodeRef ref(const RunSide& side, Rank rank, std::uint32_t slice) {
    const Slice& s = side.run.timeline.slices[slice];
    return {rank, s.node, std::string(side.run.timeline.name(s)), std::string(lane_name(s.lane))};
  }

  void compare(Rank rank, const RunSide::Of& of_a, const RunSide::Of& of_b) {
    const std::vector<Matchable> a = matchable(a_, of_a, true), b = matchable(b_, of_b, false);
    std::vector<std::uint32_t> order_a(a.size()), order_b(b.size());
    std::iota(order_a.begin(), order_a.end(), 0U);
    std::iota(order_b.begin(), order_b.end(), 0U);
    const NodeMatching match = match_nodes(a, order_a, b, order_b);
    ++out_.ranks;
    out_.nodes_a += a.size();
    out_.nodes_b += b.size();
    out_.matched += match.matched;
    const bool own = of_a.from == rank && of_b.from == wishes_.in_b(rank);
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      const std::uint32_t j = match.b_of_a[i];
      if (j != no_index) {
        compare_slices(rank, of_a.slices[i], of_b.slices[j], own);
      } else if (!wishes_.times) {
        out_.only_a.add_made([&] { return ref(a_, rank, of_a.slices[i]); });
      }
      add_time(Side::a, a_, of_a.slices[i]);
    }
    for (std::uint32_t j = 0; j < b.size(); ++j) {
      if (match.a_of_b[j] == no_index && !wishes_.times)
        out_.only_b.add_made([&] { return ref(b_, wishes_.in_b(rank), of_b.slices[j]); });
      add_time(Side::b, b_, of_b.slices[j]);
    }
  }

  // `own`: the slices belong to this NPU on both sides, so that peers are comparable.
  void compare_slices(Rank rank, std::uint32_t i, std::uint32_t j, bool own) {
    const Slice& x = a_.run.timeline.slices[i];
    const Slice& y = b_.run.timeline.slices[j];
    bool changed = false;
    const auto change = [&](std::string_view what, const auto& old_value, const auto& new_value) {
      if (wishes_.ignores(what)) return;
      changed = true;
      ++out_.changes_by_what[std::string(what)];
      out_.changes.add_made([&] {
        return Difference::Change{ref(a_, rank, i), y.node, std::string(what), old_value(), new_value()};
      });
    };
    const auto time = [&](std::string_view what, Picoseconds a, Picoseconds b) {
      if (wishes_.same_time(a, b)) return;
      change(
          what, [&] { return format_time(a); }, [&] { return format_time(b); });
    };
    const auto number = [&](std::string_view what, std::int64_t a, std::int64_t b) {
      if (a != b)
        change(
            what, [&] { return std::to_string(a); }, [&] { return std::to_string(b); });
    };
    out_.other_ids += x.node != y.node ? 1 : 0;
    if (!wishes_.structure) {
      time("duration", x.end_ps - x.begin_ps, y.end_ps - y.begin_ps);
      time("start", x.begin_ps, y.begin_ps);
    }
    if (!wishes_.times) {
      number("bytes", x.bytes, y.bytes);
      if (own) number("peer", x.peer < 0 ? x.peer : std::int64_t{wishes_.in_b(static_cast<Rank>(x.peer))}, y.peer);
      if (a_.run.timeline.name(x) != b_.run.timeline.name(y)) {
        change(
            "name", [&] { return std::string(a_.run.timeline.name(x)); },
            [&] { return std::string(b_.run.timeline.name(y)); });
      }
    }
    out_.changed_nodes += changed ? 1 : 0;
  }

  void add_time(Side side, const RunSide& of, std::uint32_t slice) {
    const Slice& s = of.run.timeline.slices[slice];
    if (!wishes_.structure)
      out_.names.add(side, of.run.timeline.name(s), std::max<Picoseconds>(0, s.end_ps - s.begin_ps));
  }

  // Adds the time by category. The categories add up to the run.
  void add_parts(Side side, const Run& run) {
    if (!out_.paths) return add_mean_npu(side, run);
    for_each_path_part(run, [&](PathWork, const std::string& what, std::string_view name, Picoseconds time) {
      if (!name.empty()) out_.names.add_path(side, name, time);
      Difference::OnPath& part = out_.path_parts[what];
      part.add(side, time);
      part.names.try_emplace(std::string(name)).first->second.add(side, time);
    });
  }

  // Time that is lost because means are rounded down counts as idle.
  void add_mean_npu(Side side, const Run& run) {
    if (a_.ranks().empty() || b_.ranks().empty()) return;
    const std::vector<NpuParts> npus = own_parts(run);
    const SlicesByNpu weights(run);
    Picoseconds left = window(run);
    for (std::size_t p = 0; p < part_count; ++p) {
      double sum = 0, count = 0;
      for (const NpuParts& n : npus) {
        const auto weight = static_cast<double>(weights.weight(n.npu));
        sum += weight * static_cast<double>(n.ps.at(p));
        count += weight;
      }
      const bool last = p + 1 == part_count;
      const Picoseconds mean = last ? left : std::min(left, static_cast<Picoseconds>(sum / count));
      out_.path_parts[std::string(part_titles.at(p))].add(side, mean);
      left -= mean;
    }
  }

  const DiffWishes& wishes_;
  RunSide a_, b_;
  TextSet texts_;
  Difference out_;
};

}  // namespace

Difference compare_runs(const Run& a, const Run& b, const DiffWishes& wishes) {
  return RunComparison(a, b, wishes).run();
}

}  // namespace convert
