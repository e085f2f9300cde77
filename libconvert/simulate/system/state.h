// SPDX-License-Identifier: MIT
// State of the collective engine of all NPUs: collectives, and their chunks as streams in queues.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "simulate/astra/stream_numbers.h"
#include "simulate/engine/engine.h"
#include "simulate/program/op.h"
#include "simulate/system/custom.h"
#include "simulate/system/inbox.h"
#include "simulate/system/plan.h"
#include "simulate/system/rounds.h"
#include "util/huge_pages.h"

namespace convert {

// The `number`-th collective of a group (from 0), on all its NPUs.
struct CollectiveRun {
  std::uint32_t plan = 0;  // in LinkedProgram::plans
  std::uint32_t number = 0;
  Rank first_npu = 0;  // first caller; among simultaneous callers, the lowest
  std::uint32_t first_op = 0;
  std::uint32_t called = 0;  // number of NPUs that have called it
  Picoseconds begin = 0;     // on the first NPU
  Picoseconds last_begin = 0;
  Picoseconds end = 0;  // on the last NPU that has ended
};

// Unended parts of a SystemLayer's collectives, ascending by NPU and op.
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
    std::uint32_t custom_run;  // index in CustomState::runs()
    friend auto operator<=>(const Custom&, const Custom&) = default;
  };
  std::vector<Custom> customs{};
};

// The part of SystemLayer that is independent of the observer.
class SystemState {
 public:
  virtual ~SystemState();
  SystemState(const SystemState&) = delete;
  SystemState& operator=(const SystemState&) = delete;

  [[nodiscard]] const std::vector<CollectiveRun>& runs() const { return runs_; }
  // Returns whether the NPU, a member, has called collective `number` of the group.
  [[nodiscard]] bool has_called(std::uint32_t group, Rank npu, std::uint32_t number) const {
    const std::uint32_t place = groups_[group].place(npu);
    return number < calls_[group][place] || ahead_.contains({group, place, number});
  }
  // Returns the number of the group's collectives that the NPU has called.
  [[nodiscard]] std::uint32_t calls(std::uint32_t group, Rank npu) const {
    const std::uint32_t place = groups_[group].place(npu);
    const auto first = ahead_.lower_bound({group, place, 0});
    const auto end = ahead_.upper_bound({group, place, UINT32_MAX});
    return calls_[group][place] + static_cast<std::uint32_t>(std::distance(first, end));
  }
  // Returns whether calls of a collective would not match in ASTRA-sim; false without its rules.
  [[nodiscard]] bool stream_numbers_differ() const { return numbers_ && numbers_->differ(); }
  [[nodiscard]] virtual const CustomState& custom_runs() const = 0;
  [[nodiscard]] UnendedCollectives unended() const;

 protected:
  SystemState(const SystemModel& model, const std::vector<SystemGroup>& groups,
              const std::vector<CollectivePlan>& plans, Rank npus, const EventQueue& queue);

  struct Stream;
  // Streams of a run, for matching. Members that are ahead create the streams of the others.
  struct Meeting {
    std::vector<std::uint32_t> streams{};  // by chunk and cell: 1 + stream, 0: none yet; see PhasePlan::cell_stride
    std::uint32_t cells = 0;
    std::uint32_t unended = 0;  // members; after the last one there are no streams
    // By chunk, phase and first cell: for a ring that is run as a whole, the number of members that have begun; on
    // lanes, 1 + the number of its set.
    std::vector<std::uint32_t> begun{};
  };
  struct Queue {
    std::uint32_t head = 0;  // 1 + first waiting stream
    std::uint32_t tail = 0;
    std::uint32_t running = 0;
    std::uint32_t limit = 1;  // maximum number of running streams
  };
  // Participation of an NPU in a collective.
  struct Job {
    static constexpr std::uint32_t none = UINT32_MAX;
    std::uint32_t run = 0;
    std::uint32_t op = 0;
    NodeEnd end{};
    std::uint64_t streams_left = 0;
  };
  // Round-robin counters of one dimension of an NPU.
  struct Turns {
    std::array<std::uint32_t, 3> queue{};                        // by QueueUse
    std::array<std::uint8_t, listed_collectives.size()> tree{};  // by collective
    friend bool operator==(const Turns&, const Turns&) = default;
  };

  [[nodiscard]] Stream& stream(std::uint32_t s);
  void prefetch_stream(std::uint32_t s) const;
  [[nodiscard]] const CollectivePlan& plan_of(const Stream& st) const;
  // Returns a queue. By ASTRA-sim's rules an NPU's collectives share its queues, and every phase of a chunk waits
  // in one. NPUs that are late can then run different chunks, and wait for each other forever. Otherwise, a
  // collective has one queue, in which chunks wait in order for their first phase only, so that all NPUs run the
  // same chunks.
  [[nodiscard]] Queue& queue_of(Rank npu, std::uint32_t job, std::uint32_t queue) {
    return queues_[std::size_t{model_.rules.collectives_share_queues() ? npu : job} * npu_queues_ + queue];
  }
  std::uint32_t new_stream();
  void free_stream(std::uint32_t s);
  // Returns the stream of a chunk on an NPU that joins a run; it may have been created by other members.
  std::uint32_t join(std::uint32_t run, Rank npu, std::uint64_t chunk);
  // Returns the stream of another member, at an index in the stream's phase; creates it if necessary.
  [[nodiscard]] std::uint32_t stream_at(const Stream& st, std::uint32_t place);
  // Records the arrival of a message for a stream. Returns whether a receive waits for it.
  bool come(Stream& st, std::uint32_t spot);
  void open_inbox(Stream& st, Inbox::Slots slots);
  // Returns the entry of Meeting::begun for a chunk in the stream's phase.
  [[nodiscard]] std::uint32_t& begun(const Stream& st, std::uint64_t chunk);
  void leave(std::uint32_t run);
  std::uint32_t new_job(std::uint32_t run, std::uint32_t op, NodeEnd end);
  // Returns the run that an NPU's call joins. If that run has a different plan, the NPU does not take part.
  std::uint32_t call(Rank npu, std::uint32_t plan, std::uint32_t op, std::uint32_t number);
  [[nodiscard]] bool has_turns_of_first(std::uint32_t run, Rank npu) const;
  [[nodiscard]] std::int64_t priority(std::uint32_t run, std::uint64_t chunk) const;
  void take_turns(Rank npu, const CollectivePlan& plan);
  void set_phase(std::uint32_t s);
  void enter_queue(std::uint32_t s);
  [[nodiscard]] static std::uint32_t class_ring_of(const Stream& st);
  [[nodiscard]] std::uint32_t place_in(const Stream& st, const PhasePlan& phase) const;
  [[nodiscard]] Rank member(const Stream& st, std::uint32_t place) const;
  [[nodiscard]] std::uint32_t neighbour(const Stream& st, std::uint32_t distance, bool forwards) const;
  // Returns the bytes of the stream's chunk that a member of its phase, which has unequal shards, contributes: its
  // own shard, and the shards that it has gathered in earlier phases.
  [[nodiscard]] std::int64_t unequal_part(const Stream& st, std::uint32_t place) const;
  // Returns a round of an all-gather of unequal shards.
  [[nodiscard]] Round round_of_unequal(const Stream& st, std::uint64_t number) const;

  static constexpr std::uint32_t block_bits = 10;
  const SystemModel& model_;
  const std::vector<SystemGroup>& groups_;
  const std::vector<CollectivePlan>& plans_;
  const EventQueue& queue_;
  std::optional<StreamNumbers> numbers_;  // by ASTRA-sim's rules
  std::uint32_t npu_queues_;
  GrowingHugeVector<Queue> queues_;  // by NPU (or job, see queue_of) and queue
  HugeVector<Turns> turns_;          // by NPU and dimension
  std::vector<CollectiveRun> runs_;
  std::vector<Meeting> meetings_;  // by run
  struct RunStart {
    std::uint32_t first_stream;  // number of the first chunk's stream
    std::size_t turns;           // index in run_turns_: by dimension, of the NPU that called first
  };
  std::vector<RunStart> starts_;  // by run
  std::vector<Turns> run_turns_;
  static constexpr std::uint32_t not_called = UINT32_MAX;
  std::vector<std::vector<std::uint32_t>> sequence_;  // by group: its runs, or not_called
  std::vector<std::vector<std::uint32_t>> calls_;  // by group and index: number of collectives called without a gap
  std::set<std::array<std::uint32_t, 3>> ahead_;   // group, index, number: called before lower numbers
  std::uint32_t streams_made_ = 0;
  std::vector<HugeVector<Stream>> blocks_;
  std::uint32_t unused_streams_ = 0;  // 1 + first of a list
  // A message that arrived before its phase.
  struct Early {
    std::uint32_t spot;
    std::uint32_t next;  // 1 + index
  };
  Pool<Early, &Early::next> early_;
  Pool<Job, &Job::run> jobs_;
};

}  // namespace convert
