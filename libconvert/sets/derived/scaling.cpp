// SPDX-License-Identifier: MIT
#include "sets/derived/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/units.h"
#include "core/words.h"
#include "core/world_size.h"
#include "formats/whole_ranks.h"
#include "passes/scale/spread.h"

namespace convert {
namespace {

const Name workload_attribute{std::string_view("workload")};
const Name ranks_attribute{std::string_view("ranks")};

// Why other kinds of parallelism do not grow.
struct NoGrowth {
  std::string_view kind, word, reason;
};
constexpr std::array<NoGrowth, 4> no_growth = {{
    {"tp", "tensor", "matrices would have other shapes on each rank"},
    {"cp", "context", "each rank would have other tokens, and attention other steps"},
    {"ep", "expert", "each rank would have fewer experts, and send other tokens to each"},
    {"pp", "pipeline", "each stage would have other layers, and the schedule another order"},
}};

std::string percent_more(double factor) {
  constexpr std::size_t longest = 32;
  std::array<char, longest> text{};
  (void)std::snprintf(text.data(), text.size(), "%.1f %%", 100 * (factor - 1));
  return text.data();
}

// Time of the computations of a rank; of those of its device, where some are of the host.
double work_of(const Trace& trace) {
  std::array<double, 2> sums{};  // of the device, of the host
  for (const Node& n : trace.nodes.nodes) {
    if (n.type != NodeType::comp) continue;
    const auto attrs = trace.nodes.attributes(n);
    const IntValue host = int_value(attrs, attr::is_cpu_op), nanos = int_value(attrs, attr::duration_nanos);
    constexpr double ns_of_us = 1000;
    sums.at(host && host.value != 0 ? 1 : 0) +=
        nanos ? static_cast<double>(nanos.value) : ns_of_us * static_cast<double>(n.duration_us);
  }
  return sums[0] > 0 ? sums[0] : sums[1];
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
                        " parallelism cannot grow in a trace, since " + std::string(n.reason) +
                        "; generate the workload with another plan (et-generate --set plan." + std::string(n.word) +
                        "=…)");
  }
  const bool data = which == "dp" || which == "data";
  if (!data && !parse_plain(which, INT64_MAX))
    throw usage_error("--scale " + text + ": there is no kind '" + which + "'; known: dp, and groups by their ids" +
                      did_you_mean(which, {"dp", "data"}));
  return {.which = data ? "dp" : which, .ranks = *ranks};
}

Error ScaledSet::bad(const std::string& what) const { return input_error({.file = name_}, what, "scale"); }

ScaledSet::ScaledSet(SetSource& source, const ScaleOptions& options)
    : name_(source.base_name()), traces_(source.load(options.jobs)) {
  require_whole_set(traces_);
  read_workload();
  std::vector<CommGroup> groups;
  if (const auto found = source.groups())
    groups = parse_groups(found->name, found->json, static_cast<Rank>(traces_.size()));
  find_grid(options, groups);
  const auto before = static_cast<std::uint64_t>(traces_.size());
  constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24U;  // as et-generate makes
  if (before * grid_.factor > most_ranks)
    throw usage_error("--scale " + options.which + "=" + std::to_string(options.ranks) + ": " +
                      std::to_string(before * grid_.factor) + " ranks are more than " + std::to_string(most_ranks));
  groups_.emplace(name_, std::move(groups), grid_, static_cast<Rank>(before));
  std::vector<double> work;
  for (const Trace& t : traces_) work.push_back(work_of(t));
  ScaleCounts counts;
  for (Trace& t : traces_) {
    counts.add(RankScaler(grid_, groups_->before(), shard_sizes(t)).resize(t));
    update_metadata(t.metadata);
  }
  if (grid_.factor == 1) return;
  tell(counts, before);
  tell_stragglers(work);
}

void ScaledSet::read_workload() {
  const Metadata& m = traces_.front().metadata;
  const auto text = string_value(m.table, m.table.attrs, workload_attribute);
  if (!text) return;
  workload_ = parse_workload(name_ + "(workload)", *text, 0);
  const ParallelPlan& plan = workload_->plan;
  const char* const apart = plan.disaggregates()                ? "plan.disaggregate"
                            : plan.memory == FarMemory::offload ? "plan.memory=offload"
                                                                : nullptr;
  if (apart != nullptr)
    throw usage_error(std::string("--scale: a workload with ") + apart +
                      " cannot grow; generate it with more ranks (et-generate --set plan.data=…)");
  if (workload_->plan.ranks() != static_cast<std::int64_t>(traces_.size()))
    throw bad("the settings in the metadata are of " + std::to_string(workload_->plan.ranks()) +
              " ranks, and there are " + std::to_string(traces_.size()));
}

void ScaledSet::find_grid(const ScaleOptions& options, const std::vector<CommGroup>& groups) {
  if (options.which == "dp" && workload_) return find_plan_grid(options.ranks);
  if (options.which == "dp")
    throw usage_error(
        "--scale dp: the metadata of " + name_ +
        " does not say what its groups are for (attribute workload); give the id of a data-parallel group, "
        "or 0 if all ranks are: --scale 0=" +
        std::to_string(options.ranks));
  find_group_grid(options, groups);
  if (!workload_) return;
  const RankGrid of_group = grid_;
  find_plan_grid(of_group.factor * static_cast<std::uint64_t>(workload_->plan.data));
  if (of_group.stride != grid_.stride || of_group.count != grid_.count)
    throw usage_error("--scale: group " + options.which +
                      " is not of the data-parallel ranks of the plan; --scale dp=… grows these");
}

void ScaledSet::find_plan_grid(std::uint64_t data) {
  const ParallelPlan& plan = workload_->plan;
  const auto before = static_cast<std::uint64_t>(plan.data);
  if (before < 2)
    throw usage_error(
        "--scale dp: the plan has one data-parallel rank, whose gradients are not exchanged; generate the "
        "workload with plan.data=2 or more, and let that grow");
  if (data < before || data % before != 0)
    throw usage_error("--scale dp=" + std::to_string(data) + ": a multiple of the " + std::to_string(before) +
                      " data-parallel ranks that there are is needed" +
                      (data < before ? "; --ranks takes some ranks of a set" : ""));
  const bool inner = plan.inner == Inner::data;
  grid_ = {.stride = static_cast<std::uint64_t>(inner ? 1 : plan.tensor),
           .count = static_cast<std::uint64_t>(inner ? plan.data : plan.context * plan.data),
           .factor = data / before};
}

void ScaledSet::find_group_grid(const ScaleOptions& options, const std::vector<CommGroup>& groups) {
  std::vector<Rank> all;
  for (const Trace& t : traces_) all.push_back(t.rank);
  const auto at =
      std::ranges::find_if(groups, [&](const CommGroup& g) { return std::to_string(g.id) == options.which; });
  if (at == groups.end() && options.which != "0") {
    std::vector<std::string> known = {"0 (all ranks)"};
    for (const CommGroup& g : groups) known.push_back(std::to_string(g.id));
    constexpr std::size_t shown = 20;
    if (known.size() > shown) known.resize(shown), known.emplace_back("…");
    throw usage_error("--scale: there is no group " + options.which + "; " + name_ + " has " + join(known));
  }
  const std::vector<Rank>& ranks = at == groups.end() ? all : at->ranks;
  const std::uint64_t n = ranks.size();
  const std::uint64_t stride = n < 2 ? 1 : std::uint64_t{ranks[1]} - ranks[0];
  bool regular =
      n >= 2 && ranks[1] > ranks[0] && traces_.size() % (stride * n) == 0 && ranks[0] % (stride * n) < stride;
  for (std::size_t i = 0; i < n && regular; ++i) regular = ranks[i] == ranks[0] + i * stride;
  if (n < 2)
    throw bad("group " + options.which + " has one rank, which exchanges gradients with no other: it cannot grow");
  if (!regular)
    throw bad("group " + options.which + " is not regular: ranks at equal distances that divide all " +
              counted(traces_.size(), "rank") + " evenly are needed");
  if (options.ranks < n || options.ranks % n != 0)
    throw usage_error("--scale " + options.which + "=" + std::to_string(options.ranks) + ": a multiple of the " +
                      std::to_string(n) + " ranks that the group has is needed" +
                      (options.ranks < n ? "; --ranks takes some ranks of a set" : ""));
  grid_ = {.stride = stride, .count = n, .factor = options.ranks / n};
}

std::optional<ShardSizes> ScaledSet::shard_sizes(const Trace& trace) const {
  if (!workload_) return std::nullopt;
  const StepShape& step = workload_->step;
  ShardSizes out{.element_bytes = step.activation_bytes, .gradient_bytes = step.gradient_bytes};
  out.reductions = step.iterations * (workload_->plan.shard >= Shard::zero2 ? step.micro_batches : 1);
  const IntValue parameters = int_value(trace.metadata.table.attrs, Name(std::string_view("parameters")));
  if (parameters) out.parameters = parameters.value;
  if (workload_->times.given()) {
    out.time_ns = [times = workload_->times](std::int64_t operations, std::int64_t bytes) {
      return times.ns(operations, bytes, false);
    };
  }
  return out;
}

// Where the plan says how many data-parallel ranks there are, it is on one line: plan: {tensor: 2, data: 4}.
void ScaledSet::update_metadata(Metadata& metadata) const {
  AttrTable& table = metadata.table;
  const auto ranks = static_cast<Rank>(independent_ranks());
  if (world_size_attribute(metadata) != nullptr) set_world_size(metadata, ranks);
  if (!workload_) return;
  for (Attr& a : table.attrs) {
    if (a.name == ranks_attribute && is_integer(a.kind)) a.bits = ranks;
    if (a.name != workload_attribute || a.kind != Kind::string_val) continue;
    std::string text(table.string(a));
    const std::string key = "data: ", old = std::to_string(workload_->plan.data);
    const std::size_t plan = text.starts_with("plan: {") ? 0 : text.find("\nplan: {");
    std::size_t at = plan == std::string::npos ? plan : text.find(key + old, plan);
    while (at != std::string::npos &&
           ((text[at - 1] != ' ' && text[at - 1] != '{') ||
            (text[at + key.size() + old.size()] != ',' && text[at + key.size() + old.size()] != '}')))
      at = text.find(key + old, at + 1);
    if (at == std::string::npos)
      throw bad("the settings in the metadata do not say data: " + old + " in their plan");
    text.replace(at + key.size(), old.size(),
                 std::to_string(static_cast<std::uint64_t>(workload_->plan.data) * grid_.factor));
    const Text now = table.add_text(text);
    a.bits = now.offset;
    a.size = now.size;
  }
}

void ScaledSet::tell(const ScaleCounts& counts, std::uint64_t before) {
  const std::string times = std::to_string(grid_.factor);
  notes_.push_back(std::to_string(before) + " ranks become " + std::to_string(before * grid_.factor) +
                   ": each replica does what it did, so that the batch of all is " + times + " times as large");
  if (counts.gathers + counts.optimizers != 0)
    notes_.push_back("shards are 1/" + times + ": " + counted(counts.gathers, "all_gather") + " and " +
                     counted(counts.optimizers, "node") + " of optimizer and norm, on " + std::to_string(before) +
                     " ranks; " +
                     (counts.inexact == 0 ? "all exact" : std::to_string(counts.inexact) + " of them rounded up"));
  const bool megatron = workload_ && workload_->plan.buckets == Buckets::megatron;
  if (!workload_ || megatron)
    notes_.emplace_back(std::string("gradients are reduced in the same buckets") +
                        (megatron ? "; Megatron-LM makes larger ones from 40 data-parallel ranks on" : ""));
  notes_.emplace_back("what a network makes of more ranks is the replay's to tell");
}

void ScaledSet::tell_stragglers(const std::vector<double>& work) {
  std::vector<double> by_role;  // the ranks along the dimension one after the other
  const std::uint64_t period = grid_.stride * grid_.count;
  for (std::uint64_t high = 0; high < work.size() / period; ++high) {
    for (std::uint64_t low = 0; low < grid_.stride; ++low) {
      for (std::uint64_t x = 0; x < grid_.count; ++x)
        by_role.push_back(work[low + grid_.stride * (x + grid_.count * high)]);
    }
  }
  const RankSpread spread = rank_spread(by_role, work.size() / grid_.count);
  constexpr double least = 1e-6;
  if (spread.sigma < least) return;
  const std::uint64_t before = grid_.count, after = before * grid_.factor;
  notes_.push_back("ranks differ: the slowest of " + std::to_string(before) + " computes " +
                   percent_more(spread.largest) + " longer than those like it, and copies do as well; of " +
                   std::to_string(after) + " ranks drawn alike the slowest is expected to take " +
                   percent_more(spread.expected(after)) + " longer");
}

std::optional<InputSet::Groups> ScaledSet::groups() const {
  if (groups_->after().empty()) return std::nullopt;
  return InputSet::Groups{name_ + ".groups.json", groups_text(groups_->after())};
}

std::unique_ptr<TraceReader> ScaledSet::open(std::size_t next, std::size_t end) const {
  return std::make_unique<WholeRanks>([this, next, end](Trace& out) mutable {
    if (next == end) return false;
    const auto rank = static_cast<Rank>(next++);
    out = traces_[grid_.template_of(rank)];
    const std::uint64_t copy = grid_.copy_of(rank);
    const RankScaler scaler(grid_, groups_->before(), std::nullopt);
    scaler.renumber(out, copy, [&](std::string_view group) { return groups_->name(group, copy); });
    return true;
  });
}

}  // namespace convert
