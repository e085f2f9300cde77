// SPDX-License-Identifier: MIT
// Says what ranks have in common with one that was compiled, and what a rank that does the same has of its own.
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

// Holds of a rank what others that do the same are made of; it stays valid while ranks are added.
struct RankModel {
  // A node that sends, receives or calls a collective.
  struct Item {
    std::uint32_t index;   // in the trace
    std::uint32_t number;  // of its message or call
    OpType type;
    bool names_own;  // a message that says whose it is
  };
  struct Call {
    std::uint32_t number;  // of the call of this rank, among all ranks'
    std::uint32_t group;
    std::uint32_t first;  // node of the code that makes it first, by index
    std::uint64_t nodes;  // that make it
  };
  std::shared_ptr<const RankCode> code{};
  std::vector<Item> items{};  // by index
  std::vector<Call> calls{};
  std::vector<std::uint32_t> call_order{};   // of calls, as their first nodes stand
  std::vector<std::uint32_t> message_ops{};  // nodes of the code
  std::vector<Rank> peers{};                 // by message
  std::vector<std::int64_t> tags{};          // by message
  Omissions omitted{};
};

// Holds a rank that does what the one of a model does.
struct LikeRank {
  std::shared_ptr<const RankModel> model{};
  Rank rank = 0;
  std::string name{};
  std::vector<Rank> peers{};
  std::vector<std::int64_t> tags{};     // empty: those of the code
  std::vector<std::uint32_t> groups{};  // by call
  std::vector<Location> first{};        // of each call that another group makes
  struct {
    std::int64_t peer = -1;
    Location where{};
  } highest{};  // of its peers
};

}  // namespace convert
