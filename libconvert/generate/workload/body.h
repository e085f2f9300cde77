// SPDX-License-Identifier: MIT
// Common nodes of the ranks of a pipeline stage: everything except the ids of their groups and the ranks of their
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

// Peer of a message. The last four values refer to replicas that decode after, or prefill for, another replica: at
// the same stage, or from the last stage of one to the first stage of the other.
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

using BodyIndex = std::int32_t;  // index of a node; no_node: none
inline constexpr BodyIndex no_node = -1;

// Returns a size for sums that may be fractional, such as a fraction of the operations of attention.
[[nodiscard]] constexpr double real(std::int64_t n) { return static_cast<double>(n); }

// Tensors that a rank holds throughout a step: read and updated in place.
inline constexpr BodyIndex parameters_tensor = -2, gradients_tensor = -3, optimizer_tensor = -4;

struct BodyNode {
  NodeType type = NodeType::comp;
  Collective op = Collective::all_reduce;  // of a collective
  GroupKind group = GroupKind::world;      // of a collective
  Peer peer = Peer::next_stage;            // of a message
  std::uint32_t name = 0;                  // index in StageBody::names
  std::uint32_t first_dep = 0;             // index in StageBody::deps
  std::uint32_t deps = 0;                  // number of data dependencies
  bool matrix = false;                     // of a computation: matrix multiplication or attention
  bool host = false;                       // of a computation: runs on the host
  BodyIndex after = no_node;               // control dependency on the previous node of its chain
  std::int32_t tag = 0;                    // of a message
  std::int32_t uneven = no_node;           // index in StageBody::uneven
  std::int32_t replica = 0;                // of a message: offset of the peer in replicas
  std::int64_t size = 0;                   // tensor_size or comm_size, bytes
  std::int64_t operations = 0;             // of a computation
  BodyIndex tensor = no_node;  // tensor that it writes: its own, an earlier node's, or a constant from above
  bool reads_deps = true;      // reads the tensors of its data dependencies
  std::int64_t result = 0;     // bytes of its own tensor
};

// Work of a node for each row (copy of a token) that experts receive, or that a rank sends to them. Each member of
// an expert group sends the same number of rows to the experts of each place as the other members. For embeddings:
// work for each table and rank whose samples are looked up.
struct UnevenNode {
  std::uint32_t load = 0;  // index in StageBody::loads
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
  std::int64_t fixed_bytes = 0;  // independent of the rows
  bool sends_own = false;        // of a collective: sends own rows to all members, not the rows of all members back
};

struct StageBody {
  std::vector<BodyNode> nodes;
  std::vector<BodyIndex> deps;                         // ascending for each node
  std::vector<std::pair<BodyIndex, BodyIndex>> reads;  // node (ascending), and a tensor that it reads in addition
  std::vector<UnevenNode> uneven;
  std::vector<std::vector<std::int64_t>> loads;  // number of rows that a rank sends to the experts of each place
  TextSet names;
  std::int64_t parameters = 0;  // of a rank, without place_parameters
  std::vector<std::int64_t> place_parameters;
  std::int64_t optimizer_parameters = 0;  // parameters that a rank updates

  // Returns the number of parameters of the rank at a place.
  [[nodiscard]] std::int64_t parameters_at(std::int64_t place) const {
    return parameters + (place_parameters.empty() ? 0 : place_parameters.at(static_cast<std::size_t>(place)));
  }
  // Returns a node as it is on a rank whose experts have the given place in their group.
  [[nodiscard]] BodyNode node(std::size_t i, std::int64_t place) const;
  // Bytes that an uneven collective sends to each place, and receives from it.
  struct Splits {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
  };
  [[nodiscard]] Splits splits(const BodyNode& node, std::int64_t place) const;
};

// Adds nodes to a body. Computations form a chain, as on one stream; so do the collectives of each group, so that
// all members call them in the same order.
class BodyBuilder {
 public:
  using After = std::initializer_list<BodyIndex>;  // data dependencies; no_node is ignored

  BodyBuilder(const PlanGroups& groups, std::int64_t stage) : groups_(groups), stage_(stage) {
    last_call_.fill(no_node);
  }

  // Adds a computation. `operations` and `bytes` are truncated to integers.
  BodyIndex compute(std::string_view name, double operations, double bytes, After after) {
    return compute(name, operations, bytes, std::vector<BodyIndex>(after));
  }
  BodyIndex compute(std::string_view name, double operations, double bytes, std::vector<BodyIndex> after);
  // Adds a matrix multiplication or attention.
  BodyIndex multiply(std::string_view name, double operations, double bytes, std::vector<BodyIndex> after) {
    const BodyIndex i = compute(name, operations, bytes, std::move(after));
    body_.nodes.back().matrix = true;
    return i;
  }
  // Adds a collective of `bytes` (comm_size). Returns `after` if the stage has no such groups.
  BodyIndex collective(Collective op, std::int64_t bytes, GroupKind kind, BodyIndex after,
                       std::string_view name = {});
  void send(Peer to, std::int64_t bytes, std::int64_t tag, After after, std::int64_t replica = 0);
  BodyIndex receive(Peer from, std::int64_t bytes, std::int64_t tag, std::int64_t replica = 0);
  // Makes the last added node depend on the rows of its experts.
  void follow(const UnevenNode& rows) {
    body_.nodes.back().uneven = static_cast<std::int32_t>(body_.uneven.size());
    body_.uneven.push_back(rows);
  }
  // Set the output of the last added node: `bytes` of its own, another tensor, or another tensor that it changes
  // without reading its data dependencies; and tensors that it reads in addition.
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
  // Returns the tensor that a node writes; a tensor is returned unchanged.
  [[nodiscard]] BodyIndex tensor_of(BodyIndex node) const {
    return node < 0 ? node : body_.nodes[static_cast<std::size_t>(node)].tensor;
  }
  // Adds a computation on the host, concurrent with the NPU's computations.
  BodyIndex compute_on_host(std::string_view name, double operations, double bytes, BodyIndex after);
  // Move bytes from, or to, memory outside the NPU; in order for each direction.
  BodyIndex load(std::string_view name, std::int64_t bytes, BodyIndex after);
  BodyIndex store(std::string_view name, std::int64_t bytes, BodyIndex after);
  // Makes the next computation also wait for these nodes.
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
