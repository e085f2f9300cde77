// SPDX-License-Identifier: MIT
// Adds ranks equal to another rank except for peers, tags and groups, without compiling them.
#include "simulate/program/like.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/units.h"
#include "simulate/program/builder.h"

namespace convert {
namespace {

using Changed = RankChanges::What;
using NodeChanges = std::array<const RankChanges::Change*, RankChanges::kinds>;  // null: as the model

const RankChanges::Change* of(const NodeChanges& changes, Changed what) {
  return changes[static_cast<std::size_t>(what)];
}

Location place_of(const RankChanges& rank, std::uint32_t index, NodeId id) {
  Location where{
      .file = rank.name, .rank = static_cast<std::int64_t>(rank.rank), .node = static_cast<std::int64_t>(id)};
  if (index >= rank.positions.size()) return where;
  if (rank.positions_are_lines) {
    where.line = static_cast<std::uint32_t>(rank.positions[index]);
  } else {
    where.offset = static_cast<std::int64_t>(rank.positions[index]);
  }
  return where;
}

}  // namespace

// Makes a LikeRank from the changes of a model rank, node by node.
class ReplayBuilder::State::LikeMaker {
 public:
  LikeMaker(const State& state, std::shared_ptr<const RankModel> model, const RankChanges& changes)
      : state_(state), model_(*model), changes_(changes) {
    out_.model = std::move(model);
    out_.rank = changes.rank;
    out_.name = changes.name;
    out_.peers = model_.peers;
    out_.tags = model_.tags;
    out_.groups.resize(model_.calls.size());
    out_.first.resize(model_.calls.size());
  }

  std::optional<LikeRank> run() {
    auto change = changes_.changes.begin();
    const auto end = changes_.changes.end();
    for (const RankModel::Item& item : model_.items) {
      NodeChanges its{};
      for (; change != end && change->node <= item.index; ++change) {
        if (change->node == item.index) its[static_cast<std::size_t>(change->what)] = &*change;
      }
      if (!(item.type == OpType::collective ? takes_call(item, its) : takes_message(item, its)))
        return std::nullopt;
    }
    if (out_.tags == model_.code->tags) out_.tags.clear();
    find_places();
    return std::move(out_);
  }

 private:
  bool takes_message(const RankModel::Item& item, const NodeChanges& its) {
    const bool is_send = item.type == OpType::send;
    const auto* const own = of(its, is_send ? Changed::source : Changed::destination);
    if (item.names_own ? own == nullptr || own->number != changes_.rank : own != nullptr) return false;
    Rank& peer = out_.peers[item.number];
    if (const auto* const other = of(its, is_send ? Changed::destination : Changed::source)) {
      if (other->number < 0 || other->number >= max_npus) return false;
      peer = static_cast<Rank>(other->number);
    }
    if (const auto* const tag = of(its, Changed::tag))
      out_.tags[item.number] = state_.program.rules.tag(tag->number);
    return peer != changes_.rank || state_.self_allowed();
  }

  // Different groups of one rank must be different groups of the other, so that their calls are numbered alike.
  bool takes_call(const RankModel::Item& item, const NodeChanges& its) {
    const std::uint32_t was = model_.calls[item.number].group;
    const auto* const change = of(its, Changed::group);
    const std::uint32_t is = change == nullptr ? was : group_named(change->group);
    if (is == no_index) return false;
    out_.groups[item.number] = is;
    const auto known = std::ranges::find(pairs_, was, &std::pair<std::uint32_t, std::uint32_t>::first);
    if (known != pairs_.end()) return known->second == is;
    pairs_.emplace_back(was, is);
    return std::ranges::count(pairs_, is, &std::pair<std::uint32_t, std::uint32_t>::second) == 1 &&
           state_.is_member(is, changes_.rank);
  }

  std::uint32_t group_named(std::string_view name) {
    const auto known = std::ranges::find(names_, name, &std::pair<std::string_view, std::uint32_t>::first);
    if (known != names_.end()) return known->second;
    names_.emplace_back(name, state_.group_number(name).value_or(no_index));
    return names_.back().second;
  }

  // Finds the locations for error messages after all ranks are added.
  void find_places() {
    for (std::uint32_t c = 0; c < out_.groups.size(); ++c) {
      if (out_.groups[c] != model_.calls[c].group) out_.first[c] = place(model_.calls[c].first);
    }
    const auto highest = std::ranges::max_element(out_.peers);
    if (highest == out_.peers.end()) return;
    const auto message = static_cast<std::size_t>(highest - out_.peers.begin());
    out_.highest = {*highest, place(model_.message_ops[message])};
  }
  [[nodiscard]] Location place(std::uint32_t op) const {
    return place_of(changes_, model_.code->feeder.index_of(op), model_.code->id(op));
  }

  const State& state_;
  const RankModel& model_;
  const RankChanges& changes_;
  LikeRank out_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;     // group of the model, group of the rank
  std::vector<std::pair<std::string_view, std::uint32_t>> names_;  // groups by name
};

// Prepares the model of a rank that was added as it is. Returns whether other ranks may be like it.
bool ReplayBuilder::State::can_be_like(Rank like) {
  const auto [at, is_new] = models.try_emplace(like);
  Model& m = at->second;
  if (!is_new) return m.fits;
  const RankProgram& rank = program.ranks[like];
  m.fits = others_may_be_like(like);
  m.nodes_of_call.resize(rank.plans.size());
  for (const Op& op : rank.code->ops) {
    if (op.type == OpType::collective) ++m.nodes_of_call[op.channel];
  }
  return m.fits;
}

// Returns whether the code of a rank is independent of its own number and of the names of its groups.
bool ReplayBuilder::State::others_may_be_like(Rank like) const {
  const auto by_group = [](const auto& rule) { return rule.which.group.has_value(); };
  return !added[like].told && program.ranks[like].code->ways == nullptr && !compiler.failed() &&
         std::ranges::none_of(program.options.system->rules, by_group) &&
         std::ranges::none_of(program.options.free.calls, by_group) &&
         std::ranges::none_of(program.ranks[like].plans, [&](std::uint32_t call) {
           return uneven_of(call) != nullptr || has_root(calls[call].call.op);
         });
}

// Returns the number of the same call by another group. A new call has its first node at `where`.
std::uint32_t ReplayBuilder::State::call_in_group(std::uint32_t call, std::uint32_t group, const Location& where) {
  if (group == calls[call].call.group) return call;
  CollectiveCall its = calls[call].call;
  its.group = group;
  const std::uint32_t number = call_number(its, calls[call].prefix);
  if (number == calls.size()) {
    CallUse use = calls[call];
    use.call = its;
    use.where = where;
    use.node = static_cast<NodeId>(where.node);
    use.nodes = 0;
    calls.push_back(std::move(use));
  }
  return number;
}

// Returns the call that corresponds to a call of the other rank.
std::optional<std::uint32_t> ReplayBuilder::State::call_like(std::uint32_t call, const Likeness& how, Rank rank) {
  const std::uint32_t group_index = calls[call].call.group;
  const auto name = how.group(group_index == 0 ? "0" : std::to_string(program.groups[group_index].id));
  if (!name) return std::nullopt;
  const std::optional<std::uint32_t> group = group_number(*name);
  if (!group || !is_member(*group, rank)) return std::nullopt;
  return call_in_group(call, *group, calls[call].where);
}

bool ReplayBuilder::State::add_like(Rank like, const Likeness& how) {
  if (!can_be_like(like)) return false;
  const auto rank = static_cast<Rank>(program.ranks.size());
  const bool self_allowed = can_send_to_self(program.network, program.options.network.model);
  RankProgram to{.code = program.ranks[like].code};
  for (const Rank peer : program.ranks[like].peers) {
    const std::uint64_t its = how.peer(peer);
    if (its >= how.ranks || (its == rank && !self_allowed)) return false;
    to.peers.push_back(static_cast<Rank>(its));
  }
  to.tags = program.ranks[like].tags;
  for (const std::uint32_t call : program.ranks[like].plans) {
    const auto its = call_like(call, how, rank);
    if (!its) return false;
    to.plans.push_back(*its);
  }
  const std::vector<std::uint64_t>& nodes = models.at(like).nodes_of_call;
  for (std::size_t c = 0; c < to.plans.size(); ++c) calls[to.plans[c]].nodes += nodes[c];
  compiler.add_omitted(added[like].omitted);
  const Added as_like = added[like];
  added.push_back(as_like);
  program.ranks.push_back(std::move(to));
  return true;
}

std::shared_ptr<const RankModel> ReplayBuilder::State::model_of_last() const {
  const auto last = static_cast<Rank>(program.ranks.size() - 1);
  if (!program.options.free.calls.empty() || !others_may_be_like(last)) return nullptr;
  const RankProgram& rank = program.ranks[last];
  auto model = std::make_shared<RankModel>();
  model->code = rank.code;
  model->peers = rank.peers;
  model->tags = rank.tags.empty() ? rank.code->tags : rank.tags;
  model->omitted = added[last].omitted;
  for (const std::uint32_t call : rank.plans) model->calls.push_back({call, calls[call].call.group, no_index, 0});
  for (std::uint32_t node = 0; node < rank.code->ops.size(); ++node) {
    const Op& op = rank.code->ops[node];
    if (op.type != OpType::send && op.type != OpType::recv && op.type != OpType::collective) continue;
    const std::uint32_t index = rank.code->feeder.index_of(node);
    model->items.push_back({index, op.channel, op.type, last_messages[index].names_own});
    if (op.type != OpType::collective) {
      model->message_ops.push_back(node);
      continue;
    }
    RankModel::Call& call = model->calls[op.channel];
    if (++call.nodes == 1 || index < rank.code->feeder.index_of(call.first)) call.first = node;
  }
  std::ranges::sort(model->items, {}, &RankModel::Item::index);
  for (const RankModel::Item& item : model->items) {
    if (item.type == OpType::collective &&
        rank.code->feeder.index_of(model->calls[item.number].first) == item.index)
      model->call_order.push_back(item.number);
  }
  return model;
}

std::optional<LikeRank> ReplayBuilder::State::like(const std::shared_ptr<const RankModel>& model,
                                                   const RankChanges& changes) const {
  return LikeMaker(*this, model, changes).run();
}

void ReplayBuilder::State::add(LikeRank&& rank) {
  begin_rank(rank.rank, rank.name);
  const RankModel& model = *rank.model;
  RankProgram to{.code = model.code, .peers = std::move(rank.peers), .tags = std::move(rank.tags)};
  to.plans.resize(model.calls.size());
  for (const std::uint32_t c : model.call_order) {
    to.plans[c] = call_in_group(model.calls[c].number, rank.groups[c], rank.first[c]);
    calls[to.plans[c]].nodes += model.calls[c].nodes;
  }
  const Location& where = rank.highest.where;
  highest_peers.push_back({rank.highest.peer, where, static_cast<NodeId>(where.node)});
  compiler.add_omitted(model.omitted);
  added.push_back({model.omitted, false});
  program.ranks.push_back(std::move(to));
}

}  // namespace convert
