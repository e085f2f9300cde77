// SPDX-License-Identifier: MIT
// State of a ReplayBuilder while it compiles. program.cpp compiles nodes, collectives.cpp and uneven.cpp
// collectives and their algorithms, and checks.cpp checks the whole program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/index_table.h"
#include "core/master/rank_changes.h"
#include "graph/graph.h"
#include "simulate/program/compile.h"
#include "simulate/program/like.h"
#include "simulate/program/program.h"
#include "simulate/program/send_ways.h"
#include "simulate/system/default_system.h"

namespace convert {

// Algorithm as read from its traces, before it is mapped to a group. A place is an index in the group.
struct CustomSource {
  std::string prefix{};
  std::string collective{};                               // the collective it declares; empty: unknown
  std::vector<std::int32_t> relays{};                     // places that only relay data of others
  std::vector<Rank> ranks{};                              // see ReplayBuilder::add_custom()
  std::vector<std::shared_ptr<const RankCode>> places{};  // channel: index into messages
  struct Message {
    std::int64_t tag;
    std::int64_t chunks;  // without a size: number of the collective's `of_chunks` chunks; else 0
    std::int64_t of_chunks;
    Range runs{};  // in CustomSource::runs: its chunks; empty: unknown
    [[nodiscard]] std::optional<std::int64_t> bytes(std::int64_t of_collective,
                                                    std::span<const ChunkRun> all) const;
  };
  std::vector<Message> messages{};
  std::vector<ChunkRun> runs{};
  std::int64_t chunks = 0;  // of a collective, if messages have no sizes; else 0
  bool parts = false;       // an all-to-all with unequal shards, not a given algorithm
  std::set<Collective> used_for{};
  std::optional<std::int64_t> used_for_bytes{};  // the last size
  bool sizes_told = false;                       // a warning was reported that the sizes fit only one collective
};

// Fields of a message that are not in its Op.
struct CompiledMessage {
  std::int64_t tag = 0;
  std::int64_t chunks = 0;
  std::int64_t of_chunks = 0;
  bool names_own = false;
};

// A rank with compiled nodes. The calls of its collectives may still be unresolved.
struct CompiledRank {
  std::shared_ptr<RankCode> code{};
  std::vector<CompiledMessage> messages{};  // by index
  std::vector<std::uint32_t> call_order{};  // indices of collectives in the order of issue
  std::vector<std::pair<std::uint32_t, NodeCollective>> collectives{};  // unresolved collectives, by index
  NodeCompiler::Use use{};                                              // of its nodes, if unresolved
  bool foreign_order = false;                                           // it has a link order of another network
  std::string other_forwarding{};  // forwarding for which its link order was made
};
// Returns the nodes of a code by their indices in the trace.
[[nodiscard]] std::vector<std::uint32_t> nodes_by_index(const RankCode& code);

// Collective of one rank whose shards may be unequal: an all-to-all with unequal splits, an all-gather with
// NodeCollective::bytes_out, a gather or scatter.
struct UnevenCall {
  CollectiveCall call;
  std::string prefix{};  // of its custom algorithm
  Location where;
  NodeId node;
  std::int64_t bytes_out = -1;        // see NodeCollective
  std::vector<std::int64_t> sends{};  // all-to-all: bytes to each place of the group; empty: unknown
  std::vector<std::int64_t> receives{};
};

// Call of a group member, in a collective in which some member has unequal shards.
struct UnevenMember {
  Rank rank = 0;
  std::uint32_t node = 0;
  std::int64_t bytes = 0;
  std::uint32_t call = 0;            // number of the call
  const UnevenCall* told = nullptr;  // null: equal shards
};
using UnevenMembers = std::vector<std::optional<UnevenMember>>;  // by place

// Returns the file of another rank of a trace set for messages: " (w.3.et)" for the name "w.2.et" of rank 2; empty
// if the name contains no rank.
[[nodiscard]] std::string file_of_rank(std::string name, Rank rank, Rank other);

struct ReplayBuilder::State {
  State(NetworkConfig network, const ReplayOptions& o, Diagnostics& d)
      : diagnostics(d),
        program{{.options = o, .rules = Rules(o.astra), .network = std::move(network)}},
        compiler(program.options, program.rules, can_send_to_self(program.network, o.network.model), false, d),
        custom_compiler(program.options, program.rules, can_send_to_self(program.network, o.network.model), true,
                        d) {
    if (o.system == nullptr) {
      auto system = std::make_shared<ReplaySystem>();
      system->config = default_system(program.network);
      program.options.system = std::move(system);
    }
    prepare_groups();
  }

  void prepare_groups();
  void prepare_system();
  void plan_collectives();
  void add(const Trace& trace);
  using OnCollective = std::function<void(std::uint32_t index, const NodeCollective& c, Op& op)>;
  // Returns whether programs take other times than workloads, so that mark_programs() is needed.
  [[nodiscard]] bool times_programs() const {
    return program.options.network.model == NetworkModel::fair && program.options.recorded == Recorded::nothing;
  }
  CompiledRank compile(const Trace& trace, NodeCompiler& with, const OnCollective& on_collective,
                       std::span<const Rank> places = {}) const;
  [[nodiscard]] std::shared_ptr<CompiledRank> prepare(const Trace& trace) const;
  void add(const Trace& trace, CompiledRank& rank);
  void add_compiled(const Trace& trace, CompiledRank& rank);
  void compile_collective(const Trace& trace, std::uint32_t index, const NodeCollective& c, Op& op);
  std::optional<std::uint32_t> find_group(const Trace& trace, std::uint32_t index, std::string_view name);
  void note_uneven(UnevenCall call, Op& op);
  bool note_splits(const Trace& trace, std::uint32_t index, const CollectiveCall& call, Op& op);
  [[nodiscard]] bool is_free(const NodeCollective& c, NodeId node, std::string_view name);
  [[nodiscard]] const UnevenCall* uneven_of(std::uint32_t call) const;
  [[nodiscard]] const CollectiveCall& call_of(std::uint32_t call) const;
  [[nodiscard]] std::vector<std::uint32_t> order_of_calls(const Trace& trace, const Graph& graph,
                                                          const std::vector<Op>& by_index) const;
  void number_collectives(CompiledRank& rank) const;
  [[nodiscard]] CustomSource source_of_parts(const std::vector<std::vector<std::int64_t>>& sends);
  std::uint32_t add_uneven(const UnevenCall& first, const UnevenMembers& members);
  using NewCalls = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;  // by rank: node, call
  void join_splits(const UnevenMembers& members, NewCalls& changed);
  void join_parts(const UnevenMembers& members, NewCalls& changed);
  [[nodiscard]] bool parts_may_differ(const UnevenMembers& members) const;
  std::uint32_t add_parts(const UnevenMembers& members);
  std::uint32_t add_call(const UnevenCall& call);
  void change_calls(const NewCalls& changed);
  void gather_uneven();
  struct CallUse;
  std::uint32_t custom_for(CallUse& use);
  [[nodiscard]] bool goes_without(const CustomSource& source, std::int64_t bytes, CallUse& use);
  CustomSource* source_of(const CallUse& use, std::uint32_t members);
  CustomSource* builtin_of(const CallUse& use, std::uint32_t members);
  void check_use(CustomSource& source, const CallUse& use);
  std::uint32_t with_sizes(std::size_t source, std::int64_t bytes);
  // Return the number of the machine's nodes that have members of a group, and the plan of a call on the machine.
  std::uint32_t machine_nodes_of(std::uint32_t group);
  [[nodiscard]] CollectivePlan plan_on_machine(const CollectiveCall& call);
  void begin_rank(Rank rank, const std::string& name);
  [[nodiscard]] std::optional<std::uint32_t> group_number(std::string_view name) const;
  [[nodiscard]] bool is_member(std::uint32_t group, Rank rank) const;
  [[nodiscard]] bool self_allowed() const {
    return can_send_to_self(program.network, program.options.network.model);
  }
  class LikeMaker;
  [[nodiscard]] std::shared_ptr<const RankModel> model_of_last() const;
  [[nodiscard]] std::optional<LikeRank> like(const std::shared_ptr<const RankModel>& model,
                                             const RankChanges& changes) const;
  void add(LikeRank&& rank);
  bool add_like(Rank like, const Likeness& how);
  [[nodiscard]] bool can_be_like(Rank like);
  [[nodiscard]] bool others_may_be_like(Rank like) const;
  std::uint32_t call_in_group(std::uint32_t call, std::uint32_t group, const Location& where);
  std::optional<std::uint32_t> call_like(std::uint32_t call, const Likeness& how, Rank rank);
  std::uint32_t call_number(const CollectiveCall& call, const std::string& prefix);
  void number(RankCode& code, const std::vector<CompiledMessage>& messages, RankProgram& rank);
  std::shared_ptr<const RankCode> known_code(const std::shared_ptr<RankCode>& code);
  void check_network();
  void note_gaps();
  void note_gaps(const CollectiveCall& call);
  void note_nets();
  void check_peers();
  void warn_of_unused_options();
  void note_order(const Trace& trace, const CompiledRank& rank);
  void note_peers(const Trace& trace, const RankCode& code);
  void keep_names(const Trace& trace, RankCode& code) const;

  Diagnostics& diagnostics;
  ReplayProgram program;
  SendWayReader send_ways{program.network, program.options};
  bool foreign_order_noted = false;
  bool forwarding_noted = false;
  NodeCompiler compiler;
  NodeCompiler custom_compiler;
  std::string first_name;  // of rank 0, for messages
  std::string last_name;   // of the rank added last
  bool failed = false;
  std::vector<CustomSource> sources;
  Library library;
  // Key of a library algorithm: name, collective, places and root. The last two are the group and size class of an
  // algorithm that is made for each, else 0.
  using BuiltinKey =
      std::tuple<std::string, Collective, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<BuiltinKey, std::size_t> builtins;                                     // index into sources
  std::map<std::pair<std::size_t, std::int64_t>, std::uint32_t> customs;          // source, bytes → 1 + custom
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const RankCode>> codes;  // by hash
  std::unordered_map<std::int64_t, std::uint32_t> group_of;                       // by id
  struct Numbered {
    std::uint32_t rank;    // 1 + the last rank that calls it
    std::uint32_t number;  // among the rank's calls
  };
  std::vector<Numbered> numbered;  // by call
  // Results of adding a rank apart from its program, by rank.
  struct Added {
    Omissions omitted{};
    bool told = false;  // a warning or error was reported
  };
  std::vector<Added> added;
  std::vector<CompiledMessage> last_messages;  // of the last compiled rank, by index
  // A rank that represents ranks of equal structure.
  struct Model {
    bool fits = true;                            // no call depends on its rank or the name of its group
    std::vector<std::uint64_t> nodes_of_call{};  // by call of its code
  };
  std::unordered_map<Rank, Model> models;
  // A collective at its first call.
  struct CallUse {
    CollectiveCall call;
    std::string prefix{};  // of its custom algorithm
    Location where;
    NodeId node;
    std::uint64_t nodes = 0;  // number of nodes that call it
    std::size_t source = 0;   // 1 + index into sources, if its algorithm has no prefix
  };
  std::vector<CallUse> calls;
  // Number of nodes with too few bytes for an algorithm, by the algorithm's name and chunks.
  std::map<std::pair<std::string, std::int64_t>, std::uint64_t> too_small;
  std::vector<UnevenCall> uneven;
  std::map<std::vector<std::int64_t>, std::uint32_t> known_parts;  // 1 + index into SystemModel::parts
  IndexTable<> call_index;
  // Highest peer of a rank; whether it exists is checked at the end.
  struct HighestPeer {
    std::int64_t peer = -1;
    Location where;
    NodeId node = 0;
  };
  std::vector<HighestPeer> highest_peers;
  std::vector<bool> rules_used;                // of the system's rules; empty before the first collective
  std::vector<bool> free_used;                 // of ReplayOptions::free; empty before the first collective
  std::set<NodeId> nodes_used;                 // nodes that have their own algorithm
  std::vector<std::uint32_t> nodes_of_groups;  // see machine_nodes_of(); 0: not known yet
};

}  // namespace convert
