// SPDX-License-Identifier: MIT
// Why a replay stopped: which nodes wait for what, and the shortest circle among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulate/program.h"

namespace convert {

struct NodeRef {
  Rank rank = 0;
  NodeId node = 0;
  friend bool operator==(const NodeRef&, const NodeRef&) = default;
};

struct WaitingNode {
  enum class For : std::uint8_t {
    dependency,  // `on` has not ended
    send,        // a posted receive; the matching send `on` has not started
    nothing,     // a posted receive; no send of that tag, source, destination and size is left
  };
  NodeRef node;
  For what = For::dependency;
  NodeRef on{};
  Rank peer = 0;           // receives: the source
  std::int64_t tag = 0;    // receives
  std::int64_t bytes = 0;  // receives
  // For::nothing: a message of this other size from that source with that tag lies unreceived.
  std::optional<std::int64_t> other_bytes{};
};

struct UnmatchedSend {
  NodeRef node;
  Rank peer = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;
};

// Both lists by rank and, within a rank, receives before nodes with dependencies, each in ascending order; cut to
// `max_listed` entries, counted in full.
struct WaitReport {
  static constexpr std::size_t max_listed = 10'000;
  std::vector<WaitingNode> waiting;
  std::uint64_t waiting_total = 0;
  std::vector<NodeRef> cycle;  // each waits for the next, the last for the first; empty if there is none
  std::vector<UnmatchedSend> unmatched;
  std::uint64_t unmatched_total = 0;
};

// What a replay left behind whose events have run out.
struct ReplayRemains {
  const ReplayProgram& program;
  std::vector<std::uint32_t> unclaimed;  // by channel: messages that arrived and were never received
  std::vector<std::uint32_t> posted;     // ops: receives without a message, by channel and then in order of posting
};
[[nodiscard]] WaitReport report_waits(const ReplayRemains& remains);

// One line each: up to `max_lines` waiting nodes and unmatched sends (0: all), "… 480 more", the cycle.
[[nodiscard]] std::vector<std::string> describe(const WaitReport& report, std::size_t max_lines);

}  // namespace convert
