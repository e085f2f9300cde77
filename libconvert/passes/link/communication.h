// SPDX-License-Identifier: MIT
// Derives the facts of a collective, send or receive of a PyTorch program from the host trace and from the
// profiler's events of the call and of its kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/process_group.h"
#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/comm_names.h"

namespace convert {

enum class CommKind : std::uint8_t {
  none,
  collective,
  send,
  recv,
  group,  // "coalesced": the sends and receives called before it
};

// Known facts of a communication; -1 and empty: unknown. Views point into texts of host trace and profile.
struct CommFacts {
  CommKind kind = CommKind::none;
  Collective type = Collective::all_reduce;
  std::int64_t in_bytes = -1;  // of this rank's input
  std::int64_t out_bytes = -1;
  std::int64_t group_size = -1;
  std::int64_t own = -1;        // for a message: this rank's rank in the group
  std::int64_t peer = -1;       // rank in the group
  std::int64_t peer_rank = -1;  // global rank, if it is recorded instead
  std::string_view group;
  std::string_view group_description;
  std::string_view group_ranks;  // "[0, 1]"
  std::string_view group_hint;   // text that an operator gives for its group: a name, a description, or neither
  std::string_view dtype;
  std::string_view in_splits;  // "[2, 2]", in elements of the first dimension
  std::string_view out_splits;
  bool on_host = false;    // the backend has no kernels: gloo, mpi
  bool any_group = false;  // from an operator or a kernel, which state no process group, unlike calls of PyTorch

  static const std::array<std::string_view CommFacts::*, 7> texts;  // the members above that are texts

  // Copies facts that are unknown here from `other`.
  void complete(const CommFacts& other);
};

// Returns whether an operator is a communication call: record_param_comms, or one such as nccl:all_reduce.
[[nodiscard]] bool is_comm_call(std::string_view name);
// Returns kind and type of an operation such as "allreduce_" or "all_gather".
[[nodiscard]] CommFacts comm_of_name(std::string_view operation);
// Returns the facts of a call. `node`: in the host trace, or null; `event`: in the profile, or null.
[[nodiscard]] CommFacts comm_of_call(const Trace& host, const Node* node, const Profile* device,
                                     const Profile::CpuOp* event);

// Returns whether a kernel communicates, by its name (`named`), its category, or args that name a collective.
[[nodiscard]] bool is_comm_kernel(const Profile& device, const Profile::DeviceOp& kernel, const NamedKernel& named);
[[nodiscard]] CommFacts comm_of_kernel(const Profile& device, const Profile::DeviceOp& kernel,
                                       const NamedKernel& named);
// Returns the facts of an operator that names a collective (see named_operator), such as vllm::all_reduce. The size
// is taken from its first tensor, and group_hint from the first of its texts that is not a reduction. `node`,
// `event`: as for comm_of_call.
[[nodiscard]] CommFacts comm_of_operator(Collective type, const Trace& host, const Node* node,
                                         const Profile* device, const Profile::CpuOp* event);

// Returns comm_size in bytes: each rank's whole input; for all-gather and gather its shard; for scatter its output,
// as only the root has an input; for a barrier 0. Returns nullopt if it is unknown.
[[nodiscard]] std::optional<std::int64_t> comm_size(const CommFacts& facts);

// Returns the sum of the bytes of all tensors in a text such as [[12, 13, 0, 4096, 4, 'cuda:0']]; -1 beyond int64.
[[nodiscard]] std::int64_t tensor_bytes(std::string_view values);
// Returns the integers of a text such as "[2, 2]", or nullopt if it contains anything else.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integer_list(std::string_view text);

// Ranks of a group as listed by a profiler, which may truncate a long list ("[0, 1, ..., 63]", "[0, 1, ...]").
struct ListedRanks {
  std::vector<std::uint32_t> ranks{};  // of the group in its order, from the first on
  bool all = false;  // the list is complete; a truncated list is completed if there is only one possibility
};
// Returns the ranks of such a text; none if it contains anything else. `size`: of the group; 0: unknown.
[[nodiscard]] ListedRanks listed_ranks(std::string_view text, std::uint32_t size);

// Groups that a rank communicates in: their ids (of the groups file and pg_name) and their ranks.
class GroupTable {
 public:
  // Starts with the groups that the traces define (`known`).
  explicit GroupTable(const std::vector<ProcessGroup>& known);
  struct Group {
    std::int64_t id = 0;
    std::string name{};
    std::string description{};
    std::vector<std::uint32_t> ranks{};        // empty: unknown, or all ranks
    std::vector<std::uint32_t> first_ranks{};  // of a truncated list
    std::uint32_t size = 0;
  };
  // Returns the group of these facts, added if it is new ("": all ranks). The reference is valid until the next
  // call.
  const Group& of(const CommFacts& facts);
  // Returns the name of the known group that a group_hint of `rank` denotes: by its name, or by the description of
  // one of the rank's groups. vLLM appends a number to it ("tp:0"). Returns nullopt if there is no such group, or
  // several.
  [[nodiscard]] std::optional<std::string> meant(std::string_view hint, std::uint32_t rank) const;
  // Returns whether groups are known, and each has `world` ranks.
  [[nodiscard]] bool all_of_size(std::uint32_t world) const;
  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }

 private:
  Group& get(std::string_view name);
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> index_;  // by name
};

}  // namespace convert
