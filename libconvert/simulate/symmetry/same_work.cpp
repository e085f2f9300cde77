// SPDX-License-Identifier: MIT
#include "simulate/symmetry/same_work.h"

#include <algorithm>
#include <vector>

#include "simulate/astra/issue_order.h"
#include "simulate/engine/local_memory.h"
#include "simulate/program/link.h"

namespace convert {
namespace {

bool sends_or_receives(const Op& op) { return op.type == OpType::send || op.type == OpType::recv; }

bool same_order(const IssueOrder* a, const IssueOrder* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool same_but_nodes(const RankCode& a, const RankCode& b) {
  return a.ops.size() == b.ops.size() && a.feeder.same_graph(b.feeder) &&
         same_uses(a.tensors.get(), b.tensors.get()) && same_order(a.issue_order.get(), b.issue_order.get());
}

std::string_view type_name(const Op& op) {
  switch (op.type) {
    case OpType::invalid: return "without work";
    case OpType::timed: return op.is_compute ? "computes" : "has a time";
    case OpType::memory: return "accesses memory";
    case OpType::send: return "sends";
    case OpType::recv: return "receives";
    case OpType::collective: return "calls a collective";
  }
  return "";
}

}  // namespace

WorkNumbers::WorkNumbers(const ReplayProgram& program) {
  // Some converters number ids continuously from rank to rank. Equal ids matter only for results about single
  // nodes.
  const ReplayOptions& options = program.options;
  const bool ids_matter = options.timeline || options.explain || options.memory != MemoryTracking::off;
  std::unordered_multimap<std::uint64_t, const RankCode*> by_hash;
  for (const RankProgram& r : program.ranks) {
    const RankCode* const code = r.code.get();
    if (numbers_.contains(code)) continue;
    const auto [first, end] = by_hash.equal_range(code->hash);
    const auto same = std::find_if(first, end, [&](const auto& known) {
      return known.second->ops == code->ops && same_but_nodes(*known.second, *code) &&
             (!ids_matter || known.second->ids == code->ids);
    });
    if (same != end) {
      numbers_.emplace(code, numbers_.at(same->second));
    } else {
      numbers_.emplace(code, count_++);
      by_hash.emplace(code->hash, code);
    }
  }
}

std::string first_difference(const RankCode& a, const RankCode& b) {
  const std::size_t n = std::min(a.ops.size(), b.ops.size());
  for (std::uint32_t node = 0; node < n; ++node) {
    const Op& x = a.ops[node];
    const Op& y = b.ops[node];
    const std::string where = ": node " + std::to_string(a.id(node)) + ' ';
    if (x.type != y.type)
      return where + std::string(type_name(x)) + ", " + "node " + std::to_string(b.id(node)) + ' ' +
             std::string(type_name(y));
    if (x.value != y.value && x.type == OpType::timed) return where + "takes a different time";
    if (x.value != y.value) return where + "has a different size";
  }
  return a.ops.size() == b.ops.size()
             ? ""
             : ": " + std::to_string(a.ops.size()) + " and " + std::to_string(b.ops.size());
}

CustomWork::Fit CustomWork::fit(const CustomMove& move, std::size_t digit) {
  const auto [at, is_new] =
      known_.try_emplace({move.from, move.onto, move.turn, move.digit ? digit + 1 : 0}, Fit{});
  if (is_new) at->second = compare(move);
  return at->second;
}

CustomWork::Fit CustomWork::compare(const CustomMove& move) const {
  Fit fit;
  const auto n = static_cast<Rank>(program_.customs[move.from].places.size());
  if (program_.customs[move.onto].places.size() != n) return {.same = false};
  for (Rank place = 0; place < n; ++place) {
    const Rank other = move.digit ? moved(*move.digit, place, 1) : (place + move.turn) % n;
    if (!places_fit(move, place, other, fit)) return {.same = false};
  }
  return fit;
}

bool CustomWork::places_fit(const CustomMove& move, Rank place, Rank other, Fit& fit) const {
  const CustomAlgorithm& from = program_.customs[move.from];
  const CustomAlgorithm& onto = program_.customs[move.onto];
  const auto n = static_cast<Rank>(from.places.size());
  const RankCode& a = *from.places[place];
  const RankCode& b = *onto.places[other];
  if (a.ids != b.ids || !same_but_nodes(a, b)) return false;
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    Op x = a.ops[i];
    Op y = b.ops[i];
    if (sends_or_receives(x) && sends_or_receives(y)) {
      if (from.tags[x.channel] != onto.tags[y.channel]) fit.same_tags = false;
      x.peer = move.digit ? moved(*move.digit, x.peer, 1) : (x.peer + move.turn) % n;
    }
    x.channel = y.channel = 0;
    if (!(x == y)) return false;
  }
  return true;
}

void add_channels(const ReplayProgram& program, Rank a, Rank b, ChannelOrbits& orbits) {
  const auto number = [&](const Op& op, Rank r, Rank peer, std::int64_t tag) {
    return orbits.number(key_of(op, r, peer, tag));
  };
  const RankProgram& x = program.ranks[a];
  const RankProgram& y = program.ranks[b];
  for (const Op& op : x.code->ops) {
    if (!sends_or_receives(op)) continue;
    const std::uint32_t m = op.channel;
    orbits.join(number(op, a, x.peers[m], x.tag(m)), number(op, b, y.peers[m], y.tag(m)));
  }
  for (std::size_t c = 0; c < x.plans.size(); ++c) {
    const CollectiveCall& call = program.plans[x.plans[c]].call;
    const CollectiveCall& other = program.plans[y.plans[c]].call;
    if (call.custom == 0) continue;
    const CustomAlgorithm& from = program.customs[call.custom - 1];
    const CustomAlgorithm& onto = program.customs[other.custom - 1];
    const SystemGroup& group = program.groups[call.group];
    const SystemGroup& image = program.groups[other.group];
    const RankCode& code = *from.places[group.place(a)];
    const RankCode& like = *onto.places[image.place(b)];
    for (std::size_t i = 0; i < code.ops.size(); ++i) {
      const Op& op = code.ops[i];
      const Op& its = like.ops[i];
      if (!sends_or_receives(op)) continue;
      orbits.join(number(op, a, group.rank(op.peer), from.tags[op.channel]),
                  number(its, b, image.rank(its.peer), onto.tags[its.channel]));
    }
  }
}

}  // namespace convert
