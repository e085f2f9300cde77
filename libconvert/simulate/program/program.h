// SPDX-License-Identifier: MIT
// All ranks compiled for replay. Flat tables without text describe the nodes (about 37 bytes per node), once for
// all ranks with equal code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/collective_rules.h"
#include "config/groups.h"
#include "config/memory.h"
#include "config/network/network.h"
#include "config/system.h"
#include "core/algorithm/chunk_bytes.h"
#include "core/diagnostic.h"
#include "core/trace.h"
#include "core/units.h"
#include "feeder/feeder.h"
#include "simulate/astra/gaps.h"
#include "simulate/astra/rules.h"
#include "simulate/engine/channel.h"
#include "simulate/networks/network.h"
#include "simulate/program/omissions.h"
#include "simulate/program/op.h"
#include "simulate/system/plan.h"
#include "util/rank_arrays.h"

namespace convert {

struct CompiledRank;
struct LikeRank;
struct RankChanges;
struct RankModel;

// Issue policy of nodes.
// - algorithm: for a single collective algorithm; every free node is issued at once.
// - workload: for an NPU's own program; one CPU slot, one compute slot and one communication slot per NPU.
// - unlimited: for an NPU's own program without limits; every free node is issued at once.
enum class IssueMode : std::uint8_t { algorithm, workload, unlimited };
[[nodiscard]] std::string_view name(IssueMode mode);
// Returns algorithm if metadata has `collective` or a node tb_id, unlimited if one has dep_rules, else workload.
[[nodiscard]] IssueMode default_issue_mode(const Trace& trace);

// Algorithm of the collectives selected by `which`; without a type, only of listed_collectives.
struct SystemRule {
  CollectiveSelection which{};
  CollectiveChoice choice{};
  std::string text{};  // for messages
};

// Choices for a system in addition to its files.
struct SystemChoices {
  std::vector<SystemRule> rules{};  // precede the system's choices; the first match counts
  std::uint32_t queues_per_dim = 1;
  double injection_scale = 1;               // factor of an endpoint delay in the system file
  WirePolicy policy = WirePolicy::arrival;  // not with ASTRA-sim's rules
  bool balanced = false;  // not with ASTRA-sim's rules; each chunk takes the dimensions in its own order
  bool rendezvous = false;
};

// Behaviour of NPUs other than sending and receiving: collective engine, remote memory, process groups.
struct ReplaySystem : SystemChoices {
  SystemConfig config{};
  MemoryConfig memory{};
  std::vector<CommGroup> groups{};
  std::string groups_file{};                               // file that defines them
  std::map<std::uint64_t, std::string> per_node_custom{};  // node id → prefix of an algorithm's traces
};

// Work that takes no time: collectives that match one of the selections, and with `compute` computing nodes.
struct FreeWork {
  struct Calls {
    CollectiveSelection which{};
    std::string text{};  // for messages
  };
  std::vector<Calls> calls{};
  bool compute = false;
};

// Nodes that use the trace's times, independent of the system. Their sends, receives and collectives are not
// matched.
enum class Recorded : std::uint8_t { nothing, communication, everything };

// Target of an explanation: the start of a node, or the end of the replay.
struct ExplainTarget {
  bool end = false;
  Rank rank = 0;
  NodeId node = 0;
};

// Results about local memory: none, its peaks, or also the data for its use over time.
enum class MemoryTracking : std::uint8_t { off, peaks, trace };

struct ReplayOptions {
  NetworkOptions network{};
  IssueMode issue = IssueMode::algorithm;
  std::optional<std::int64_t> size_bytes;  // of a collective, for nodes with chunk counts but no comm_size
  std::optional<Picoseconds> until;        // stop before the first event after this time
  bool timeline = false;
  bool traffic = false;  // find the traffic of each pair of NPUs
  MemoryTracking memory = MemoryTracking::off;
  std::optional<ExplainTarget> explain{};  // the replay then stops at the start of the node
  std::map<Rank, double> slow{};           // stragglers: factor of the times of computing nodes
  FreeWork free{};
  Recorded recorded = Recorded::nothing;  // everything: by RecordedReplay only
  double comm_scale = 1;                  // factor of recorded times of communication
  bool astra = false;                     // by ASTRA-sim's rules; see Rules
  bool astra_names = false;               // messages use ASTRA-sim's names of options
  bool symmetry = true;  // simulate one of equivalent ranks, if this provably gives the same result
  // With symmetry: for up to this number of ranks, equivalence is exact. For more ranks, shards that differ by a
  // byte count as equal; see ReplayResult::error_bound_ps.
  std::uint32_t exact_up_to = 64;
  // Run rings whose messages meet no others as wholes, and closed phases of representatives (see ClosedPhase) at
  // once, if the results are the same.
  bool whole_rings = true;
  // Above this number of NPUs, collectives of equal groups are listed once, unless there is a timeline.
  std::uint32_t list_all_up_to = 128;
  // Above this number of NPUs, the timeline may contain only representatives; see ReplayResult::equivalence. The
  // causal chain of the end, traffic and link use are then found for representatives and expanded to all ranks.
  std::uint32_t most_npus_alone = UINT32_MAX;
  std::shared_ptr<const ReplaySystem> system{};  // null: a default for the network
};

// Algorithm for collectives of one size: the code of each place (index in its group); peers are places.
struct CustomAlgorithm {
  std::string source{};  // its file or the prefix of its traces, as given
  bool parts = false;    // no source, but an all-to-all with unequal shards: all messages at once
  std::vector<std::shared_ptr<const RankCode>> places{};  // resolved: for one group, null for ranks that do not run
  std::vector<std::int64_t> tags{};                       // by message; resolved: empty
  std::vector<Rank> ranks{};                              // see ReplayBuilder::add_custom(); resolved: empty
};

// Data common to all ranks.
struct CommonProgram {
  ReplayOptions options{};
  Rules rules{false};
  NetworkConfig network{};
  SystemModel model{};
  std::vector<SystemGroup> groups{};  // the first group is all ranks
  std::vector<CollectivePlan> plans{};
  std::vector<CustomAlgorithm> customs{};
  AstraGaps gaps{};                  // by ASTRA-sim's rules: gaps that are known before the replay
  std::vector<std::string> notes{};  // deviations from the requested run
  Omissions omitted{};
};

struct RankProgram {
  std::shared_ptr<const RankCode> code{};  // shared by all ranks with equal code
  std::vector<Rank> peers{};               // by message
  std::vector<std::int64_t> tags{};        // by message; empty: the tags of the code
  std::vector<std::uint32_t> plans{};      // by call
  [[nodiscard]] std::int64_t tag(std::uint32_t message) const {
    return tags.empty() ? code->tags[message] : tags[message];
  }
};

// Returns the time that the programs (collective algorithms) of each rank take to start on a machine; 0 without
// one.
[[nodiscard]] Picoseconds program_launch(const CommonProgram& program);

// All ranks; equal codes are shared.
struct ReplayProgram : CommonProgram {
  std::vector<RankProgram> ranks{};
  // Returns whether sends follow a schedule of this network, with a sequence number on each link.
  [[nodiscard]] bool has_turns() const;
};

// Channel state and peer of a message of a rank.
struct LinkedMessage {
  std::uint32_t place = 0;  // position of the state of its channel; see LinkedProgram::places
  Rank peer = 0;
};

struct LinkedRankProgram {
  std::shared_ptr<const RankCode> code{};  // shared by equal ranks; null: represented by another rank
  std::uint64_t first_op = 0;              // number of its node 0 among the nodes of all ranks
  std::shared_ptr<const std::vector<std::uint32_t>> plans{};  // by call; shared by ranks with equal plans
  std::shared_ptr<const std::vector<ScheduledWay>> way_of{};  // by node; null: no send has a route
};

// Program for the simulator: the peers, channels and plans of each rank are resolved. See link().
struct LinkedProgram : CommonProgram {
  std::vector<LinkedRankProgram> ranks{};
  RankArrays<LinkedMessage> messages{};  // by rank and message
  std::uint64_t ops = 0;                 // number of nodes of all ranks
  ChannelKeys channels{};
  static constexpr std::uint32_t channel_bytes = 8;  // Channels::Fixed
  Stretches<64 / channel_bytes> places{};            // by channel: position of its state, in lines of 64 bytes
  std::vector<LinkTurn> turns{};                     // sequence numbers on links, for sends that follow a schedule

  // Returns the number of nodes by rank.
  [[nodiscard]] std::vector<std::size_t> nodes_by_rank() const;
  struct Place {
    Rank rank;
    std::uint32_t node;
  };
  // Returns rank and node of number `op` among the nodes of all ranks.
  [[nodiscard]] Place place(std::uint64_t op) const;
  // Returns a node with its channel and peer, or with the number of its plan instead of its call.
  [[nodiscard]] Op op(Place p) const {
    const LinkedRankProgram& rank = ranks[p.rank];
    Op op = rank.code->ops[p.node];
    if (op.type == OpType::collective) op.channel = (*rank.plans)[op.channel];
    if (op.type != OpType::send && op.type != OpType::recv) return op;
    const LinkedMessage& message = messages[p.rank][op.channel];
    op.channel = places.element(message.place);
    op.peer = message.peer;
    return op;
  }
};

// Compiles ranks one after the other, so that only one trace is in memory.
class ReplayBuilder {
 public:
  ReplayBuilder(NetworkConfig network, const ReplayOptions& options, Diagnostics& diagnostics);
  ~ReplayBuilder();
  ReplayBuilder(const ReplayBuilder&) = delete;
  ReplayBuilder& operator=(const ReplayBuilder&) = delete;

  // Adds a place of the algorithm that the system's configuration calls `prefix`: in order from 0, before any
  // add(). `runs` contains the chunks of its messages, so that remaining bytes are distributed over the chunks as
  // in et-merge; without it, message sizes are rounded down. `relays` are the places that only relay data. `ranks`
  // contains by place the NPUs on whose links its messages have routes and sequence numbers; empty: NPU numbers
  // equal places.
  void add_custom(const std::string& prefix, const Trace& trace, const ChunkRunsOf& runs = {},
                  const std::vector<std::int32_t>& relays = {}, std::span<const Rank> ranks = {});
  // Source of the algorithms that rules call "built:…".
  struct Library {
    // Makes one for a call, with `ranks` by place, by calling add_custom() for each place. Throws Error.
    std::function<void(const std::string& name, const CollectiveCall& call, std::span<const Rank> ranks)> make{};
    // Returns the size class of a collective. The algorithm is made for the largest size of the class, and for each
    // group separately. Nothing: one algorithm serves all sizes, and all groups of equal size.
    std::function<std::optional<std::uint32_t>(const std::string& name, std::int64_t bytes)> size_class{};
  };
  // Sets the source of these algorithms. Call it before finish() if rules name such algorithms.
  void set_library(Library library);
  // Adds the next rank, from 0; reports nodes that cannot be replayed. Throws Error(usage) if --size is needed.
  void add(const Trace& trace);
  // Difference between a rank and another rank with equal structure.
  struct Likeness {
    std::function<std::uint64_t(Rank)> peer;  // maps the other rank's peer
    std::function<std::optional<std::string>(const std::string& group)>
        group;       // maps the name of the other rank's group; nothing: unknown
    Rank ranks = 0;  // number of ranks of the set
  };
  // Adds the next rank as a copy of rank `like`, which was added before, except for its peers and groups. Returns
  // false, and adds nothing, if this is not possible; then call add() with its trace.
  bool add_like(Rank like, const Likeness& how);
  // Returns the common data of ranks with the structure of the last added rank; null if other ranks cannot share
  // it.
  [[nodiscard]] std::shared_ptr<const RankModel> model_of_last() const;
  // Returns a rank that differs from a model by these changes; nothing if the changes do not suffice, or the rank
  // has errors. Thread-safe, also while ranks are added.
  [[nodiscard]] std::optional<LikeRank> like(const std::shared_ptr<const RankModel>& model,
                                             const RankChanges& changes) const;
  // Adds this rank as the next one.
  void add(LikeRank&& rank);
  // Compiles a rank for add(), as far as this is independent of previous ranks; null if it has errors. Thread-safe,
  // also while ranks are added.
  [[nodiscard]] std::shared_ptr<CompiledRank> prepare(const Trace& trace) const;
  // Adds the next rank, compiled by prepare().
  void add(const Trace& trace, CompiledRank& prepared);
  // Returns the program, or nothing if errors were reported. Call it once. Throws Error, also if there are no
  // ranks.
  [[nodiscard]] std::optional<ReplayProgram> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
