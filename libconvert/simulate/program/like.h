// SPDX-License-Identifier: MIT
// Common data of ranks with equal structure, and the differences of one such rank.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "simulate/program/omissions.h"
#include "simulate/program/op.h"

namespace convert {

// Common data of ranks equal to a compiled rank. Stays valid while ranks are added.
struct RankModel {
  // A node that sends, receives or calls a collective.
  struct Item {
    std::uint32_t index;   // in the trace
    std::uint32_t number;  // of its message or call
    OpType type;
    bool names_own;  // a message that declares its own rank
  };
  struct Call {
    std::uint32_t number;  // of the rank's call, among the calls of all ranks
    std::uint32_t group;
    std::uint32_t first;  // first node of the code with this call, by index
    std::uint64_t nodes;  // number of nodes with this call
  };
  std::shared_ptr<const RankCode> code{};
  std::vector<Item> items{};  // by index
  std::vector<Call> calls{};
  std::vector<std::uint32_t> call_order{};   // of calls, in the order of their first nodes
  std::vector<std::uint32_t> message_ops{};  // nodes of the code
  std::vector<Rank> peers{};                 // by message
  std::vector<std::int64_t> tags{};          // by message
  Omissions omitted{};
};

// A rank with the code of a model.
struct LikeRank {
  std::shared_ptr<const RankModel> model{};
  Rank rank = 0;
  std::string name{};
  std::vector<Rank> peers{};
  std::vector<std::int64_t> tags{};     // empty: the tags of the code
  std::vector<std::uint32_t> groups{};  // by call
  std::vector<Location> first{};        // by call of another group: its first location
  struct {
    std::int64_t peer = -1;
    Location where{};
  } highest{};  // highest of its peers
};

}  // namespace convert
