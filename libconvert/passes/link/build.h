// SPDX-License-Identifier: MIT
// Builds the nodes of a linked trace: names, times, attributes, estimates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/estimate/estimate.h"
#include "passes/link/communication.h"
#include "passes/link/link.h"
#include "passes/link/operators.h"
#include "passes/link/order/order.h"
#include "passes/link/report.h"

namespace convert {

class LinkedNodes {
 public:
  // Consumes `host`; keeps references to all other arguments.
  LinkedNodes(Trace host, const Profile* device, const Operators& operators, const Order& order, GroupTable& groups,
              const LinkOptions& options, LinkReport& report)
      : host_(std::move(host)),
        device_(device),
        operators_(operators),
        order_(order),
        groups_(groups),
        options_(options),
        report_(report) {
    add_shares();
  }
  LinkedNodes(const LinkedNodes&) = delete;
  LinkedNodes& operator=(const LinkedNodes&) = delete;

  void head(Trace& out);  // call once, first
  // Replaces out.nodes by up to `max_nodes` further nodes. Returns false, with no nodes, at the end. `out` must be
  // the same object each time: its tables hold the texts, inputs and outputs of the host trace.
  bool next(Trace& out, std::size_t max_nodes);

 private:
  __extension__ using Wide = unsigned __int128;
  // Divides the cost of an operator among its kernels, in proportion to their times.
  struct Share {
    Wide total_ns = 0;
    Wide given_ns = 0;
    OpCost cost;
    OpCost given;
    bool asked = false;
    bool known = false;
  };

  void add_metadata(AttrTable& table) const;
  void begin_tables();
  void add_shares();
  void add_node(std::uint32_t index);
  void add_host(const OrderedNode& n);
  void add_event(const OrderedNode& n);
  void add_delay(const OrderedNode& n);
  void add_device(const OrderedNode& n);
  void add_join(const OrderedNode& n);
  void add_ids(const OrderedNode& n, std::uint32_t index);
  void add_times(const OrderedNode& n);
  void add_communication(const OrderedNode& n);
  void note_missing(const OrderedNode& n);
  void add_collective(const CommFacts& facts, const GroupTable::Group& group, std::int64_t bytes);
  bool add_message(const CommFacts& facts, const GroupTable::Group& group, std::int64_t bytes);
  // Returns the peer's global rank, or -1 if it is unknown.
  [[nodiscard]] std::int64_t peer_of(const CommFacts& facts, const GroupTable::Group& group);
  void add_splits(Name name, std::string_view splits, std::int64_t bytes);
  void add_cost(const OrderedNode& n, const Profile::DeviceOp& d);
  void carry(const AttrTable& from, std::span<const Attr> attrs);
  // Returns whether `caller` had ended when `n` began; true without times or gaps. A replay waits for control
  // dependencies, and must not delay a callee on another thread that began before its caller ended.
  [[nodiscard]] bool has_ended(const OrderedNode& caller, const OrderedNode& n) const {
    return !operators_.timed || !options_.keep_gaps || caller.start_ns + caller.duration_ns <= n.start_ns;
  }
  static std::uint64_t share_of(std::uint64_t total, Wide part, Wide whole);

  Trace host_;
  const Profile* device_;
  const Operators& operators_;
  const Order& order_;
  GroupTable& groups_;
  const LinkOptions& options_;
  LinkReport& report_;
  std::vector<Attr> host_attrs_;
  std::vector<Node> host_nodes_;
  std::vector<Share> shares_;
  std::vector<std::uint32_t> share_of_operator_;  // into shares_, or none
  // number of messages so far, by group, source, destination
  std::map<std::tuple<std::int64_t, Rank, Rank>, std::uint32_t> messages_;
  Text delay_text_;
  NodeTable* table_ = nullptr;  // of the result
  Rank rank_ = 0;
  std::uint32_t world_ = 0;         // number of ranks; 0: unknown
  bool only_group_of_all_ = false;  // the traces define process groups, and each has all ranks
  std::size_t next_ = 0;            // index of the next node of the order
  std::size_t host_text_ = 0, host_numbers_ = 0, host_texts_ = 0;  // sizes of the tables before the first node
};

}  // namespace convert
