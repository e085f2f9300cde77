// SPDX-License-Identifier: MIT
// Anonymises a trace: removes its words, optionally hides more, and keeps what replays read.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/trace.h"
#include "passes/anonymize/kept.h"
#include "passes/anonymize/names.h"
#include "passes/anonymize/options.h"
#include "passes/anonymize/sizes.h"
#include "passes/anonymize/survey.h"
#include "passes/anonymize/times.h"

namespace convert {

struct AnonymizeCounts {
  std::uint64_t nodes = 0;          // in the input
  std::uint64_t dropped = 0;        // attributes that are on no keep list
  std::uint64_t wrong_kind = 0;     // attributes on a keep list, dropped because their kind is invalid
  std::uint64_t merged = 0;         // nodes merged into other nodes
  std::uint64_t turns = 0;          // sends that lost their link order because ranks are renumbered
  std::bitset<attr::count> kept{};  // attributes that occur in the output, by Name::index()
  bool durations = false;           // some node has a duration

  void add(const AnonymizeCounts& other);
};

// Options and facts of the whole set. Constant while several threads anonymise ranks.
struct AnonymizePlan {
  AnonymizeOptions options;
  KeyedHash hash;
  SetFacts facts{};
  SizeRule sizes{options};

  // Returns an object that hides names. The plan must outlive it.
  [[nodiscard]] NameHider name_hider() const { return {options.names, hash, facts.names}; }
};

// Anonymises one rank: its metadata first, then its nodes, all at once or in batches.
class RankAnonymizer {
 public:
  // `plan` and `names` must outlive this object; `names` may come from an earlier rank. If `names_others` is false,
  // groups keep their names, for rename_others() to change, and ranks keep their numbers.
  RankAnonymizer(const AnonymizePlan& plan, NameHider& names, bool names_others = true);

  // Anonymises the rank number and the metadata.
  void head(Trace& trace);
  // Returns whether batch() can be used: ids are dense, no nodes are merged, and sends keep their link order.
  [[nodiscard]] bool takes_batches(const RankSurvey& survey) const;
  // Anonymises the next batch of nodes.
  void batch(NodeTable& nodes, const DenseIds& ids);
  // Anonymises all nodes of the rank.
  void whole(NodeTable& nodes);
  // Merges each chain of nodes into one node if AnonymizeOptions::merge_chains is set. whole() calls it too.
  void merge(NodeTable& nodes);
  [[nodiscard]] const AnonymizeCounts& counts() const { return counts_; }

 private:
  // Returns the role of an attribute, and counts the attributes to drop.
  [[nodiscard]] AttributeRole role(const Attr& a);
  // Returns whether sequence numbers on links are replaced by control dependencies.
  [[nodiscard]] bool drops_turns() const { return scheduled_ && plan_.options.permute_ranks; }
  void tell_scopes(NodeTable& nodes) const;
  void filter(NodeTable& nodes);
  void change(NodeTable& nodes);
  void change_times(const NodeTable& nodes, Node& node);
  void change_attributes(NodeTable& nodes, Node& node);
  bool change_attribute(NodeTable& nodes, Attr& a);
  void change_tensors(NodeTable& nodes, Attr& list);
  void rename_group(NodeTable& nodes, Attr& a);
  [[nodiscard]] std::uint64_t thread(std::int64_t before);
  [[nodiscard]] bool is_kept(Name name) const;
  [[nodiscard]] std::uint64_t shifted(std::int64_t begin_ns) const;

  const AnonymizePlan& plan_;
  bool names_others_;
  NameHider& names_;
  TimeRule times_;
  bool starts_;
  bool changes_times_;
  bool scheduled_ = false;  // sends may have sequence numbers on links
  Rank rank_ = 0;           // in the input
  std::int64_t base_ns_ = 0;
  std::uint64_t place_ = 0;  // position of the current node; the next two fields belong to this node
  std::int64_t begin_ns_ = no_time;
  double factor_ = 1;
  std::unordered_map<std::int64_t, std::uint64_t> threads_;
  std::string last_group_;
  const std::string* new_group_ = nullptr;
  AnonymizeCounts counts_;
};

// Renames the groups that nodes name.
void rename_others(const SetFacts& facts, NodeTable& nodes);

}  // namespace convert
