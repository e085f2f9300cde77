// SPDX-License-Identifier: MIT
#include "sets/scaled/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "config/workload/metadata.h"
#include "core/master/add_class.h"
#include "core/units.h"
#include "core/world_size.h"
#include "passes/provenance.h"
#include "passes/scale/scale.h"
#include "passes/scale/spread.h"
#include "sets/classes/stand_ins.h"
#include "sets/scaled/scaled_groups.h"

namespace convert {
namespace {

const Name parameters_attribute{std::string_view("parameters")};

std::string percent_more(double factor) {
  constexpr std::size_t longest = 32;
  std::array<char, longest> text{};
  (void)std::snprintf(text.data(), text.size(), "%.1f %%", 100 * (factor - 1));
  return text.data();
}

// Returns the time of a rank's computations; of its device computations, if some run on the host.
double work_of(const Trace& trace) {
  std::array<double, 2> sums{};  // device, host
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

// Grows the set, class by class.
class Scaler {
 public:
  Scaler(SetSource& source, const ScaleOptions& options)
      : name_(source.base_name()), set_(source, options.jobs), ranks_(set_->ranks()) {
    groups_before_ = source.groups();  // after reading: some sets have groups only then
    stand_ins_.emplace(*set_, name_);
  }

  MasterSet run(const ScaleOptions& options);
  [[nodiscard]] std::vector<std::string> notes() { return std::move(notes_); }

 private:
  void find_places();
  void read_workload();
  void find_grid(const ScaleOptions& options, const std::vector<CommGroup>& groups);
  [[nodiscard]] bool groups_alike() const;
  void find_buckets();
  [[nodiscard]] std::optional<ShardSizes> shard_sizes(const Trace& trace) const;
  MasterSet grow(ScaleCounts& counts);
  void update_metadata(Metadata& metadata) const;
  void tell(const ScaleCounts& counts);
  void tell_stragglers();
  [[nodiscard]] Error bad(const std::string& what) const { return input_error({.file = name_}, what, "scale"); }

  std::string name_;
  Classes set_;
  std::uint64_t ranks_;
  std::optional<InputSet::Groups> groups_before_;
  std::optional<StandIns> stand_ins_;
  std::vector<StandIns::Place> places_;  // by rank
  std::vector<double> work_;             // by representative
  std::optional<Workload> workload_;
  bool other_buckets_ = false;
  RankGrid grid_;
  std::optional<ScaledGroups> groups_;
  std::vector<std::string> notes_;
};

MasterSet Scaler::run(const ScaleOptions& options) {
  find_places();
  read_workload();
  std::vector<CommGroup> groups;
  if (groups_before_) groups = parse_groups(groups_before_->name, groups_before_->json, static_cast<Rank>(ranks_));
  find_grid(options, groups);
  if (ranks_ * grid_.factor > most_grown_ranks)
    throw usage_error("--scale " + options.which + "=" + std::to_string(options.ranks) + ": " +
                      std::to_string(ranks_ * grid_.factor) + " ranks are more than " +
                      std::to_string(most_grown_ranks));
  groups_.emplace(name_, std::move(groups), grid_, static_cast<Rank>(ranks_));
  if (!groups_alike()) {
    stand_ins_.emplace(*set_, name_, StandIns::Each::alone);
    find_places();
  }
  find_buckets();
  ScaleCounts counts;
  MasterSet grown = grow(counts);
  if (grid_.factor == 1) return grown;
  tell(counts);
  tell_stragglers();
  return grown;
}

void Scaler::find_places() {
  std::vector<bool> met(ranks_);
  places_.resize(ranks_);
  for (std::uint64_t i = 0; i < ranks_; ++i) {
    const StandIns::Place place = stand_ins_->place(i);
    const Rank rank = stand_ins_->rank(place);
    if (rank >= ranks_) continue;
    places_[rank] = place;
    met[rank] = true;
  }
  const auto missing = std::ranges::find(met, false);
  if (missing == met.end()) return;
  throw input_error({.file = name_}, "rank " + std::to_string(missing - met.begin()) +
                                         " is missing: the traces must be ranks 0…n-1");
}

// Returns whether the groups that each representative calls have equal sizes and growth on its other ranks.
bool Scaler::groups_alike() const {
  const auto& groups = groups_->before();
  const auto same = [&](const std::string& a, const std::string& b) {
    const auto x = groups.find(a), y = groups.find(b);
    if (x == groups.end() || y == groups.end()) return x == y;
    return x->second.ranks == y->second.ranks && x->second.grows == y->second.grows;
  };
  for (std::uint32_t s = 0; s < stand_ins_->size(); ++s) {
    for (const std::string& name : stand_ins_->groups(s)) {
      for (std::uint64_t i = 1; i < stand_ins_->ranks(s); ++i) {
        if (!same(name, stand_ins_->group({s, i}, name))) return false;
      }
    }
  }
  return true;
}

MasterSet Scaler::grow(ScaleCounts& counts) {
  MasterSet out;
  std::vector<std::vector<Rank>> ranks(stand_ins_->size());
  for (std::uint64_t r = 0; r < ranks_ * grid_.factor; ++r) {
    const std::uint32_t s = places_[grid_.template_of(static_cast<Rank>(r))].stand_in;
    ranks[s].push_back(static_cast<Rank>(r));
    out.add_to_order(s, 1);
  }
  for (std::uint32_t s = 0; s < stand_ins_->size(); ++s) {
    Trace trace = stand_ins_->read(s);
    work_.push_back(work_of(trace));
    const RankScaler scaler(grid_, groups_->before(), shard_sizes(trace));
    counts.add(scaler.resize(trace), stand_ins_->ranks(s));
    update_metadata(trace.metadata);
    add_class(out, trace, ranks[s], [&](std::uint64_t i, Trace& one) {
      stand_ins_->become(places_[grid_.template_of(ranks[s][i])], one);
      const std::uint64_t copy = grid_.copy_of(ranks[s][i]);
      scaler.renumber(one, copy, [&](std::string_view group) { return groups_->name(group, copy); });
    });
    ranks[s] = {};
  }
  if (!groups_->after().empty()) out.groups = groups_text(groups_->after());
  return out;
}

void Scaler::read_workload() {
  const Trace first = stand_ins_->read(places_.front().stand_in);
  if (provenance_of(first) != Provenance::none)
    throw bad(
        "the set is a collective algorithm, which cannot grow; generate a larger one with et-generate all_reduce "
        "--npus N");
  workload_ = told_workload(first.metadata, name_);
  if (!workload_) return;
  if (const std::string why = why_no_growth(*workload_); !why.empty()) throw usage_error("--scale: " + why);
  if (workload_->plan.ranks() != static_cast<std::int64_t>(ranks_))
    throw bad("the settings in the metadata are for " + std::to_string(workload_->plan.ranks()) +
              " ranks, but the number of ranks is " + std::to_string(ranks_));
}

void Scaler::find_grid(const ScaleOptions& options, const std::vector<CommGroup>& groups) {
  const DataRanks data = workload_ ? data_ranks(workload_->plan) : DataRanks{};
  if (options.which == "dp" && !workload_)
    throw usage_error(
        "--scale dp: the metadata of " + name_ +
        " does not state the purpose of its groups (attribute workload); use the id of a data-parallel group, "
        "or 0 if all ranks are: --scale 0=" +
        std::to_string(options.ranks));
  grid_ = options.which == "dp" ? data_grid(data, options.ranks)
                                : group_grid(options, groups, static_cast<Rank>(ranks_), name_);
  if (!workload_ || options.which == "dp") return;
  const RankGrid of_data = data_grid(data, grid_.factor * data.ranks);
  if (of_data.stride != grid_.stride || of_data.count != grid_.count)
    throw usage_error("--scale: group " + options.which +
                      " does not consist of the plan's data-parallel ranks; scale these with --scale dp=…");
}

std::optional<ShardSizes> Scaler::shard_sizes(const Trace& trace) const {
  if (!workload_) return std::nullopt;
  const StepShape& step = workload_->step;
  ShardSizes out{.element_bytes = step.activation_bytes, .gradient_bytes = step.gradient_bytes};
  out.reductions = step.iterations * (workload_->plan.shard >= Shard::zero2 ? step.micro_batches : 1);
  const IntValue parameters = int_value(trace.metadata.table.attrs, parameters_attribute);
  if (parameters) out.parameters = parameters.value;
  if (workload_->times.given()) {
    out.time_ns = [times = workload_->times](std::int64_t operations, std::int64_t bytes) {
      return times.ns(operations, bytes, false);
    };
  }
  return out;
}

void Scaler::update_metadata(Metadata& metadata) const {
  if (world_size_attribute(metadata) != nullptr) set_world_size(metadata, static_cast<Rank>(ranks_ * grid_.factor));
  if (!workload_) return;
  Workload grown = *workload_;
  grown.plan.data *= static_cast<std::int64_t>(grid_.factor);
  if (other_buckets_) {
    forget_workload(metadata, static_cast<std::uint64_t>(grown.plan.ranks()));
  } else {
    tell_workload(metadata, grown);
  }
}

// Finds whether Megatron-LM would use other gradient buckets, if a rank has more than one.
void Scaler::find_buckets() {
  if (!workload_ || workload_->plan.buckets != Buckets::megatron) return;
  ParallelPlan grown = workload_->plan;
  grown.data *= static_cast<std::int64_t>(grid_.factor);
  if (grown.megatron_bucket() == workload_->plan.megatron_bucket()) return;
  for (std::uint32_t s = 0; s < stand_ins_->size(); ++s) {
    const Trace trace = stand_ins_->read(s);
    const IntValue parameters = int_value(trace.metadata.table.attrs, parameters_attribute);
    other_buckets_ = other_buckets_ || !parameters || parameters.value > workload_->plan.megatron_bucket();
  }
}

void Scaler::tell(const ScaleCounts& counts) {
  const std::string times = std::to_string(grid_.factor);
  notes_.push_back(std::to_string(ranks_) + " ranks become " + std::to_string(ranks_ * grid_.factor) +
                   ": each replica is unchanged, so that the global batch is " + times + " times as large");
  if (counts.gathers + counts.optimizers != 0)
    notes_.push_back("shards are 1/" + times + ": " + counted(counts.gathers, "all_gather") + " and " +
                     counted(counts.optimizers, "node") + " of optimizer and norm, on " + std::to_string(ranks_) +
                     " ranks; " +
                     (counts.inexact == 0 ? "all exact" : std::to_string(counts.inexact) + " rounded up"));
  if (other_buckets_)
    notes_.emplace_back(
        "gradients are reduced in the same buckets, although Megatron-LM would make larger ones: the settings "
        "(workload) are removed "
        "from the metadata");
  if (!workload_) notes_.emplace_back("gradients are reduced in the same buckets");
  notes_.emplace_back("the cost of more ranks on the network is not included; replay the set to find it");
}

void Scaler::tell_stragglers() {
  std::vector<double> work;
  for (const StandIns::Place& p : places_) work.push_back(work_[p.stand_in]);
  std::vector<double> by_role;  // the ranks along the dimension, in sequence
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
                   percent_more(spread.largest) + " longer than similar ranks, and so do its copies; of " +
                   std::to_string(after) + " ranks with the same distribution the slowest is expected to take " +
                   percent_more(spread.expected(after)) + " longer");
}

}  // namespace

ScaledSet::ScaledSet(Scaled scaled)
    : ClassSet(std::move(scaled.name), std::move(scaled.set)), notes_(std::move(scaled.notes)) {}

ScaledSet::ScaledSet(SetSource& source, const ScaleOptions& options) : ScaledSet(scale(source, options)) {}

ScaledSet::Scaled ScaledSet::scale(SetSource& source, const ScaleOptions& options) {
  Scaler scaler(source, options);
  MasterSet set = scaler.run(options);
  return {source.base_name(), std::move(set), scaler.notes()};
}

}  // namespace convert
