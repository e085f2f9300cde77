// SPDX-License-Identifier: MIT
// Hides the words of a trace and, if wanted, more, and keeps what replays read.
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
  std::uint64_t nodes = 0;          // before
  std::uint64_t dropped = 0;        // attributes that no list keeps
  std::uint64_t wrong_kind = 0;     // attributes to keep, but of an invalid kind
  std::uint64_t merged = 0;         // nodes that were merged into other nodes
  std::uint64_t turns = 0;          // sends that lost their link order, as ranks have other numbers
  std::bitset<attr::count> kept{};  // attributes that some node has afterwards, by Name::index()
  bool durations = false;           // some node has a duration

  void add(const AnonymizeCounts& other);
};

// Holds what decides for a whole set. Does not change while ranks are worked on, by several threads.
struct AnonymizePlan {
  AnonymizeOptions options;
  KeyedHash hash;
  SetFacts facts{};
  SizeRule sizes{options};

  // Returns what hides names; the plan must outlive it.
  [[nodiscard]] NameHider name_hider() const { return {options.names, hash, facts.names}; }
};

// Anonymises one rank: its head, and then its nodes, all at once or batch by batch.
class RankAnonymizer {
 public:
  // Plan and names, which may be those of an earlier rank, must outlive this object. Without `names_others` groups
  // keep their names, for rename_others() to change; ranks keep their numbers then.
  RankAnonymizer(const AnonymizePlan& plan, NameHider& names, bool names_others = true);

  // Changes rank and metadata.
  void head(Trace& trace);
  // Returns whether batches will do: ids are dense, and nodes stay apart.
  [[nodiscard]] bool takes_batches(const RankSurvey& survey) const;
  // Change the next nodes of the rank: of many, or all.
  void batch(NodeTable& nodes, const DenseIds& ids);
  void whole(NodeTable& nodes);
  // Makes one node of each chain, if the options do; whole() does it too.
  void merge(NodeTable& nodes);
  [[nodiscard]] const AnonymizeCounts& counts() const { return counts_; }

 private:
  // Counts what goes.
  [[nodiscard]] AttributeRole role(const Attr& a);
  // Returns whether turns on links go, for control dependencies that say their order.
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
  bool scheduled_ = false;  // its sends may have turns on links
  Rank rank_ = 0;           // before
  std::int64_t base_ns_ = 0;
  std::uint64_t place_ = 0;  // of the node, which has:
  std::int64_t begin_ns_ = no_time;
  double factor_ = 1;
  std::unordered_map<std::int64_t, std::uint64_t> threads_;
  std::string last_group_;
  const std::string* new_group_ = nullptr;
  AnonymizeCounts counts_;
};

// Gives the groups that nodes name their new names.
void rename_others(const SetFacts& facts, NodeTable& nodes);

}  // namespace convert
