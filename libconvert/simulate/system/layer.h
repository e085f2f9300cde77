// SPDX-License-Identifier: MIT
// The system layer of all NPUs: runs collectives as streams of chunks through queues, with native algorithms or
// custom ones.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "simulate/astra/stream_numbers.h"
#include "simulate/engine/messages.h"
#include "simulate/engine/npu_events.h"
#include "simulate/system/custom.h"
#include "simulate/system/plan.h"
#include "simulate/system/shared_bus.h"
#include "util/huge_pages.h"

namespace convert {

// Who has called a collective.
class CollectiveListener {
 public:
  virtual ~CollectiveListener() = default;
  // NPU `npu` has ended its part of run `run`, which it called as node `op`.
  virtual void collective_done(Rank npu, std::uint32_t op, std::uint32_t run) = 0;
};

// The `number`-th collective of a group (from 0), on all of its NPUs.
struct CollectiveRun {
  std::uint32_t call = 0;  // the plan's number
  std::uint32_t number = 0;
  Rank first_npu = 0;  // that called it; of several at one time, the lowest
  std::uint32_t first_op = 0;
  std::uint32_t called = 0;  // NPUs that have called it
  std::uint32_t ended = 0;   // NPUs whose part has ended
  Picoseconds begin = 0;     // of the first NPU
  Picoseconds last_begin = 0;
  Picoseconds end = 0;  // of the last NPU that has ended
};

// What of a SystemLayer has not ended. Ascending by NPU and op.
struct UnendedCollectives {
  struct Part {
    Rank npu;
    std::uint32_t op;
    std::uint32_t run;
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  std::vector<Part> parts{};
  struct Custom {
    Rank npu;
    std::uint32_t op;
    std::uint32_t custom_run;  // index into CustomRuns::runs()
    friend auto operator<=>(const Custom&, const Custom&) = default;
  };
  std::vector<Custom> customs{};
};

class SystemLayer {
 public:
  SystemLayer(const SystemModel& model, const std::vector<SystemGroup>& groups,
              const std::vector<CollectivePlan>& plans, const std::vector<CustomAlgorithm>& customs, Rank npus,
              EventQueue& queue, NpuEvents& events, Messages& messages, CollectiveListener& listener);
  ~SystemLayer();

  // Only representatives take part from now on.
  void reduce(OrderWatch& watch) { watch_ = &watch; }

  // NPU `npu`, a member of the plan's group, calls a collective as its node `op`. By ASTRA-sim's rules it is the
  // next of the group that the NPU calls, else the one of this number among them. If another NPU has called a
  // different collective there, nothing is done and that call is returned.
  [[nodiscard]] const CollectiveRun* start(Rank npu, std::uint32_t plan, std::uint32_t op, std::uint32_t number);

  void note_causes(Causes& causes) { causes_ = &causes; }

  // What has been registered with a Waiter is due.
  void fire(Rank npu, Waiter w);

  [[nodiscard]] const std::vector<CollectiveRun>& runs() const { return runs_; }
  // Whether the NPU, a member, has called collective `number` of the group.
  [[nodiscard]] bool has_called(std::uint32_t group, Rank npu, std::uint32_t number) const {
    const std::uint32_t place = groups_[group].place(npu);
    return number < calls_[group][place] || ahead_.contains({group, place, number});
  }
  // How many of them it has called.
  [[nodiscard]] std::uint32_t calls(std::uint32_t group, Rank npu) const {
    const std::uint32_t place = groups_[group].place(npu);
    const auto first = ahead_.lower_bound({group, place, 0});
    const auto end = ahead_.upper_bound({group, place, UINT32_MAX});
    return calls_[group][place] + static_cast<std::uint32_t>(std::distance(first, end));
  }
  // With reduce(): who called run `run` first, at one time.
  struct Caller {
    Rank npu;
    std::uint32_t op;
  };
  [[nodiscard]] const std::vector<Caller>& first_callers(std::size_t run) const { return first_callers_[run]; }
  // By ASTRA-sim's rules: whether the calls of a collective would miss each other there.
  [[nodiscard]] bool stream_numbers_differ() const { return numbers_ && numbers_->differ(); }
  [[nodiscard]] const CustomRuns& custom_runs() const { return customs_; }
  [[nodiscard]] UnendedCollectives unended() const;

 private:
  struct Stream;
  struct Queue {
    std::uint32_t head = 0;  // 1 + first stream that waits
    std::uint32_t tail = 0;
    std::uint32_t running = 0;
    std::uint32_t limit = 1;  // streams that it runs at once
  };
  // An NPU's part of a collective.
  struct Job {
    std::uint32_t run = 0;
    std::uint32_t op = 0;
    std::uint64_t streams_left = 0;
  };
  // Round-robin counters of one dimension of an NPU.
  struct Turns {
    std::array<std::uint32_t, 3> queue{};                        // by QueueUse
    std::array<std::uint8_t, listed_collectives.size()> tree{};  // by collective
    friend bool operator==(const Turns&, const Turns&) = default;
  };

  [[nodiscard]] Stream& stream(std::uint32_t s);
  [[nodiscard]] const CollectivePlan& plan_of(const Stream& st) const;
  // In ASTRA-sim's rules an NPU's collectives share its queues, and every phase of a chunk waits in one. There NPUs
  // that are late can run different chunks, and wait for each other for ever. Else each collective has one queue,
  // in which chunks wait in their order for their first phase only, so that all NPUs run the same ones.
  [[nodiscard]] Queue& queue_of(Rank npu, std::uint32_t job, std::uint32_t queue) {
    return queues_[std::size_t{model_.astra ? npu : job} * npu_queues_ + queue];
  }
  std::uint32_t new_stream();
  void free_stream(std::uint32_t s);
  [[nodiscard]] std::int64_t priority(std::uint32_t run) const;
  void note_first(std::uint32_t run, Rank npu, std::uint32_t op);
  void take_turns(Rank npu, const CollectivePlan& plan);
  void set_phase(std::uint32_t s);
  void enter_queue(std::uint32_t s);
  void start_waiting(Queue& queue);
  void init_phase(std::uint32_t s);
  void end_phase(std::uint32_t s);
  void end_job(Rank npu, std::uint32_t job);
  [[nodiscard]] std::uint32_t job_of(Waiter w);
  void act(Rank npu, std::uint32_t job) { causes_->act({npu, jobs_[job].op, jobs_[job].run + 1}); }

  // The algorithms, in algorithms.cpp.
  [[nodiscard]] std::uint32_t place_in(const Stream& st, const PhasePlan& phase) const;
  [[nodiscard]] Rank member(const Stream& st, std::uint32_t place) const;
  [[nodiscard]] Rank neighbour(const Stream& st, std::uint32_t distance, bool forwards) const;
  void init_algorithm(std::uint32_t s);
  void step(std::uint32_t s);
  void received(std::uint32_t s);
  void make_bundle(std::uint32_t s);
  void send_bundle(std::uint32_t s, bool reduce, bool to_npu, bool send_back);
  void send_to(const Stream& st, Rank peer, std::int64_t bytes, Waiter sent = {});
  void receive_from(std::uint32_t s, Rank peer, std::int64_t bytes);
  void ring_step(std::uint32_t s);
  void direct_step(std::uint32_t s);
  bool direct_send(std::uint32_t s);
  void direct_prefetch(const Stream& st) const;
  void halving_doubling_step(std::uint32_t s);
  void halving_doubling_advance(Stream& st) const;
  void init_tree(std::uint32_t s);
  void tree_step(std::uint32_t s, bool message);

  // Exact sizes, in exact.cpp.
  void exact_begin(std::uint32_t s);
  void exact_pass(std::uint32_t s, std::int64_t reduced_bytes);
  void exact_received(std::uint32_t s);
  void exact_step(std::uint32_t s);
  void exact_stage(std::uint32_t s);
  void exact_send_stage(std::uint32_t s);
  void exact_sent(std::uint32_t s);
  void exact_end_stages(std::uint32_t s);

  static constexpr std::uint32_t block_bits = 10;
  const SystemModel& model_;
  const std::vector<SystemGroup>& groups_;
  const std::vector<CollectivePlan>& plans_;
  const std::vector<CustomAlgorithm>& custom_algorithms_;
  EventQueue& queue_;
  NpuEvents& events_;
  Messages& messages_;
  CollectiveListener& listener_;
  Causes* causes_ = nullptr;  // if they are noted
  CustomRuns customs_;
  std::optional<SharedBus> bus_;
  std::optional<StreamNumbers> numbers_;  // by ASTRA-sim's rules

  std::uint32_t npu_queues_;
  GrowingHugeVector<Queue> queues_;  // by NPU (or job, see queue_of) and queue
  HugeVector<Turns> turns_;          // by NPU and dimension
  std::vector<CollectiveRun> runs_;
  struct RunStart {
    std::uint32_t first_stream;  // number of the first chunk's stream
    std::size_t turns;           // into run_turns_: by dimension, of the NPU that called first
  };
  std::vector<RunStart> starts_;  // by run
  std::vector<Turns> run_turns_;
  OrderWatch* watch_ = nullptr;
  std::vector<std::vector<Caller>> first_callers_;  // by run, if there is a watch
  static constexpr std::uint32_t not_called = UINT32_MAX;
  std::vector<std::vector<std::uint32_t>> sequence_;  // by group: its runs, or not_called
  std::vector<std::vector<std::uint32_t>> calls_;     // by group and place: collectives called without a gap
  std::set<std::array<std::uint32_t, 3>> ahead_;      // group, place, number: called before others of lower number
  std::uint32_t streams_made_ = 0;
  std::vector<HugeVector<Stream>> blocks_;
  std::uint32_t unused_streams_ = 0;  // 1 + first of a list
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> unused_jobs_;
};

}  // namespace convert
