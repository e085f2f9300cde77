// SPDX-License-Identifier: MIT
// Holds all ranks compiled for replay: flat tables without text say what each node does (about 37 bytes a node),
// once for all ranks that do the same.
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

// Says which nodes are issued together.
// algorithm: for a collective algorithm by itself; every free node is issued at once.
// workload: for an NPU's own program; one CPU slot, one compute slot and one communication slot per NPU.
// unlimited: the same without limits; every free node is issued at once.
enum class IssueMode : std::uint8_t { algorithm, workload, unlimited };
[[nodiscard]] std::string_view name(IssueMode mode);
// Returns algorithm if metadata has `collective` or a node tb_id, unlimited if one has dep_rules, else workload.
[[nodiscard]] IssueMode default_issue_mode(const Trace& trace);

// Says which algorithm the collectives of `which` run; without a type that is only those of listed_collectives.
struct SystemRule {
  CollectiveSelection which{};
  CollectiveChoice choice{};
  std::string text{};  // for messages
};

// Holds what is chosen of a system beside its files.
struct SystemChoices {
  std::vector<SystemRule> rules{};  // before what the system says; the first that fits counts
  std::uint32_t queues_per_dim = 1;
  double injection_scale = 1;               // of an endpoint delay that the system file states
  WirePolicy policy = WirePolicy::arrival;  // not with ASTRA-sim's rules
  bool balanced = false;                    // likewise; each chunk takes the dimensions in its own order
  bool rendezvous = false;
};

// Describes what NPUs do besides sending and receiving: the system layer, remote memory, process groups.
struct ReplaySystem : SystemChoices {
  SystemConfig config{};
  MemoryConfig memory{};
  std::vector<CommGroup> groups{};
  std::string groups_file{};                               // that names them
  std::map<std::uint64_t, std::string> per_node_custom{};  // node id → prefix of an algorithm's traces
};

// Says what takes no time: collectives that fit one of the selections, and with `compute` nodes that compute.
struct FreeWork {
  struct Calls {
    CollectiveSelection which{};
    std::string text{};  // for messages
  };
  std::vector<Calls> calls{};
  bool compute = false;
};

// Says what takes the trace's times, whatever the system says: sends, receives and collectives then match nothing.
enum class Recorded : std::uint8_t { nothing, communication, everything };

// Says what to explain: the start of a node, or the end of the replay.
struct ExplainTarget {
  bool end = false;
  Rank rank = 0;
  NodeId node = 0;
};

// Says what is found of local memory: nothing, its peaks, or also what it takes to write its use over time.
enum class MemoryTracking : std::uint8_t { off, peaks, trace };

struct ReplayOptions {
  NetworkOptions network{};
  IssueMode issue = IssueMode::algorithm;
  std::optional<std::int64_t> size_bytes;  // of a collective, for nodes that say their chunks but no comm_size
  std::optional<Picoseconds> until;        // stop before the first event after this time
  bool timeline = false;
  bool traffic = false;  // find what each NPU sends each other one
  MemoryTracking memory = MemoryTracking::off;
  std::optional<ExplainTarget> explain{};  // the replay then stops where the node starts
  std::map<Rank, double> slow{};           // stragglers: factor of the times of nodes that compute
  FreeWork free{};
  Recorded recorded = Recorded::nothing;  // everything: by RecordedReplay only
  bool astra = false;                     // by ASTRA-sim's rules; see Rules
  bool astra_names = false;               // messages call options as ASTRA-sim does
  bool symmetry = true;  // simulate one of equivalent ranks, where that is proved to give the same result
  // With symmetry: of up to so many ranks only where it is exact; of more, parts that differ by a byte count as
  // equal, see ReplayResult::error_bound_ps.
  std::uint32_t exact_up_to = 64;
  // Rings whose messages meet no others are run as wholes, and closed phases of representatives (see ClosedPhase)
  // at once, where that leads to the same.
  bool whole_rings = true;
  // Above so many NPUs collectives of groups that do the same are listed once, unless there is a timeline.
  std::uint32_t list_all_up_to = 128;
  // Above so many NPUs the timeline may have representatives alone, see ReplayResult::equivalence.
  // The chain of causes of the end, traffic and the use of wires are then found of them, and told of all.
  std::uint32_t most_npus_alone = UINT32_MAX;
  std::shared_ptr<const ReplaySystem> system{};  // null: what fits the network
};

// Holds an algorithm for collectives of one size: what each place does; peers are places.
struct CustomAlgorithm {
  std::string source{};  // its file or the prefix of its traces, as given
  bool parts = false;    // no source, but an all-to-all whose parts differ in size: all messages at once
  std::vector<std::shared_ptr<const RankCode>> places{};  // linked: for one group, null where no rank runs
  std::vector<std::int64_t> tags{};                       // by message; linked: none
  std::vector<Rank> ranks{};                              // see ReplayBuilder::add_custom(); linked: none
};

// Holds what is the same for all ranks.
struct CommonProgram {
  ReplayOptions options{};
  Rules rules{false};
  NetworkConfig network{};
  SystemModel model{};
  std::vector<SystemGroup> groups{};  // the first is all ranks
  std::vector<CollectivePlan> plans{};
  std::vector<CustomAlgorithm> customs{};
  AstraGaps gaps{};                  // by ASTRA-sim's rules: those that are known before the replay
  std::vector<std::string> notes{};  // what runs otherwise than it was told to
  Omissions omitted{};
};

struct RankProgram {
  std::shared_ptr<const RankCode> code{};  // one for all ranks that do the same
  std::vector<Rank> peers{};               // by message
  std::vector<std::int64_t> tags{};        // by message; empty: those of the code
  std::vector<std::uint32_t> plans{};      // by call
  [[nodiscard]] std::int64_t tag(std::uint32_t message) const {
    return tags.empty() ? code->tags[message] : tags[message];
  }
};

// Holds all ranks, each code once.
struct ReplayProgram : CommonProgram {
  std::vector<RankProgram> ranks{};
  // Returns whether sends follow a schedule of this network, each with its turn on each link.
  [[nodiscard]] bool has_turns() const;
};

// Says where a message of a rank goes, or from where it comes.
struct LinkedMessage {
  std::uint32_t place = 0;  // of the state of its channel, see LinkedProgram::places
  Rank peer = 0;
};

struct LinkedRankProgram {
  std::shared_ptr<const RankCode> code{};  // one for all ranks that do the same; null: another rank stands for it
  std::uint64_t first_op = 0;              // number of its node 0 among the nodes of all ranks
  std::shared_ptr<const std::vector<std::uint32_t>> plans{};  // by call; one for ranks that share all
  std::shared_ptr<const std::vector<ScheduledWay>> way_of{};  // by node; null: no send has one
};

// Is what the simulator runs: it names the peers, channels and plans of each rank. See link().
struct LinkedProgram : CommonProgram {
  std::vector<LinkedRankProgram> ranks{};
  RankArrays<LinkedMessage> messages{};  // by rank and number there
  std::uint64_t ops = 0;                 // nodes of all ranks
  ChannelKeys channels{};
  static constexpr std::uint32_t channel_bytes = 8;  // Channels::Fixed
  Stretches<64 / channel_bytes> places{};            // by channel: the place of its state, in lines of 64 bytes
  std::vector<LinkTurn> turns{};                     // on links, of sends that follow a schedule

  struct Place {
    Rank rank;
    std::uint32_t node;
  };
  // Returns rank and node of number `op` among the nodes of all ranks.
  [[nodiscard]] Place place(std::uint64_t op) const;
  // Returns a node with its channel and peer, or the number of its plan in place of that of the call.
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

// Compiles rank after rank, so that only one trace has to be in memory.
class ReplayBuilder {
 public:
  ReplayBuilder(NetworkConfig network, const ReplayOptions& options, Diagnostics& diagnostics);
  ~ReplayBuilder();
  ReplayBuilder(const ReplayBuilder&) = delete;
  ReplayBuilder& operator=(const ReplayBuilder&) = delete;

  // Adds a place of the algorithm that the system's configuration calls `prefix`: in order from 0, before any
  // add(). `runs` says what its messages carry, so that a rest of bytes is spread over the chunks as et-merge does;
  // without it messages are rounded down. `relays` are the places that only pass on what others send. `ranks`: the
  // NPUs on whose links its messages have turns and ways, by place; empty: those of the places' numbers.
  void add_custom(const std::string& prefix, const Trace& trace, const ChunkRunsOf& runs = {},
                  const std::vector<std::int32_t>& relays = {}, std::span<const Rank> ranks = {});
  // Holds what makes the algorithms that rules call "built:…".
  struct Library {
    // Makes one for a call, with `ranks` by place, by a call of add_custom() for each place. Throws Error.
    std::function<void(const std::string& name, const CollectiveCall& call, std::span<const Rank> ranks)> make{};
    // Returns the class of a collective's size, whose largest one the algorithm is made for, for each group anew;
    // nothing: one algorithm is for all sizes, and all groups of as many ranks.
    std::function<std::optional<std::uint32_t>(const std::string& name, std::int64_t bytes)> size_class{};
  };
  // Sets what makes the algorithms of such rules; call it before finish() if there are any.
  void set_library(Library library);
  // Adds the next rank, from 0; reports what cannot be replayed. Throws Error(usage) if --size is needed.
  void add(const Trace& trace);
  // Says how a rank differs from one that does the same.
  struct Likeness {
    std::function<std::uint64_t(Rank)> peer;  // for that one's peer
    std::function<std::optional<std::string>(const std::string& group)>
        group;       // for its group's name; nothing: unknown
    Rank ranks = 0;  // of the set
  };
  // Adds the next rank, which does what rank `like` does, added before, but for its peers and groups. Returns
  // false, and adds nothing, where that takes more to know: add() then takes its trace.
  bool add_like(Rank like, const Likeness& how);
  // Returns what ranks that do the same as the one added last have in common with it; null if none may count so.
  [[nodiscard]] std::shared_ptr<const RankModel> model_of_last() const;
  // Returns a rank that differs by these changes from the one of a model; nothing where that takes more to know, or
  // something is wrong with it. Several threads may call it, while ranks are added too.
  [[nodiscard]] std::optional<LikeRank> like(const std::shared_ptr<const RankModel>& model,
                                             const RankChanges& changes) const;
  // Adds such a rank, the next one.
  void add(LikeRank&& rank);
  // Compiles a rank as far as that does not take those before it, for add(); null where something is wrong with it.
  // Several threads may call it, while ranks are added too.
  [[nodiscard]] std::shared_ptr<CompiledRank> prepare(const Trace& trace) const;
  // Adds the next rank, which was prepared.
  void add(const Trace& trace, CompiledRank& prepared);
  // Returns the program, or nothing if errors were reported. Call it once. Throws Error, also if there is no rank.
  [[nodiscard]] std::optional<ReplayProgram> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
