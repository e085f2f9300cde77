// SPDX-License-Identifier: MIT
#include "sets/classes/encoder.h"

#include <algorithm>
#include <utility>

namespace convert {

ClassEncoder::ClassEncoder(const MasterSet& set, std::string file)
    : set_(set), file_(std::move(file)), bodies_(set.classes.size()) {
  for (std::uint64_t i = 0; i < set.ranks(); ++i) {
    const MasterSet::Place place = set.place(i);
    places_.emplace(set.rank(place), place);
  }
}

void ClassEncoder::make(const RankClass& c, Body& body, TraceWriter& writer) const {
  const std::vector<std::uint32_t> begins = node_begins(c, set_.shapes);
  const Unpacker unpacker(set_.texts, file_, static_cast<Rank>(c.ranks[0]));
  std::uint32_t rule = 0, own = 0;
  bool ids_differ = false;  // then all later nodes differ, too
  NodeId before = 0;
  Trace one;
  for (std::uint32_t i = 0; i < c.shapes.size(); ++i) {
    Varying v{i, begins[i], begins[i + 1] - begins[i], rule, 0, own, 0, before, body.bytes.size()};
    while (rule < c.values.varying.size() && c.values.varying[rule].value < begins[i + 1]) ++rule;
    while (own < c.values.own.size() && c.values.own[own] < begins[i + 1]) ++own;
    v.rules = rule - v.first_rule;
    v.own = own - v.first_own;
    ids_differ = ids_differ || (v.rules > 0 && c.values.varying[v.first_rule].value == begins[i]) ||
                 (v.own > 0 && c.values.own[v.first_own] == begins[i]);
    if (ids_differ || v.rules > 0 || v.own > 0) {
      body.varying.push_back(v);
    } else {
      one.nodes.clear();
      unpacker.node(set_.shapes[c.shapes[i]], c.values.first.data() + begins[i], before, one.nodes);
      writer.nodes(one, body.bytes);
    }
    before += c.values.first[begins[i]];
  }
}

void ClassEncoder::nodes(Rank rank, TraceWriter& writer, std::string& out) {
  const MasterSet::Place& place = places_.at(rank);
  const RankClass& c = set_.classes[place.of_class];
  const RankValues& values = c.values;
  Body& body = bodies_[place.of_class];
  std::call_once(body.made, [&] { make(c, body, writer); });

  std::vector<std::uint64_t> by_rule(values.rules.size()), of_node;
  for (std::size_t r = 0; r < by_rule.size(); ++r) by_rule[r] = values.rules[r][place.ordinal];
  const std::uint64_t* const own =
      place.ordinal == 0 ? nullptr : values.own_differences.data() + (place.ordinal - 1) * values.own.size();
  const Unpacker unpacker(set_.texts, file_, set_.rank(place));
  out.reserve(out.size() + body.bytes.size() + body.varying.size() * 128);
  std::size_t copied = 0;
  NodeId shift = 0;  // difference of ids from the first rank
  Trace one;
  for (const Varying& v : body.varying) {
    out.append(body.bytes, copied, v.bytes_before - copied);
    copied = v.bytes_before;
    const auto first = values.first.begin() + v.first_value;
    of_node.assign(first, first + v.value_count);
    for (std::uint32_t r = v.first_rule; r < v.first_rule + v.rules; ++r)
      of_node[values.varying[r].value - v.first_value] += by_rule[values.varying[r].rule];
    for (std::uint32_t i = v.first_own; own != nullptr && i < v.first_own + v.own; ++i)
      of_node[values.own[i] - v.first_value] += own[i];
    one.nodes.clear();
    unpacker.node(set_.shapes[c.shapes[v.node]], of_node.data(), v.before + shift, one.nodes);
    shift += of_node[0] - *first;
    writer.nodes(one, out);
  }
  out.append(body.bytes, copied);
}

}  // namespace convert
