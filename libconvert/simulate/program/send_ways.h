// SPDX-License-Identifier: MIT
// Reads the routes that schedules give to sends (attributes link_seq and link_via), if the schedule was made for
// this network.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/algorithm/link_way.h"
#include "core/trace.h"
#include "simulate/program/compile.h"
#include "simulate/program/net_devices.h"
#include "simulate/program/op.h"
#include "simulate/program/program.h"

namespace convert {

// Reading is thread-safe.
class SendWayReader {
 public:
  // Both must outlive this.
  SendWayReader(const NetworkConfig& network, const ReplayOptions& options)
      : network_(network), options_(options) {}

  // Use of the link order in a trace.
  enum class Use : std::uint8_t {
    none,     // the trace has no link order, or the network model has no single links
    foreign,  // it is for another network; control dependencies are used instead
    own,      // the link order is used, and the equivalent control dependencies are ignored
  };
  [[nodiscard]] Use use_of(const Trace& trace) const;
  // Returns the forwarding for which a trace of use `own` was scheduled ("store"); empty if it declares none, if
  // the replay uses the same, or if the network has no switches.
  [[nodiscard]] std::string other_forwarding(const Trace& trace) const;

  // Returns the routes of the sends of a trace of use `own`; reports impossible routes. `places`: the NPUs of its
  // ranks; empty: NPUs of the same numbers. Sends without a route may name network devices.
  [[nodiscard]] std::shared_ptr<const SendWays> read(const Trace& trace, const Feeder& feeder,
                                                     std::span<const Rank> places, NodeCompiler& with) const;

  // Returns the network devices that the sends of a trace name (attributes net, net_to), if the replay supports
  // them; null if there are none.
  [[nodiscard]] std::shared_ptr<const SendWays> read_nets(const Trace& trace, const Feeder& feeder) const;
  // Returns why the network devices named by sends so far are ignored; empty if they are not.
  [[nodiscard]] std::string why_nets_are_ignored() const;
  [[nodiscard]] NetDevices& nets() const;

 private:
  struct Links {
    std::string id;
    bool switches = false;
    std::unordered_set<std::uint64_t> ends;
  };
  [[nodiscard]] const Links& links() const;
  [[nodiscard]] std::string problem_of(const LinkWay& way, Device from, Device to) const;

  const NetworkConfig& network_;
  const ReplayOptions& options_;
  [[nodiscard]] bool knows_nets() const;
  mutable std::once_flag once_;
  mutable Links links_;
  mutable std::once_flag nets_once_;
  mutable std::optional<NetDevices> nets_;
  mutable std::atomic<bool> ignores_nets_ = false;  // sends name network devices, which are ignored
};

// Assigns the sequence numbers of all sends of a program on each link.
class TurnTable {
 public:
  using Ways = std::shared_ptr<const std::vector<ScheduledWay>>;  // by node

  // The network must outlive this.
  TurnTable(const NetworkConfig& network, const std::vector<std::string>& failed)
      : network_(network), failed_(failed) {}

  // Adds the sends of a rank's trace to `peers`, by node. Sequence numbers order the messages of one scope, for
  // example a merged collective. Each repetition of a scope in a trace has its own order.
  [[nodiscard]] Ways add(Rank rank, const RankCode& code, const std::function<Rank(std::uint32_t node)>& peer);
  // Adds the sends of algorithm number `custom` on one NPU; peers are NPUs. The runs of the sends are assigned at
  // run time; see custom_run().
  [[nodiscard]] Ways add_custom(std::uint32_t custom, Rank npu, const RankCode& code);
  // Returns the table of sequence numbers.
  [[nodiscard]] std::vector<LinkTurn> take();

  // Returns whether sends name links or switches of their routes.
  [[nodiscard]] bool names_links() const { return names_nets_ || !entries_.empty(); }
  // Returns the run of collective number `collective`; it differs from all runs of traces.
  [[nodiscard]] static std::uint32_t custom_run(std::uint32_t collective) { return customs | collective; }

 private:
  static constexpr std::uint32_t customs = std::uint32_t{1} << 31U;
  struct Entry {
    std::uint32_t run;
    std::uint64_t ends;
    std::int64_t turn;
    std::uint32_t index;  // in turns_
  };
  ScheduledWay add_way(std::uint32_t run, Device from, Device to, const SendWays& ways, const SendWays::Way& way);
  ScheduledWay add_nets(Rank from, Rank to, const SendWays::Way& way);

  const NetworkConfig& network_;
  const std::vector<std::string>& failed_;
  std::optional<NetDevices> nets_;
  bool names_nets_ = false;
  std::vector<Entry> entries_;
  std::vector<LinkTurn> turns_;
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> runs_;  // by scope and repetition
};

}  // namespace convert
