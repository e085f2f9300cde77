// SPDX-License-Identifier: MIT
#include "sets/scaled/scale_grid.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

// Reasons why other kinds of parallelism cannot grow.
struct NoGrowth {
  std::string_view kind, word, reason;
};
constexpr std::array<NoGrowth, 4> no_growth = {{
    {"tp", "tensor", "matrices would have other shapes on each rank"},
    {"cp", "context", "each rank would have other tokens, and attention other steps"},
    {"ep", "expert", "each rank would have fewer experts, and send other tokens to each"},
    {"pp", "pipeline", "each stage would have other layers, and the schedule another order"},
}};

// Throws Error(usage) unless `ranks` is a multiple of `before`.
void require_multiple(const std::string& option, std::uint64_t ranks, std::uint64_t before, std::string_view of) {
  if (ranks >= before && ranks % before == 0) return;
  throw usage_error(option + std::to_string(ranks) + ": a multiple of the " + std::to_string(before) +
                    std::string(of) + " is required" +
                    (ranks < before ? "; use --ranks to select some ranks of a set" : ""));
}

}  // namespace

ScaleOptions scale_options(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string which = text.substr(0, equals);
  const auto ranks =
      equals == std::string::npos ? std::nullopt : parse_plain(text.substr(equals + 1), largest_rank);
  if (which.empty() || !ranks || *ranks == 0)
    throw usage_error("--scale " + text +
                      ": expected dp=RANKS, such as dp=1024, or the id of a group, such as 3=64");
  for (const NoGrowth& n : no_growth) {
    if (which == n.kind || which == n.word)
      throw usage_error("--scale " + text + ": " + std::string(n.word) +
                        " parallelism cannot grow in a trace, because " + std::string(n.reason) +
                        "; generate the workload with another plan (et-generate --set plan." + std::string(n.word) +
                        "=…)");
  }
  const bool data = which == "dp" || which == "data";
  if (!data && !parse_plain(which, INT64_MAX))
    throw usage_error("--scale " + text + ": unknown kind '" + which + "'; known: dp, and groups by their ids" +
                      did_you_mean(which, {"dp", "data"}));
  return {.which = data ? "dp" : which, .ranks = *ranks};
}

std::string why_no_growth(const Workload& workload) {
  const ParallelPlan& plan = workload.plan;
  const char* const apart = plan.disaggregates()                ? "plan.disaggregate"
                            : plan.memory == FarMemory::offload ? "plan.memory=offload"
                            : workload.step.tensors             ? "run.tensors=true"
                                                                : nullptr;
  if (apart != nullptr)
    return std::string("a workload with ") + apart +
           " cannot grow; generate it with more ranks (et-generate --set plan.data=…)";
  if (plan.hsdp == plan.context * plan.data)
    return "with plan.hsdp " + std::to_string(plan.hsdp) +
           " all data-parallel ranks share one set of shards, so there are no replicas to grow; generate the "
           "workload with "
           "plan.data at least twice as large, and scale that";
  return {};
}

DataRanks data_ranks(const ParallelPlan& plan) {
  const bool inner = plan.inner == Inner::data;
  return {.stride = static_cast<std::uint64_t>(inner ? 1 : plan.tensor),
          .count = static_cast<std::uint64_t>(inner ? plan.data : plan.context * plan.data),
          .ranks = static_cast<std::uint64_t>(plan.data)};
}

RankGrid data_grid(const DataRanks& before, std::uint64_t ranks) {
  if (before.ranks < 2)
    throw usage_error(
        "--scale dp: the plan has one data-parallel rank, whose gradients are not exchanged; generate the "
        "workload with plan.data=2 or more, and scale that");
  require_multiple("--scale dp=", ranks, before.ranks, " data-parallel ranks");
  return {.stride = before.stride, .count = before.count, .factor = ranks / before.ranks};
}

RankGrid group_grid(const ScaleOptions& options, std::span<const CommGroup> groups, Rank all_ranks,
                    const std::string& set) {
  std::vector<Rank> all(all_ranks);
  std::iota(all.begin(), all.end(), Rank{0});
  const auto at =
      std::ranges::find_if(groups, [&](const CommGroup& g) { return std::to_string(g.id) == options.which; });
  if (at == groups.end() && options.which != "0") {
    std::vector<std::string> known = {"0 (all ranks)"};
    for (const CommGroup& g : groups) known.push_back(std::to_string(g.id));
    constexpr std::size_t shown = 20;
    if (known.size() > shown) known.resize(shown), known.emplace_back("…");
    throw usage_error("--scale: there is no group " + options.which + "; " + set + " has " + join(known));
  }
  const std::vector<Rank>& ranks = at == groups.end() ? all : at->ranks;
  const std::uint64_t n = ranks.size();
  const auto bad = [&](const std::string& what) {
    return input_error({.file = set}, "group " + options.which + what, "scale");
  };
  if (n < 2) throw bad(" has one rank, which exchanges no gradients: it cannot grow");
  const std::uint64_t stride = std::uint64_t{ranks[1]} - ranks[0];
  bool regular = ranks[1] > ranks[0] && all_ranks % (stride * n) == 0 && ranks[0] % (stride * n) < stride;
  for (std::size_t i = 0; i < n && regular; ++i) regular = ranks[i] == ranks[0] + i * stride;
  if (!regular)
    throw bad(" is not regular: its ranks must have equal distances and divide all " + counted(all_ranks, "rank") +
              " evenly");
  require_multiple("--scale " + options.which + "=", options.ranks, n, " ranks of the group");
  return {.stride = stride, .count = n, .factor = options.ranks / n};
}

}  // namespace convert
