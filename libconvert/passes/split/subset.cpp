// SPDX-License-Identifier: MIT
#include "passes/split/subset.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "passes/provenance.h"
#include "passes/split/removal.h"

namespace convert {
namespace {

class RankTaker {
 public:
  RankTaker(const RankSubset& subset, Trace& trace) : subset_(subset), trace_(trace) {}

  SubsetCounts run() {
    SubsetCounts counts;
    std::vector<bool> goes(trace_.nodes.nodes.size());
    for (std::size_t i = 0; i < goes.size(); ++i) {
      const Node& n = trace_.nodes.nodes[i];
      if (n.type == NodeType::comm_coll) {
        const auto name = string_value(trace_.nodes, trace_.nodes.attributes(n), attr::pg_name).value_or("");
        ++counts.of_group[name.empty() ? "0" : std::string(name)];
        shrink(n, name.empty() ? "0" : name);
      } else if (n.type == NodeType::comm_send || n.type == NodeType::comm_recv) {
        goes[i] = leaves(i);
        counts.dropped += goes[i] ? 1 : 0;
      }
      renumber_root(n);
    }
    if (counts.dropped != 0) remove_nodes(trace_, goes, "the messages to other ranks");
    trace_.rank = subset_.number(trace_.rank);
    return counts;
  }

 private:
  [[nodiscard]] Attr* attribute(const Node& n, Name name) {
    const Attr* const a = find(trace_.nodes.attributes(n), name);
    return a == nullptr ? nullptr : &trace_.nodes.attrs[static_cast<std::size_t>(a - trace_.nodes.attrs.data())];
  }

  // Renumbers the root of a collective, or of the collective that the node replaces, if the subset includes that
  // rank.
  void renumber_root(const Node& n) {
    const bool is_collective = n.type == NodeType::comm_coll;
    if (!is_collective && find(trace_.nodes.attributes(n), attr::merged_nodes) == nullptr) return;
    for (const Name name :
         {is_collective ? attr::comm_src : merged::comm_src, is_collective ? attr::comm_dst : merged::comm_dst}) {
      Attr* const root = attribute(n, name);
      const IntValue v = int_value(root);
      if (v && subset_.takes(v.value)) root->bits = subset_.number(static_cast<Rank>(v.value));
    }
  }

  // Corrects the sizes that a collective states: the ranks of its group, and the bytes exchanged with each.
  void shrink(const Node& n, std::string_view group) {
    Attr* const size = attribute(n, attr::group_size);
    Attr* const sends = attribute(n, attr::send_splits);
    Attr* const receives = attribute(n, attr::recv_splits);
    if (size == nullptr && sends == nullptr && receives == nullptr) return;
    const std::vector<Rank>* const members = subset_.members ? subset_.members(group) : nullptr;
    if (members == nullptr && group != "0") return;
    const auto stays = [&](std::size_t place) {
      return subset_.takes(members != nullptr ? (*members)[place] : static_cast<std::int64_t>(place));
    };
    std::size_t left = subset_.ranks.size();
    if (members != nullptr) {
      left = 0;
      for (std::size_t place = 0; place < members->size(); ++place) left += stays(place) ? 1 : 0;
    }
    if (size != nullptr && is_integer(size->kind)) size->bits = left;
    for (const auto& [splits, bytes] :
         {std::pair{sends, attr::comm_size}, std::pair{receives, attr::comm_bytes_out}}) {
      const bool fits = splits != nullptr && splits->kind == Kind::int64_list &&
                        (members == nullptr || splits->size == members->size());
      if (fits) shrink_splits(*splits, attribute(n, bytes), stays);
    }
  }

  template <class Stays>
  void shrink_splits(Attr& splits, Attr* bytes, const Stays& stays) {
    __extension__ using Wide = __int128;
    std::uint64_t* const list = trace_.nodes.numbers.data() + splits.bits;
    Wide before = 0, after = 0;
    std::uint32_t left = 0;
    for (std::uint32_t place = 0; place < splits.size; ++place) {
      const std::uint64_t elements = list[place];
      before += static_cast<std::int64_t>(elements);
      if (!stays(place)) continue;
      after += static_cast<std::int64_t>(elements);
      list[left++] = elements;
    }
    splits.size = left;
    const IntValue whole = int_value(bytes);
    constexpr Wide most = INT64_MAX;  // larger values are not valid sizes
    if (whole && before > 0 && before <= most && after >= 0 && after <= before)
      bytes->bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(Wide{whole.value} * after / before));
  }

  // Renumbers the ranks of a message. Returns whether any is outside the subset.
  bool leaves(std::size_t i) {
    const Node& n = trace_.nodes.nodes[i];
    bool out = false;
    for (std::uint32_t k = 0; k < n.attrs.count; ++k) {
      Attr& a = trace_.nodes.attrs[n.attrs.begin + k];
      if (a.name != attr::comm_src && a.name != attr::comm_dst) continue;
      const IntValue v = int_value(&a);
      if (!v || v.value < 0)
        throw error(i, "attribute " + std::string(a.name.view()) + " is not a rank, an integer from 0");
      if (subset_.takes(v.value)) {
        a.bits = subset_.number(static_cast<Rank>(v.value));
        continue;
      }
      if (!subset_.drop_messages)
        throw error(i, std::string(n.type == NodeType::comm_send ? "sends to" : "receives from") + " rank " +
                           std::to_string(v.value) +
                           ", which is not in the subset; use --cross drop to omit such messages");
      out = true;
    }
    return out;
  }
  [[nodiscard]] Error error(std::size_t i, const std::string& what) const {
    const Node& n = trace_.nodes.nodes[i];
    return input_error(location_of(trace_, i),
                       "node " + std::to_string(n.id) + " (" + std::string(trace_.nodes.name(n)) + ") of rank " +
                           std::to_string(trace_.rank) + ": " + what,
                       "split");
  }

  const RankSubset& subset_;
  Trace& trace_;
};

}  // namespace

bool RankSubset::takes(std::int64_t rank) const { return rank >= 0 && std::ranges::binary_search(ranks, rank); }

Rank RankSubset::number(Rank rank) const {
  if (!renumber) return rank;
  return static_cast<Rank>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

void SubsetCounts::add(const SubsetCounts& other) {
  dropped += other.dropped;
  for (const auto& [group, count] : other.of_group) of_group[group] += count;
}

SubsetCounts take_rank(const RankSubset& subset, Trace& trace) { return RankTaker(subset, trace).run(); }

}  // namespace convert
