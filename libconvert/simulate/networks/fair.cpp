// SPDX-License-Identifier: MIT
// The model fair: calls and messages as flows over the ports and adapters of a machine.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "machine/call_time.h"
#include "machine/chosen.h"
#include "simulate/engine/pool.h"
#include "simulate/explain/causes.h"
#include "simulate/networks/fair_flows.h"
#include "simulate/networks/network.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"

namespace convert {
namespace {

// Each NPU has a port and adapters, each out and in. In a mesh, messages also use the link between two GPUs.
//
// With a symmetry, the links of representatives represent all links: the flows on them are the flows of one rank.
// Rates are computed once for each time, after all its other events, so that neither rates nor the order in which
// ends are pushed depend on the order of simultaneous events.
template <class Observer>
class FairNetwork final : public Network {
 public:
  FairNetwork(const NetworkConfig& config, EventQueue& queue, Observer& observer)
      : Network(queue),
        chosen_(*config.machine),
        gpus_(chosen_.machine().node.gpus),
        shares_adapters_(has_shared_adapters(chosen_.machine())),
        observer_(observer),
        symmetry_(observer.symmetry()) {}

  void begin_call(std::uint32_t call, const CallFlow& flow, std::span<const Rank> members) override {
    uses_.clear();
    for (const Rank r : members) {
      for (const std::uint32_t direction : {out, in}) {
        if (flow.port_use > 0) uses_.push_back({link(r, port, direction), flow.port_use});
        if (flow.adapter_use > 0) use_adapter(r, direction, flow.adapter_use);
      }
    }
    begin({.is_call = true, .number = call}, flow.latency, flow.work);
  }

  void next_is_of_program(std::optional<Protocol> protocol) override {
    next_ = protocol ? program_by_protocol + static_cast<std::uint32_t>(*protocol) : program;
  }

  void send(Rank src, Rank dst, std::int64_t bytes, MessageToken message, std::int64_t /*priority*/) override {
    const bool within = src / gpus_ == dst / gpus_;
    const MessageFlow& flow = flow_of(bytes, within, std::exchange(next_, of_workload));
    const Rank at_dst = symmetry_ == nullptr ? dst : symmetry_->representative(dst);
    uses_.clear();
    if (within) uses_.assign({{link(src, port, out), flow.share}, {link(at_dst, port, in), flow.share}});
    if (!within) use_adapter(src, out, flow.share);
    if (!within) use_adapter(at_dst, in, flow.share);
    if (within && chosen_.machine().node.mesh) uses_.push_back({link_of_pair(src, dst), flow.pair_share});
    begin({.is_call = false, .number = message}, flow.latency, flow.work);
  }

  MessageToken advance(Event event) override {
    switch (event.kind()) {
      case event_begins: {
        Pending& p = pending_[event.arg()];
        p.flow = flows_.add(queue_.now(), p.work_ps, p.uses);
        p.begun = ++begun_;
        observer_.flows(p.owner);
        if (of_flow_.size() <= p.flow) of_flow_.resize(std::size_t{p.flow} + 1);
        of_flow_[p.flow] = event.arg();
        change();
        return no_message;
      }
      case event_rates: compute_rates(); return no_message;
      default:
        if (const auto message = take_end(event.arg())) {
          observer_.arrives(*message);
          return *message;
        }
        return no_message;
    }
  }
  [[nodiscard]] std::optional<std::uint32_t> take_call(std::uint32_t arg) override { return take_end(arg); }

 private:
  enum : std::uint32_t { port = 0, adapter = 2, out = 0, in = 1 };
  static constexpr std::uint32_t links_each = 4;
  static constexpr std::uint32_t event_begins = event_network;     // flow `arg` of pending_
  static constexpr std::uint32_t event_rates = event_network + 1;  // the last event of this time computes rates
  static constexpr std::uint32_t event_ends = event_network + 2;   // end `arg` of a message
  static constexpr std::uint32_t no_end = UINT32_MAX;
  [[nodiscard]] static FairFlows::Link link(Rank npu, std::uint32_t kind, std::uint32_t direction) {
    return 2 * (npu * links_each + kind + direction);
  }

  // Adds a share of the adapters of a GPU. If the GPUs of a node share the adapters, these are one link, which has
  // the capacity of all GPUs.
  void use_adapter(Rank npu, std::uint32_t direction, double share) {
    if (!shares_adapters_) {
      uses_.push_back({link(npu, adapter, direction), share});
      return;
    }
    const FairFlows::Link of_node = link(npu - npu % gpus_, adapter, direction);
    const auto use = std::ranges::find(uses_, of_node, &FairFlows::Use::link);
    if (use == uses_.end()) {
      uses_.push_back({of_node, share / gpus_});
    } else {
      use->share += share / gpus_;
    }
  }

  struct Pending {
    FlowOf owner{};
    double work_ps = 0;
    std::vector<FairFlows::Use> uses{};
    FairFlows::Flow flow = 0;
    std::uint64_t begun = 0;     // number of the flow, in the order of their begins
    std::uint32_t end = no_end;  // in ends_
  };
  // A pushed end. If the rate changes, another end is pushed, and this one is not due.
  struct End {
    std::uint32_t number = 0;  // in pending_
    bool is_due = true;
  };

  // Most messages have the size of a previous one of their kind.
  struct MessageFlow {
    std::int64_t bytes = -1;
    Picoseconds latency = 0;
    Picoseconds work = 0;
    double share = 0;       // of ports or adapters
    double pair_share = 0;  // of the link between two GPUs of a mesh
  };
  // Messages of workloads, of programs without a protocol, and of programs with each protocol.
  enum : std::uint32_t { of_workload = 0, program = 1, program_by_protocol = 2, message_kinds = 5 };
  const MessageFlow& flow_of(std::int64_t bytes, bool within, std::uint32_t kind) {
    MessageFlow& flow = known_[(within ? message_kinds : 0U) + kind];
    if (flow.bytes == bytes) return flow;
    const Machine& m = chosen_.machine();
    const auto size = static_cast<double>(bytes);
    const double capacity = within ? port_capacity(m) : adapter_capacity(m);
    double latency_ns = 0, work_ns = 0;
    if (kind == of_workload) {
      const MachineCost cost = chosen_.cost({Collective::send, 2, within ? 1U : 2U, size});
      latency_ns = cost.latency_ns;
      work_ns = cost.time_ns - cost.latency_ns;
    } else {
      const auto protocol = static_cast<Protocol>(kind - program_by_protocol);
      const ProgramRate hop = program_hop(m, within, kind == program ? std::nullopt : std::optional(protocol));
      latency_ns = hop.step_ns;
      work_ns = size / hop.bytes_per_ns;
    }
    const auto share = [&](double of) { return work_ns > 0 ? std::min(1.0, size / work_ns / of) : 0; };
    flow = {bytes, round_to_ps(latency_ns), round_to_ps(work_ns), share(capacity), 0};
    if (within && m.node.mesh) flow.pair_share = share(capacity / (gpus_ - 1));
    return flow;
  }
  // Links between two GPUs have odd numbers, in the order of their use; ports and adapters have even numbers.
  [[nodiscard]] FairFlows::Link link_of_pair(Rank src, Rank dst) {
    const auto [at, is_new] = pairs_.try_emplace(std::pair(src, dst), 0);
    if (is_new) at->second = 2 * static_cast<FairFlows::Link>(pairs_.size()) - 1;
    return at->second;
  }

  // Starts a flow over uses_ after a latency.
  void begin(FlowOf owner, Picoseconds latency, Picoseconds work) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(pending_.size()));
      pending_.emplace_back();
    }
    const std::uint32_t number = unused_.back();
    unused_.pop_back();
    pending_[number] = {.owner = owner, .work_ps = static_cast<double>(work), .uses = uses_};
    queue_.push_after(latency, number, event_begins);
  }

  // Schedules that rates are computed.
  void change() {
    if (!std::exchange(is_changed_, true)) queue_.push_after(0, 0, event_rates);
  }
  void compute_rates() {
    if (!queue_.tick_ends()) return queue_.push_after(0, 0, event_rates);
    is_changed_ = false;
    observer_.computes_rates();
    std::vector<FairFlows::Flow> changed = flows_.compute_rates(queue_.now());
    std::ranges::sort(changed, {}, [this](FairFlows::Flow flow) { return pending_[of_flow_[flow]].begun; });
    for (const FairFlows::Flow flow : changed) {
      Pending& p = pending_[of_flow_[flow]];
      if (p.end != no_end) ends_[p.end].is_due = false;
      p.end = ends_.emplace(of_flow_[flow], true);
      observer_.pushes_end(p.owner);
      queue_.push_after(flows_.end(flow) - queue_.now(), p.end, p.owner.is_call ? event_call : event_ends);
    }
  }

  // Removes an end. If it is due, also removes its flow, and returns the call or the message.
  [[nodiscard]] std::optional<std::uint32_t> take_end(std::uint32_t end) {
    const End e = ends_[end];
    ends_.remove(end);
    if (!e.is_due) return {};
    unused_.push_back(e.number);
    flows_.remove(pending_[e.number].flow);
    change();
    observer_.end_comes(pending_[e.number].owner);
    return pending_[e.number].owner.number;
  }

  const ChosenMachine& chosen_;
  const std::uint32_t gpus_;
  const bool shares_adapters_;
  Observer& observer_;
  const Symmetry* const symmetry_;  // of representatives; null: all ranks are simulated
  FairFlows flows_;
  bool is_changed_ = false;
  std::uint64_t begun_ = 0;                             // number of flows so far
  std::uint32_t next_ = of_workload;                    // kind of the next message
  std::array<MessageFlow, 2 * message_kinds> known_{};  // see flow_of()
  std::map<std::pair<Rank, Rank>, FairFlows::Link> pairs_;
  std::vector<FairFlows::Use> uses_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> unused_;
  Pool<End, &End::number> ends_;
  std::vector<std::uint32_t> of_flow_;  // by flow: its number in pending_
};

}  // namespace

template <class Observer>
std::unique_ptr<Network> make_fair_network(const NetworkConfig& config, EventQueue& queue, Observer& observer) {
  return std::make_unique<FairNetwork<Observer>>(config, queue, observer);
}
template std::unique_ptr<Network> make_fair_network(const NetworkConfig&, EventQueue&, NoObserver&);
template std::unique_ptr<Network> make_fair_network(const NetworkConfig&, EventQueue&, OrderObserver&);
template std::unique_ptr<Network> make_fair_network(const NetworkConfig&, EventQueue&, Causes&);
template std::unique_ptr<Network> make_fair_network(const NetworkConfig&, EventQueue&, OrderedCauses&);

}  // namespace convert
