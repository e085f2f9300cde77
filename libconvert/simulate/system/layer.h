// SPDX-License-Identifier: MIT
// Collective engine: runs the collectives of all NPUs as streams of chunks through queues, by native or custom
// algorithms.
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

// Receives the start and end of each NPU's participation in a collective.
class CollectiveListener {
 public:
  virtual ~CollectiveListener() = default;
  // NPU `npu` has called run `run` as node `op`.
  virtual void collective_called(Rank npu, std::uint32_t op, std::uint32_t run) = 0;
  // NPU `npu` has ended its participation in run `run`, which it called as node `op` with NodeEnd `end`.
  virtual void collective_done(Rank npu, std::uint32_t op, NodeEnd end, std::uint32_t run) = 0;
};

template <class Observer>
class SystemLayer final : public SystemState {
 public:
  SystemLayer(const LinkedProgram& program, const EventQueue& queue, NpuEvents<Observer>& events,
              Messages<Observer>& messages, CollectiveListener& listener, Observer& observer);

  // NPU `npu`, a member of the plan's group, calls a collective of the group as its node `op`: collective `number`,
  // or by ASTRA-sim's rules collective k with its k-th call. If another NPU has called this collective with a
  // different plan, does nothing and returns that run, valid until the next call; else returns null.
  [[nodiscard]] const CollectiveRun* start(Rank npu, std::uint32_t plan, std::uint32_t op, NodeEnd end,
                                           std::uint32_t number);

  // Handles a due Waiter.
  void fire(Rank npu, Waiter w);
  // Handles an arrived message.
  void arrive(typename Messages<Observer>::ForStream to);
  // Prefetches a stream for arrive(). Inlined, as g++ removes calls of functions that only prefetch.
  [[gnu::always_inline]] void prefetch(std::uint32_t s) const { prefetch_stream(s); }
  [[nodiscard]] const CustomState& custom_runs() const override { return customs_; }
  // Handles the `event_last` of a stream.
  void take_last(std::uint32_t s);
  // Handles the `event_sent` of a stream.
  void send_last(std::uint32_t s);
  // Handles the `event_call` of a run on a machine.
  void end_call(std::uint32_t run);
  // Runs closed phases that have begun. Call it after each complete entry of NpuEvents.
  void run_closed();
  // Return whether rings are run as wholes, whether one has run, and whether one has sent at time 0.
  [[nodiscard]] bool runs_whole_rings() const { return runs_whole_rings_; }
  [[nodiscard]] bool ran_whole_rings() const { return !whole_streams_.empty() || !ring_sets_.empty(); }
  [[nodiscard]] bool began_at_zero() const { return began_at_zero_; }
  // Returns the number of phases that were run as closed phases.
  [[nodiscard]] std::uint64_t closed_phases() const { return closed_phases_run_; }
  // Returns whether simultaneous events may have come in a different order than message by message.
  [[nodiscard]] bool order_is_open() const { return order_is_open_ || events_.order_is_open(); }

 private:
  void join_call(std::uint32_t run, Rank npu, std::uint32_t job);
  void start_waiting(Queue& queue);
  void init_phase(std::uint32_t s);
  void end_phase(std::uint32_t s);
  void end_job(Rank npu, std::uint32_t job);
  [[nodiscard]] std::uint32_t job_of(Waiter w);
  [[nodiscard]] Actor actor(Rank npu, std::uint32_t job) const { return {npu, jobs_[job].op, jobs_[job].run + 1}; }

  // Algorithms, in native_algorithms.h.
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
  //
  // Rings that begin together on each member, by ring and member.
  struct RingSet {
    bool anticlockwise = false;
    std::vector<std::uint32_t> streams{};
    std::vector<Picoseconds> begins{};  // by member: when it can send its first message
    std::vector<RingLane*> lanes{};     // by source
    std::size_t begun = 0;              // number of streams
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
  // Whether messages find their receives by streams. Not in replays of representatives, whose messages are for
  // streams of other NPUs, and not with rendezvous, whose control messages use channels.
  const bool streams_meet_;
  const bool runs_whole_rings_;
  bool order_is_open_ = false;
  bool began_at_zero_ = false;
  WholeRing whole_ring_;
  std::vector<std::uint32_t> whole_streams_;  // streams of its members
  std::optional<RingLanes> lanes_;
  RingsOnLanes rings_on_lanes_;
  std::vector<RingSet> ring_sets_;
  // By phase, NPU, exact size and direction (anticlockwise).
  std::map<std::tuple<const PhasePlan*, Rank, std::int64_t, bool>, std::uint32_t> closed_numbers_;
  std::vector<ClosedPhase> closed_phases_;
  struct TimesOfShape {
    ClosedTimes times{};
    std::uint32_t shape = 0;  // number of the shape
  };
  std::map<std::vector<std::uint32_t>, TimesOfShape> closed_times_;  // by numbers of phases that begin together
  std::map<std::vector<std::int64_t>, std::uint32_t> closed_shapes_;
  std::vector<std::uint32_t> closing_;  // streams of the current entry
  std::uint64_t closed_phases_run_ = 0;
  CustomRuns<Observer> customs_;
  std::optional<SharedBus<Observer>> bus_;
  // By run on a machine: its participants so far, and the number of NPUs that they represent.
  struct JoinedCall {
    std::vector<std::pair<Rank, std::uint32_t>> jobs{};  // NPU and job
    std::uint32_t npus = 0;
  };
  std::vector<JoinedCall> joined_;
};

}  // namespace convert
