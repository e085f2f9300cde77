// SPDX-License-Identifier: MIT
// Holds what the ranks of a pipeline stage have in common: all but the ids of their groups and the ranks of their
// peers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "core/collective.h"
#include "core/text_set.h"
#include "core/trace.h"
#include "generate/workload/groups.h"

namespace convert {

// To or from whom a message goes: the last four to or from replicas that go on with prompts of others, at the same
// stage, or from their last to their first one.
enum class Peer : std::uint8_t {
  next_stage,
  previous_stage,
  next_context,
  previous_context,
  first_stage,
  last_stage,
  decode_replica,
  prefill_replica,
  decode_first_stage,
  prefill_last_stage
};
inline constexpr std::size_t peer_kinds = 10;

using BodyIndex = std::int32_t;  // of a node; no_node: none
inline constexpr BodyIndex no_node = -1;

// Returns a size for sums that may not be whole, such as a share of the operations of attention.
[[nodiscard]] constexpr double real(std::int64_t n) { return static_cast<double>(n); }

// What a rank holds in all of a step: read and changed in place.
inline constexpr BodyIndex parameters_tensor = -2, gradients_tensor = -3, optimizer_tensor = -4;

struct BodyNode {
  NodeType type = NodeType::comp;
  Collective op = Collective::all_reduce;  // of a collective
  GroupKind group = GroupKind::world;      // of a collective
  Peer peer = Peer::next_stage;            // of a message
  std::uint32_t name = 0;                  // in StageBody::names
  std::uint32_t first_dep = 0;             // in StageBody::deps
  std::uint32_t deps = 0;                  // data dependencies
  bool matrix = false;                     // of a computation: a matrix or attention
  bool host = false;                       // of a computation: not on the NPU
  BodyIndex after = no_node;               // a control dependency: on the node before it in its chain
  std::int32_t tag = 0;                    // of a message
  std::int32_t uneven = no_node;           // in StageBody::uneven
  std::int32_t replica = 0;                // of a message: so many replicas behind its peer
  std::int64_t size = 0;                   // tensor_size or comm_size, bytes
  std::int64_t operations = 0;             // of a computation
  BodyIndex tensor = no_node;              // that it writes: its own, a former node's, or one of those above
  bool reads_deps = true;                  // the tensors of its data dependencies
  std::int64_t result = 0;                 // bytes of its own tensor
};

// What a node does for each row (copy of a token) that experts get, or that a rank sends to them. Each member of a
// group of experts sends as many rows as the others to the experts of each place. Of embeddings: for each table and
// rank whose samples are looked up.
struct UnevenNode {
  std::uint32_t load = 0;  // in StageBody::loads
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
  std::int64_t fixed_bytes = 0;  // whatever the rows
  bool sends_own = false;        // of a collective: own rows to all, not those of all back to them
};

struct StageBody {
  std::vector<BodyNode> nodes;
  std::vector<BodyIndex> deps;                         // ascending for each node
  std::vector<std::pair<BodyIndex, BodyIndex>> reads;  // node, ascending, and a tensor that it reads besides
  std::vector<UnevenNode> uneven;
  std::vector<std::vector<std::int64_t>> loads;  // rows that a rank sends to the experts of each place
  TextSet names;
  std::int64_t parameters = 0;  // of a rank, but for those of its place
  std::vector<std::int64_t> place_parameters;
  std::int64_t optimizer_parameters = 0;  // those that it updates

  // Returns how many parameters the rank of a place holds.
  [[nodiscard]] std::int64_t parameters_at(std::int64_t place) const {
    return parameters + (place_parameters.empty() ? 0 : place_parameters.at(static_cast<std::size_t>(place)));
  }
  // Returns a node as it is on a rank whose experts have a place in their group.
  [[nodiscard]] BodyNode node(std::size_t i, std::int64_t place) const;
  // Returns the bytes that an uneven collective sends to each place, and gets from it.
  struct Splits {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
  };
  [[nodiscard]] Splits splits(const BodyNode& node, std::int64_t place) const;
};

// Adds nodes to a body. Computations form a chain, as on one stream; so do the collectives of each group, so that
// all members call them in one order.
class BodyBuilder {
 public:
  using After = std::initializer_list<BodyIndex>;  // data dependencies; no_node is left out

  BodyBuilder(const PlanGroups& groups, std::int64_t stage) : groups_(groups), stage_(stage) {
    last_call_.fill(no_node);
  }

  // `operations` and `bytes` are cut to whole ones.
  BodyIndex compute(std::string_view name, double operations, double bytes, After after) {
    return compute(name, operations, bytes, std::vector<BodyIndex>(after));
  }
  BodyIndex compute(std::string_view name, double operations, double bytes, std::vector<BodyIndex> after);
  // A computation of matrices, or attention.
  BodyIndex multiply(std::string_view name, double operations, double bytes, std::vector<BodyIndex> after) {
    const BodyIndex i = compute(name, operations, bytes, std::move(after));
    body_.nodes.back().matrix = true;
    return i;
  }
  // Adds a collective of `bytes` (comm_size). Where the stage has no such groups, returns what it would wait for.
  BodyIndex collective(Collective op, std::int64_t bytes, GroupKind kind, BodyIndex after,
                       std::string_view name = {});
  void send(Peer to, std::int64_t bytes, std::int64_t tag, After after, std::int64_t replica = 0);
  BodyIndex receive(Peer from, std::int64_t bytes, std::int64_t tag, std::int64_t replica = 0);
  // Lets the node that was added last follow the rows of its experts.
  void follow(const UnevenNode& rows) {
    body_.nodes.back().uneven = static_cast<std::int32_t>(body_.uneven.size());
    body_.uneven.push_back(rows);
  }
  // Say of the node that was added last what it makes: so many bytes of its own, or that it writes another tensor
  // and, as of its data dependencies, reads nothing but that; and what it reads besides.
  void gives(double bytes) {
    body_.nodes.back().tensor = static_cast<BodyIndex>(body_.nodes.size() - 1);
    body_.nodes.back().result = static_cast<std::int64_t>(bytes);
  }
  void writes(BodyIndex tensor) { body_.nodes.back().tensor = tensor; }
  void changes(BodyIndex tensor) {
    writes(tensor);
    body_.nodes.back().reads_deps = false;
    reads(tensor);
  }
  void reads_no_deps() { body_.nodes.back().reads_deps = false; }
  void reads(BodyIndex node) {
    if (const BodyIndex tensor = tensor_of(node); tensor != no_node)
      body_.reads.emplace_back(static_cast<BodyIndex>(body_.nodes.size() - 1), tensor);
  }
  // Returns the tensor that a node writes, or a tensor itself.
  [[nodiscard]] BodyIndex tensor_of(BodyIndex node) const {
    return node < 0 ? node : body_.nodes[static_cast<std::size_t>(node)].tensor;
  }
  // A computation of the host, beside those of the NPU.
  BodyIndex compute_on_host(std::string_view name, double operations, double bytes, BodyIndex after);
  // Move bytes from, or to, memory that is not the NPU's; each way in order.
  BodyIndex load(std::string_view name, std::int64_t bytes, BodyIndex after);
  BodyIndex store(std::string_view name, std::int64_t bytes, BodyIndex after);
  // Lets the next computation wait for these too.
  void await(const std::vector<BodyIndex>& nodes) { awaited_.insert(awaited_.end(), nodes.begin(), nodes.end()); }

  [[nodiscard]] BodyIndex last_computation() const { return last_computation_; }
  [[nodiscard]] bool has(GroupKind kind) const { return groups_.has(kind, stage_); }
  [[nodiscard]] StageBody& body() { return body_; }

 private:
  void gives_result_of(Collective op, std::int64_t bytes, GroupKind kind, BodyIndex after);
  BodyNode& add(NodeType type, std::string_view name, std::vector<BodyIndex> after);
  void chain(BodyNode& node, BodyIndex before);

  const PlanGroups& groups_;
  std::int64_t stage_;
  StageBody body_;
  std::vector<BodyIndex> awaited_;
  BodyIndex last_computation_ = no_node, last_load_ = no_node, last_store_ = no_node;
  std::array<BodyIndex, group_kind_names.size()> last_call_{};
};

}  // namespace convert
