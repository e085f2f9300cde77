// SPDX-License-Identifier: MIT
// All ranks compiled for replay: what each node does, in flat tables without text (about 45 bytes a node).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/network.h"
#include "core/diagnostic.h"
#include "core/trace.h"
#include "core/units.h"
#include "feeder/feeder.h"
#include "simulate/network.h"

namespace convert {

// algorithm: a collective algorithm by itself; every free node is issued at once.
// workload: an NPU's own program; one CPU slot, one compute slot and one communication slot per NPU.
enum class IssueMode : std::uint8_t { algorithm, workload };
[[nodiscard]] std::string_view name(IssueMode mode);
// algorithm if the metadata has `collective` or a node carries tb_id, else workload.
[[nodiscard]] IssueMode default_issue_mode(const Trace& trace);

struct ReplayOptions {
  NetworkModel model = NetworkModel::unaware;
  IssueMode issue = IssueMode::algorithm;
  std::optional<std::int64_t>
      size_bytes;                    // of the whole collective, for nodes that say their chunks but no comm_size
  std::optional<Picoseconds> until;  // stop before the first event after this time
  bool timeline = false;
};

enum class OpType : std::uint8_t { invalid, compute, memory, send, recv };

// The resource of an NPU that a node occupies; any number of receives may wait.
enum class Slot : std::uint8_t { cpu, compute, communication, recv };

struct Op {
  std::int64_t value = 0;     // compute, memory: duration in ps; send, recv: bytes
  std::uint32_t channel = 0;  // send, recv: messages match in order within a channel
  Rank peer = 0;              // send: to; recv: from
  Rank rank = 0;
  OpType type = OpType::invalid;
  Slot slot = Slot::communication;
};

// One tuple (tag, source, destination, bytes).
struct Channel {
  std::uint32_t op = 0;  // some send or receive of it
  std::int32_t tag = 0;
};

struct RankProgram {
  Feeder feeder;
  std::uint32_t first_op = 0;  // op of the feeder's node 0
  std::vector<NodeId> ids;     // by node; empty if they are 0, 1, 2, …
  std::string names;           // kept for a timeline only
  std::vector<std::uint32_t> name_ends;

  [[nodiscard]] NodeId id(std::uint32_t node) const { return ids.empty() ? node : ids[node]; }
  [[nodiscard]] std::string_view node_name(std::uint32_t node) const;
};

struct ReplayProgram {
  ReplayOptions options;
  NetworkConfig network;
  std::vector<RankProgram> ranks;
  std::vector<Op> ops;  // rank by rank, in ascending order of id
  std::vector<Channel> channels;
};

// Compiles rank after rank, so that only one trace need be in memory.
class ReplayBuilder {
 public:
  ReplayBuilder(NetworkConfig network, const ReplayOptions& options, Diagnostics& diagnostics);
  ~ReplayBuilder();
  ReplayBuilder(const ReplayBuilder&) = delete;
  ReplayBuilder& operator=(const ReplayBuilder&) = delete;

  // Ranks in order from 0. Reports what cannot be replayed. Throws Error(usage) if --size is needed.
  void add(const Trace& trace);
  // Nothing if add() or finish() had errors to report.
  [[nodiscard]] std::optional<ReplayProgram> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
