// SPDX-License-Identifier: MIT
// Causal chains of a replay. Each activity (work of an NPU, a message, a hop over a link) begins at the end of
// another activity: its cause. The causes, followed back from a node's start, form one chain to time 0.
//
// A replay is deterministic. The first run therefore stores only the number of each cause's cause; a second run
// stores the details of the causes in the chain.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "core/units.h"
#include "simulate/engine/channel.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/observer.h"

namespace convert {

class Causes : public NoObserver {
 public:
  static constexpr bool sees_hops = true;
  static constexpr std::uint32_t none = UINT32_MAX;
  enum class Kind : std::uint8_t { work, message, hop, receive };
  // Relation of a cause to its own cause: same NPU (a message belongs to its source), started at the destination of
  // a message, or took a link that another message left.
  enum class After : std::uint8_t { same, received, left_wire };
  struct Detail {
    Kind kind = Kind::work;
    Actor actor{};
    Picoseconds begin = 0;
    Picoseconds came = 0;        // hop: arrival at the link
    bool starts = false;         // the actor's node started with this cause
    std::uint32_t ended = none;  // starts: the node of actor.npu whose end freed the actor's node
    Rank to = 0;                 // message, hop: destination
    bool exchange = false;       // for representatives: moves by XOR; see Symmetry
    std::uint32_t wire = none;   // hop
    std::int64_t bytes = 0;      // message, hop
    After after = After::same;
    std::uint32_t group = none;  // group of the collective, if it differs from the call's group; see unfold()
  };

  // Records the causes of the start of node `target`, and stops there; without a target, the causes of the end of
  // the replay. In the second run, `wanted` contains the ascending numbers of the causes whose details are kept.
  Causes(const EventQueue& queue, std::optional<Actor> target, const std::vector<std::uint32_t>* wanted)
      : NoObserver(queue), queue_(queue), target_(target), second_(wanted != nullptr) {
    if (second_) wanted_ = *wanted;
  }

  // Returns the details of the target's start; nothing if it has not started or there is no target.
  [[nodiscard]] const std::optional<Detail>& target() const { return target_begun_; }
  // Returns, after the first run, the ascending numbers of the causes of the target; nothing if the target never
  // started.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> chain() const {
    if (target_ && !target_begun_) return std::nullopt;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t c = last_; c != none; c = before_[c]) numbers.push_back(c);
    return std::vector<std::uint32_t>(numbers.rbegin(), numbers.rend());
  }
  // Returns the kept details, after the second run.
  [[nodiscard]] const std::vector<Detail>& details() const { return details_; }

  [[nodiscard]] bool stops() const { return target_begun_.has_value(); }

  template <typename ActorOf>
  void acts(const ActorOf& actor) {
    actor_ = actor();
  }
  void node_ends() {
    if (!target_) last_ = current_;
  }
  void frees(std::uint32_t op) { ended_ = op; }
  void freed() { ended_ = none; }
  void node_starts(Rank npu, std::uint32_t op) {
    actor_ = starting_ = {npu, op};
    if (!target_ || target_begun_ || actor_ != *target_) return;
    last_ = current_;
    target_begun_ = detail(Kind::work);
  }
  void node_started() { starting_ = {}; }

  void registered(std::uint32_t item) { items_.put(item, {add(detail(Kind::work)), actor_}); }
  void runs(std::uint32_t item) { restore(items_.at[item]); }

  void sends(std::uint32_t m, Rank to, std::int64_t bytes, bool exchange, std::uint32_t /*class_ring*/) {
    Detail d = detail(Kind::message);
    d.to = to;
    d.exchange = exchange;
    d.bytes = bytes;
    before_sending_ = current_;
    after_sending_ = std::exchange(after_, After::same);
    current_ = add(d);
    if (ways_.size() <= m) ways_.resize(m + 1);
    ways_[m] = {to, exchange};
    messages_.put(m, {current_, actor_});
  }
  void was_sent() {
    current_ = before_sending_;
    after_ = after_sending_;
  }
  void tells_sender(Rank /*npu*/, Waiter /*sent*/) { after_ = After::same; }
  void tells_receiver(const ChannelKey& /*key*/, Rank /*npu*/, Waiter /*received*/) { after_ = After::received; }
  void arrives(std::uint32_t m) { restore(messages_.at[m]); }
  void waits(std::uint32_t index) { waiting_.put(index, {current_, actor_}); }
  void goes_on(std::uint32_t index) { actor_ = waiting_.at[index].actor; }
  void finds_message(std::uint32_t index) { waiting_.put(index, {add(detail(Kind::receive)), actor_}); }
  void takes_message(std::uint32_t index, Rank /*npu*/, Waiter /*received*/) { restore(waiting_.at[index]); }

  void flow_begins(std::uint32_t run) { flows_.put(run, {add(detail(Kind::work)), actor_}); }
  void flow_ends(std::uint32_t run, Rank /*npu*/) { restore(flows_.at[run]); }

  std::uint32_t comes(std::uint32_t p, std::uint32_t wire) {
    if (packets_.at.size() <= p) packets_.at.resize(p + 1);
    packets_.at[p].came = queue_.now();
    packets_.at[p].wire = wire;
    return wire;
  }
  void launched(std::uint32_t p, std::uint32_t message) {
    packets_.put(p, {current_, actor_});
    packets_.at[p].way = ways_[message];
  }
  void takes_wire(std::uint32_t p, std::uint32_t wire, std::int64_t bytes) {
    Packet& k = packets_.at[p];
    Detail d = detail(Kind::hop);
    d.actor = k.actor;
    d.came = k.came;
    d.to = k.way.to;
    d.exchange = k.way.exchange;
    d.wire = k.wire;
    d.bytes = bytes;
    k.cause = add(d);
    wires_[wire] = k.cause;
  }
  void hop_ends(std::uint32_t p) { restore(packets_.at[p]); }
  void wire_frees(std::uint32_t wire) {
    current_ = wires_[wire];
    after_ = After::left_wire;
  }
  [[nodiscard]] std::uint32_t cause_on(std::uint32_t wire) { return wires_[wire]; }
  void share_frees(std::uint32_t cause) { current_ = cause; }

 private:
  struct Begun {
    std::uint32_t cause = none;
    Actor actor{};
  };
  struct Way {
    Rank to = 0;
    bool exchange = false;
  };
  struct Packet : Begun {
    Way way{};
    Picoseconds came = 0;
    std::uint32_t wire = none;  // the link it came to; for representatives, in the frame of the source
    Packet& operator=(const Begun& b) {
      Begun::operator=(b);
      return *this;
    }
  };
  template <typename T>
  struct Table {
    std::vector<T> at;
    void put(std::uint32_t i, const Begun& b) {
      if (at.size() <= i) at.resize(i + 1);
      at[i] = b;
    }
  };

  // Returns the details of a cause that begins now.
  [[nodiscard]] Detail detail(Kind kind) const {
    const bool starts = starting_.op != none && actor_.npu == starting_.npu && actor_.op == starting_.op;
    return {.kind = kind,
            .actor = actor_,
            .begin = queue_.now(),
            .came = 0,
            .starts = starts,
            .ended = ended_,
            .after = after_};
  }
  void restore(const Begun& b) {
    after_ = After::same;
    current_ = b.cause;
    actor_ = b.actor;
  }
  std::uint32_t add(const Detail& d) {
    if (count_ == none) throw Error("the causal chain is too long: more than 2^32 events; use --until");
    if (!second_) {
      before_.push_back(current_);
    } else if (details_.size() < wanted_.size() && wanted_[details_.size()] == count_) {
      details_.push_back(d);
    }
    return count_++;
  }

  const EventQueue& queue_;
  const std::optional<Actor> target_;
  std::optional<Detail> target_begun_;
  const bool second_;
  std::vector<std::uint32_t> wanted_;
  std::vector<Detail> details_;
  std::vector<std::uint32_t> before_;  // by cause: its cause; first run
  std::uint32_t count_ = 0;

  std::uint32_t last_ = none;  // last cause of the target
  // Cause whose end is being handled, the cause of all activities that begin now; none at time 0.
  std::uint32_t current_ = none;
  After after_ = After::same;  // for activities that begin now
  std::uint32_t before_sending_ = none;
  After after_sending_ = After::same;
  Actor actor_{};
  Actor starting_{};
  std::uint32_t ended_ = none;
  Table<Begun> items_;
  Table<Begun> messages_;
  Table<Begun> waiting_;
  Table<Begun> flows_;  // by run
  Table<Packet> packets_;
  std::vector<Way> ways_;                                   // by message
  std::unordered_map<std::uint32_t, std::uint32_t> wires_;  // by link: its last cause
};

}  // namespace convert
