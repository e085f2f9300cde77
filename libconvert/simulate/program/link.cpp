// SPDX-License-Identifier: MIT
#include "simulate/program/link.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "simulate/program/channel_index.h"
#include "simulate/program/send_ways.h"

namespace convert {
namespace {

bool is_message_op(const Op& op) { return op.type == OpType::send || op.type == OpType::recv; }

class Linker {
 public:
  Linker(const ReplayProgram& program, const LinkAs& as, LinkedProgram& to)
      : program_(program), as_(as), to_(to), turns_(program.network, program.options.network.failed) {}

  void run() {
    to_.customs.clear();
    to_.ranks.reserve(program_.ranks.size());
    make_room();
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      LinkedRankProgram& rank = to_.ranks.emplace_back(LinkedRankProgram{.first_op = to_.ops});
      if (as_.runs && !as_.runs(r)) continue;
      rank.code = program_.ranks[r].code;
      rank.plans = plans_of(r);
      link_messages(r);
      if (rank.code->ways != nullptr) {
        rank.way_of = turns_.add(r, *rank.code, [&](std::uint32_t node) {
          return program_.ranks[r].peers[rank.code->ops[node].channel];
        });
      }
      to_.ops += rank.code->ops.size();
      for (const std::uint32_t plan : program_.ranks[r].plans) link_custom(plan, r);
    }
    to_.channels.shrink_to_fit();
    place_channels();
    to_.options.network.names_links = turns_.names_links();
    to_.turns = turns_.take();
  }

 private:
  std::shared_ptr<const std::vector<std::uint32_t>> plans_of(Rank r) {
    const std::vector<std::uint32_t>& plans = program_.ranks[r].plans;
    if (last_plans_ == nullptr || *last_plans_ != plans)
      last_plans_ = std::make_shared<const std::vector<std::uint32_t>>(plans);
    return last_plans_;
  }

  void link_messages(Rank r) {
    const RankProgram& from = program_.ranks[r];
    if (from.peers.empty()) return;
    const LineArray<LinkedMessage> messages = to_.messages[r];
    const auto found = [&](const Wanted& w) { messages[w.message] = {w.channel, w.peer}; };
    for (const Op& op : from.code->ops) {
      if (!is_message_op(op)) continue;
      want(op, r, from.peers[op.channel], from.tag(op.channel));
      if (wanted_.size() == at_once) find_channels(found);
    }
    find_channels(found);
  }

  // Reserves room for the channels of traces: most have a sender and a receiver, and ranks send as often as they
  // receive.
  void make_room() {
    std::size_t all = 0;
    std::vector<std::size_t> messages(program_.ranks.size());
    std::vector<std::size_t> channels(program_.ranks.size());
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      if (as_.runs && !as_.runs(r)) continue;
      messages[r] = program_.ranks[r].peers.size();
      all += messages[r];
      channels[r] = program_.ranks[r].peers.size() / 2;
    }
    index_.reserve(channels);
    to_.channels.reserve(all / 2);
    to_.messages = RankArrays<LinkedMessage>(messages);
  }

  // Replaces the channels of messages by the positions of their state, once all channels are known.
  void place_channels() {
    to_.places = {to_.channels.size(), program_.ranks.size()};
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      if (to_.ranks[r].code == nullptr) continue;
      const LineArray<LinkedMessage> messages = to_.messages[r];
      for (std::uint32_t i = 0; i < program_.ranks[r].peers.size(); ++i)
        messages[i].place = to_.places.place(messages[i].place);
    }
  }

  struct Wanted {
    ChannelKey key;
    std::uint32_t hash = 0;
    std::uint32_t message = 0;  // of its rank or place
    Rank peer = 0;
    std::uint32_t channel = 0;
  };
  // Requests the channel of a message; find_channels() resolves it.
  void want(const Op& op, Rank r, Rank peer, std::int64_t tag) {
    Wanted& wanted = wanted_.emplace_back();
    wanted.key = key_of(op, r, peer, tag);
    if (as_.channel) wanted.key = as_.channel(wanted.key);
    wanted.hash = ChannelIndex::hash_of(wanted.key);
    wanted.message = op.channel;
    wanted.peer = as_.peer ? as_.peer(peer) : peer;
  }
  // Calls found(wanted) for each requested message, in order. Channels are scattered in memory, so several are
  // prefetched before the first is looked up.
  template <typename Found>
  void find_channels(const Found& found) {
    for (std::span<Wanted> left = wanted_; !left.empty();) {
      const std::span<Wanted> some = left.first(std::min(at_once, left.size()));
      left = left.subspan(some.size());
      for (const Wanted& w : some) index_.prefetch(w.key, w.hash);
      for (const Wanted& w : some) index_.prefetch_channel(to_.channels, w.key, w.hash);
      for (Wanted& w : some) {
        w.channel = index_.find_or_add(to_.channels, w.key, w.hash);
        found(w);
      }
    }
    wanted_.clear();
  }

  // Maps the algorithm of a plan, if it has one, to its group, for rank `r`.
  void link_custom(std::uint32_t plan, Rank r) {
    const CollectiveCall& call = program_.plans[plan].call;
    if (call.custom == 0) return;
    const CustomAlgorithm& from = program_.customs[call.custom - 1];
    std::uint32_t& known = customs_[{call.custom, call.group}];
    if (known == 0) {
      to_.customs.push_back({.source = from.source, .parts = from.parts});
      known = static_cast<std::uint32_t>(to_.customs.size());
    }
    to_.plans[plan].call.custom = known;
    CustomAlgorithm& algorithm = to_.customs[known - 1];
    algorithm.places.resize(from.places.size());
    const SystemGroup& group = program_.groups[call.group];
    const std::uint32_t place = group.place(r);
    if (algorithm.places[place] != nullptr) return;
    auto code = std::make_shared<RankCode>(*from.places[place]);
    std::vector<Op*> ops;
    for (Op& op : code->ops) {
      if (!is_message_op(op)) continue;
      want(op, r, group.rank(op.peer), from.tags[op.channel]);
      ops.push_back(&op);
    }
    auto next = ops.begin();
    find_channels([&](const Wanted& w) {
      (*next)->channel = w.channel;
      (*next++)->peer = w.peer;
    });
    if (code->ways != nullptr) {
      if (!code->ways->hops.empty()) refuse_other_order(from, group);
      code->way_of = turns_.add_custom(known, r, *code);
    }
    algorithm.places[place] = std::move(code);
  }

  // A schedule is for all NPUs of a network in their order, unless it was made for other ranks.
  static void refuse_other_order(const CustomAlgorithm& algorithm, const SystemGroup& group) {
    for (std::uint32_t place = 0; place < group.ranks.size(); ++place) {
      if (group.ranks[place] == (algorithm.ranks.empty() ? Rank{place} : algorithm.ranks[place])) continue;
      throw input_error(
          {},
          "the algorithm " + algorithm.source + " is scheduled for the NPUs of its network, but index " +
              std::to_string(place) + " of group " + std::to_string(group.id) + " is rank " +
              std::to_string(group.ranks[place]) + "; write it with -t chakra,order=ctrl to run it on any ranks",
          "custom");
    }
  }

  static constexpr std::size_t at_once = 32;  // messages

  const ReplayProgram& program_;
  const LinkAs& as_;
  LinkedProgram& to_;
  ChannelIndex index_;
  TurnTable turns_;
  std::vector<Wanted> wanted_;  // messages of the rank or place that is being resolved
  std::shared_ptr<const std::vector<std::uint32_t>> last_plans_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> customs_;  // custom, group → 1 + resolved
};

}  // namespace

LinkedProgram link(const ReplayProgram& program, const LinkAs& as) {
  LinkedProgram to{CommonProgram(program)};
  Linker(program, as, to).run();
  return to;
}

std::vector<std::size_t> LinkedProgram::nodes_by_rank() const {
  std::vector<std::size_t> nodes;
  for (const LinkedRankProgram& r : ranks) nodes.push_back(r.code == nullptr ? 0 : r.code->ops.size());
  return nodes;
}

LinkedProgram::Place LinkedProgram::place(std::uint64_t op) const {
  const auto after =
      std::upper_bound(ranks.begin(), ranks.end(), op,
                       [](std::uint64_t number, const LinkedRankProgram& r) { return number < r.first_op; });
  const auto rank = static_cast<Rank>(after - ranks.begin() - 1);
  return {rank, static_cast<std::uint32_t>(op - ranks[rank].first_op)};
}

}  // namespace convert
