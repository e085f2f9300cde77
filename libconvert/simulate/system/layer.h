// SPDX-License-Identifier: MIT
// Runs the collectives of all NPUs as streams of chunks through queues, by native or custom algorithms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "simulate/closed/phases.h"
#include "simulate/closed/watch.h"
#include "simulate/engine/messages.h"
#include "simulate/engine/npu_events.h"
#include "simulate/engine/observer.h"
#include "simulate/rings/rings_on_lanes.h"
#include "simulate/rings/whole_ring.h"
#include "simulate/system/custom.h"
#include "simulate/system/shared_bus.h"
#include "simulate/system/state.h"
#include "simulate/system/stream.h"

namespace convert {

struct CustomAlgorithm;
struct LinkedProgram;

// Receives the begins and ends of NPUs' parts of collectives.
class CollectiveListener {
 public:
  virtual ~CollectiveListener() = default;
  // NPU `npu` has called run `run` as node `op`.
  virtual void collective_called(Rank npu, std::uint32_t op, std::uint32_t run) = 0;
  // Tells that NPU `npu` has ended its part of run `run`, which it called as node `op`, whose end is `end`.
  virtual void collective_done(Rank npu, std::uint32_t op, NodeEnd end, std::uint32_t run) = 0;
};

template <class Observer>
class SystemLayer final : public SystemState {
 public:
  SystemLayer(const LinkedProgram& program, const EventQueue& queue, NpuEvents<Observer>& events,
              Messages<Observer>& messages, CollectiveListener& listener, Observer& observer);

  // Lets NPU `npu`, a member of the plan's group, call a collective of the group as its node `op`: collective
  // `number`, or by ASTRA-sim's rules collective k with its k-th call. If another NPU has called that with another
  // plan, does nothing and returns that run, valid until the next call; else returns null.
  [[nodiscard]] const CollectiveRun* start(Rank npu, std::uint32_t plan, std::uint32_t op, NodeEnd end,
                                           std::uint32_t number);

  // Handles what was registered with a Waiter and has come due.
  void fire(Rank npu, Waiter w);
  // Handles a message that has arrived.
  void arrive(typename Messages<Observer>::ForStream to);
  // Fetches what arrive() needs of a stream. Inlined, as g++ removes calls of functions that only fetch.
  [[gnu::always_inline]] void prefetch(std::uint32_t s) const { prefetch_stream(s); }
  [[nodiscard]] const CustomState& custom_runs() const override { return customs_; }
  // Handles the `event_last` of a stream.
  void take_last(std::uint32_t s);
  // Handles the `event_sent` of a stream.
  void send_last(std::uint32_t s);
  // Runs phases that are closed and have begun; called when all of an entry of NpuEvents has been run.
  void run_closed();
  // Return whether it runs rings as wholes, whether there was one, and whether one sent at time 0.
  [[nodiscard]] bool runs_whole_rings() const { return runs_whole_rings_; }
  [[nodiscard]] bool ran_whole_rings() const { return !whole_streams_.empty() || !ring_sets_.empty(); }
  [[nodiscard]] bool began_at_zero() const { return began_at_zero_; }
  // Returns how many phases were run as closed ones.
  [[nodiscard]] std::uint64_t closed_phases() const { return closed_phases_run_; }
  // Returns whether events of one time may have come in another order than they would message by message.
  [[nodiscard]] bool order_is_open() const { return order_is_open_ || events_.order_is_open(); }

 private:
  void start_waiting(Queue& queue);
  void init_phase(std::uint32_t s);
  void end_phase(std::uint32_t s);
  void end_job(Rank npu, std::uint32_t job);
  [[nodiscard]] std::uint32_t job_of(Waiter w);
  [[nodiscard]] Actor actor(Rank npu, std::uint32_t job) const { return {npu, jobs_[job].op, jobs_[job].run + 1}; }

  // The algorithms, in native_algorithms.h.
  void init_algorithm(std::uint32_t s);
  void step(std::uint32_t s);
  void received(std::uint32_t s);
  void make_bundle(std::uint32_t s);
  void send_bundle(std::uint32_t s, bool reduce, bool from_npu, bool send_back);
  void send_to(Stream& st, std::uint32_t place, std::uint32_t slot, std::int64_t bytes, Waiter sent = {});
  void receive_from(std::uint32_t s, std::uint32_t place, std::uint32_t slot, std::int64_t bytes);
  [[nodiscard]] std::uint32_t acquire(const Stream& st, std::uint32_t& kept, Rank src, Rank dst,
                                      std::int64_t bytes);
  void release(const Stream& st, std::uint32_t channel);
  void release_kept(Stream& st);
  void ring_step(std::uint32_t s);
  void direct_step(std::uint32_t s);
  bool direct_send(std::uint32_t s);
  void halving_doubling_step(std::uint32_t s);
  static void halving_doubling_advance(Stream& st);
  void tree_send(Stream& st, std::uint32_t place);
  void tree_receive(std::uint32_t s, std::uint32_t place);
  void init_tree(std::uint32_t s);
  void tree_step(std::uint32_t s, bool message);

  // Ring phases as wholes, in whole_phases.h.
  void begin_whole(std::uint32_t s);
  void run_whole(const Stream& st);
  [[nodiscard]] RingParts ring_parts(const Stream& st) const;
  [[nodiscard]] Picoseconds ring_pass(const PhasePlan& p, const RingParts& parts, std::uint64_t k,
                                      std::int64_t bytes) const;
  void add_last_pass(std::uint32_t s, Picoseconds delay);
  [[nodiscard]] static std::uint32_t along_ring(const Stream& st, std::uint32_t place);

  // Ring phases on lanes, in lane_phases.h.
  // Holds rings that begin together on each member; by ring and member.
  struct RingSet {
    bool anticlockwise = false;
    std::vector<std::uint32_t> streams{};
    std::vector<Picoseconds> begins{};  // of members: when they can send their first messages
    std::vector<RingLane*> lanes{};     // from each
    std::size_t begun = 0;              // streams
  };
  void begin_on_lanes(std::uint32_t s);
  [[nodiscard]] RingLane* take_lane(const Stream& st);
  void run_on_lanes(RingSet& set);
  [[nodiscard]] bool prepare_lanes(RingSet& set, const PhasePlan& p, std::int64_t bytes);
  void end_on_lanes(const RingSet& set, const PhasePlan& p, std::int64_t bytes);

  // Closed phases, in closed_runs.h.
  [[nodiscard]] bool close(std::uint32_t s);
  [[nodiscard]] std::uint32_t closed_phase(const Stream& st);
  [[nodiscard]] ClosedPhase describe_closed(const Stream& st, std::uint64_t ring);
  [[nodiscard]] bool add_bundles(const Stream& st, ClosedPhase& phase);
  [[nodiscard]] bool add_rounds(const Stream& st, ClosedPhase& phase);
  [[nodiscard]] bool add_way(const Stream& st, ClosedPhase& phase, std::uint32_t place, std::uint32_t distance,
                             std::int64_t bytes);
  [[nodiscard]] ClosedCause closed_cause(std::uint32_t s, std::int64_t distance, std::uint32_t shape);
  void watch_closed(const ClosedTimes& times);
  void take_last_of_closed(std::uint32_t s);

  // Exact sizes, in exact_algorithms.h.
  [[nodiscard]] std::int64_t exact_total(const Stream& st) const;
  [[nodiscard]] std::int64_t stage_bytes(const Stream& st, std::uint32_t place) const;
  void exact_begin(std::uint32_t s);
  void exact_pass(std::uint32_t s, std::int64_t reduced_bytes);
  void exact_received(std::uint32_t s);
  void exact_step(std::uint32_t s);
  void exact_stage(std::uint32_t s);
  void exact_send_stage(std::uint32_t s);
  void exact_sent(std::uint32_t s);
  void exact_end_stages(std::uint32_t s);

  const std::vector<CustomAlgorithm>& custom_algorithms_;
  NpuEvents<Observer>& events_;
  Messages<Observer>& messages_;
  CollectiveListener& listener_;
  Observer& observer_;
  // Messages find their receives by streams. Not those of representatives, which are for streams of others; nor
  // with a rendezvous, whose control messages go through channels.
  const bool streams_meet_;
  const bool runs_whole_rings_;
  bool order_is_open_ = false;
  bool began_at_zero_ = false;
  WholeRing whole_ring_;
  std::vector<std::uint32_t> whole_streams_;  // of its members
  std::optional<RingLanes> lanes_;
  RingsOnLanes rings_on_lanes_;
  std::vector<RingSet> ring_sets_;
  // By phase, NPU, exact size and whether it goes anticlockwise.
  std::map<std::tuple<const PhasePlan*, Rank, std::int64_t, bool>, std::uint32_t> closed_numbers_;
  std::vector<ClosedPhase> closed_phases_;
  struct TimesOfShape {
    ClosedTimes times{};
    std::uint32_t shape = 0;  // number
  };
  std::map<std::vector<std::uint32_t>, TimesOfShape> closed_times_;  // of those that begin together
  std::map<std::vector<std::int64_t>, std::uint32_t> closed_shapes_;
  std::vector<std::uint32_t> closing_;  // streams of the current entry
  std::uint64_t closed_phases_run_ = 0;
  CustomRuns<Observer> customs_;
  std::optional<SharedBus<Observer>> bus_;
};

}  // namespace convert
