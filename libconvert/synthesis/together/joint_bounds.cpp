// SPDX-License-Identifier: MIT
#include "synthesis/together/joint_bounds.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/units.h"
#include "synthesis/bounds/crossing.h"
#include "synthesis/bounds/report.h"
#include "util/json_writer.h"

namespace convert {
namespace {

using Inside = std::vector<std::uint8_t>;  // by device

constexpr const char* all_sizes = "the size of all collectives";

// Returns the bytes of a collective that must leave a set that contains `in` participants.
WideUnsigned crossing_bytes(const SynthesisProblem& p, std::uint32_t in, bool root_inside) {
  const std::uint32_t out = p.size() - in;
  const auto parts = [&](std::uint64_t count) {
    return static_cast<WideUnsigned>(count) * static_cast<WideUnsigned>(p.shard_bytes);
  };
  const auto all = static_cast<WideUnsigned>(p.bytes);
  switch (p.collective) {
    case Collective::all_gather: return out == 0 ? 0 : parts(in);
    case Collective::reduce_scatter: return in == 0 ? 0 : parts(out);
    case Collective::all_reduce: return in == 0 || out == 0 ? 0 : all;
    case Collective::all_to_all: return parts(std::uint64_t{in} * out);
    case Collective::broadcast: return root_inside && out != 0 ? all : 0;
    case Collective::scatter: return root_inside ? parts(out) : 0;
    case Collective::reduce: return !root_inside && in != 0 ? all : 0;
    case Collective::gather: return root_inside ? 0 : parts(in);
    default: return 0;
  }
}

// Returns the bytes that participating NPUs must receive in total, since switches neither reduce nor copy.
WideUnsigned received_bytes(const SynthesisProblem& p) {
  const auto others = static_cast<WideUnsigned>(p.size() - 1);
  const auto all = static_cast<WideUnsigned>(p.bytes);
  switch (p.collective) {
    case Collective::all_reduce: return 2 * others * all;
    case Collective::broadcast:
    case Collective::reduce: return others * all;
    case Collective::scatter:
    case Collective::gather: return others * static_cast<WideUnsigned>(p.shard_bytes);
    default: return others * all;  // each other participant's shard at each participant
  }
}

class CutFinder {
 public:
  explicit CutFinder(const JointProblem& problem) : problem_(problem), graph_(problem.graph()) {}

  JointCut find(const std::vector<Bounds>& each) {
    for (Device d = 0; d < graph_.devices; ++d) offer(of({d}));
    for (Device d = 0; d < graph_.devices; ++d) offer(opposite(of({d})));
    for (std::size_t c = 0; c < each.size(); ++c) {
      const Inside group = of(problem_.named[c].participants);
      offer(group);
      offer(opposite(group));
      for (const Bound& b : each[c].all) {
        for (const Crossing& cut : b.crossings) {
          if (!cut.devices.empty()) offer(of(cut.devices));
        }
      }
    }
    search();
    JointCut out = as_cut(best_);
    take_traffic(out);
    return out;
  }

 private:
  struct Size {
    WideUnsigned bytes = 0;
    std::int64_t bandwidth = 0;
  };

  [[nodiscard]] Inside of(const std::vector<Device>& devices) const {
    Inside in(graph_.devices, 0);
    for (const Device d : devices) in[d] = 1;
    return in;
  }
  [[nodiscard]] static Inside opposite(Inside in) {
    for (std::uint8_t& i : in) i = static_cast<std::uint8_t>(1 - i);
    return in;
  }

  [[nodiscard]] Size size_of(const Inside& in) const {
    Size s;
    for (const SynthesisProblem& p : problem_.named) {
      std::uint32_t count = 0;
      for (const Device d : p.participants) count += in[d];
      s.bytes =
          checked_sum(s.bytes, crossing_bytes(p, count, has_root(p.collective) && in[p.root] != 0), all_sizes);
    }
    for (const LinkGraph::Link& l : graph_.links) {
      if (in[l.from] != 0 && in[l.to] == 0) s.bandwidth += l.bandwidth;
    }
    return s;
  }
  [[nodiscard]] static double ratio(const Size& s) {
    return s.bandwidth == 0 ? 0 : static_cast<double>(s.bytes) / static_cast<double>(s.bandwidth);
  }

  void offer(Inside in) {
    const double r = ratio(size_of(in));
    starts_.emplace_back(r, in);
    if (r <= best_ratio_) return;
    best_ratio_ = r;
    best_ = std::move(in);
  }

  // Starting from the worst cuts, devices are added and removed, one at a time, as long as that makes the cut
  // worse.
  void search() {
    constexpr std::uint32_t most_devices = 256;
    constexpr std::size_t most_starts = 8;
    if (graph_.devices > most_devices) return;
    std::ranges::stable_sort(starts_, [](const auto& a, const auto& b) { return a.first > b.first; });
    const auto alike = std::ranges::unique(starts_);
    starts_.erase(alike.begin(), alike.end());
    if (starts_.size() > most_starts) starts_.resize(most_starts);
    for (auto& [at, in] : starts_) {
      for (bool better = true; std::exchange(better, false);) {
        for (Device d = 0; d < graph_.devices; ++d) {
          in[d] ^= 1U;
          const double r = ratio(size_of(in));
          if (r > at) {
            at = r;
            better = true;
          } else {
            in[d] ^= 1U;
          }
        }
      }
      if (at <= best_ratio_) continue;
      best_ratio_ = at;
      best_ = in;
    }
  }

  static std::int64_t as_bytes(WideUnsigned bytes) {
    if (bytes > INT64_MAX) throw input_error({}, std::string(all_sizes) + " is too large");
    return static_cast<std::int64_t>(bytes);
  }
  [[nodiscard]] JointCut as_cut(const Inside& in) const {
    JointCut out;
    if (in.empty()) return out;
    for (Device d = 0; d < graph_.devices; ++d) {
      if (in[d] != 0) out.devices.push_back(d);
    }
    const Size s = size_of(in);
    out.links = links_out_of(graph_, in);
    out.bytes = as_bytes(s.bytes);
    out.bandwidth = s.bandwidth;
    out.time = crossing_time(graph_, out.links, s.bytes);
    return out;
  }

  // Uses all links into participating NPUs if that takes more time.
  void take_traffic(JointCut& worst) const {
    Inside takes_part(graph_.devices, 0);
    WideUnsigned bytes = 0;
    for (const SynthesisProblem& p : problem_.named) {
      bytes = checked_sum(bytes, received_bytes(p), all_sizes);
      for (const Device d : p.participants) takes_part[d] = 1;
    }
    if (bytes == 0 || bytes > INT64_MAX) return;
    JointCut all{.bytes = as_bytes(bytes)};
    for (std::uint32_t l = 0; l < graph_.links.size(); ++l) {
      if (takes_part[graph_.links[l].to] == 0) continue;
      all.links.push_back(l);
      all.bandwidth += graph_.links[l].bandwidth;
    }
    all.time = crossing_time(graph_, all.links, bytes);
    if (all.time > worst.time) worst = std::move(all);
  }

  const JointProblem& problem_;
  const LinkGraph& graph_;
  std::vector<std::pair<double, Inside>> starts_;
  double best_ratio_ = 0;
  Inside best_;
};

std::vector<Device> all_participants(const JointProblem& problem) {
  std::set<Device> all;
  for (const SynthesisProblem& p : problem.named) all.insert(p.participants.begin(), p.participants.end());
  return {all.begin(), all.end()};
}

// Names the links by the smaller of the two sets of devices that they join.
std::string place_text(const JointProblem& problem, const JointCut& cut) {
  const SynthesisProblem& p = problem.named.front();
  if (cut.devices.empty()) return "over all links into " + devices_text(p.wires, all_participants(problem));
  if (2 * cut.devices.size() <= p.graph.devices) return "out of " + devices_text(p.wires, cut.devices);
  const DeviceCut others = opposite({.devices = cut.devices}, p.graph.devices);
  return "into " + devices_text(p.wires, others.devices);
}

void write_cut(JsonWriter& w, const JointProblem& problem, const JointCut& cut) {
  const SynthesisProblem& p = problem.named.front();
  w.begin_object().member("bytes", cut.bytes).member("bytes_per_s", cut.bandwidth * p.graph.unit);
  w.key("time_us").raw(format_exact(cut.time, ps_per_us));
  if (cut.devices.empty()) {
    w.member("into", "all NPUs that take part");
  } else {
    w.key("devices").begin_array();
    for (const Device d : cut.devices) w.value(p.wires.device_name(d));
    w.end_array();
  }
  w.key("links").begin_array();
  for (const std::uint32_t l : cut.links) {
    const LinkGraph::Link& link = p.graph.links[l];
    w.line(2).begin_object();
    w.member("from", p.wires.device_name(link.from)).member("to", p.wires.device_name(link.to));
    w.member("bytes_per_s", link.bandwidth * p.graph.unit);
    w.key("latency_us").raw(format_exact(link.latency_ps, ps_per_us)).end_object();
  }
  w.end_array().end_object();
}

}  // namespace

JointBounds find_joint_bounds(const JointProblem& problem) {
  JointBounds out;
  for (const SynthesisProblem& p : problem.named) out.each.push_back(find_bounds(p));
  out.cut = CutFinder(problem).find(out.each);
  out.lower = out.cut.time;
  for (const Bounds& b : out.each) out.lower = std::max(out.lower, b.lower);
  return out;
}

void allow_rounding(JointBounds& bounds, Picoseconds total) {
  bounds.lower = std::min(bounds.lower, total);
  bounds.cut.time = std::min(bounds.cut.time, total);
  for (Bounds& own : bounds.each) {
    own.lower = std::min(own.lower, total);
    for (Bound& b : own.all) {
      if (b.limits) b.time = std::min(b.time, total);
    }
  }
}

std::string collective_text(const SynthesisProblem& problem) {
  return std::string(name(problem.collective)) + " of " + devices_text(problem.wires, problem.participants);
}

std::string joint_bounds_text(const JointProblem& problem, const JointBounds& bounds) {
  std::string text = (problem.size() == 1 ? collective_text(problem.named.front())
                                          : counted(problem.size(), "collective") + " at once") +
                     ": " + format_time(bounds.lower) + " at least (";
  const JointCut& cut = bounds.cut;
  const auto alone = std::ranges::find(bounds.each, bounds.lower, &Bounds::lower);
  if (cut.time < bounds.lower && alone != bounds.each.end()) {
    const auto c = static_cast<std::size_t>(alone - bounds.each.begin());
    text += collective_text(problem.named[c]) + " alone; ";
  }
  text += "all together " + format_time(cut.time) + ": " + format_bytes(cut.bytes) + " " +
          place_text(problem, cut) + ")\n";
  for (std::size_t c = 0; c < problem.size(); ++c) {
    const SynthesisProblem& p = problem.named[c];
    text += devices_text(p.wires, p.participants) + ": " + bounds_text(p, bounds.each[c]);
  }
  return text;
}

std::string joint_bounds_json(const JointProblem& problem, const JointBounds& bounds) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.line(1).key("lower_bound_us").raw(format_exact(bounds.lower, ps_per_us));
  w.line(1).key("cut");
  write_cut(w, problem, bounds.cut);
  w.line(1).key("collectives").begin_array();
  for (std::size_t c = 0; c < problem.size(); ++c) {
    std::string own = bounds_json(problem.named[c], bounds.each[c]);
    own.pop_back();  // the end of its last line
    w.line().raw(own);
  }
  w.line(1).end_array();
  w.line().end_object();
  return out + "\n";
}

}  // namespace convert
