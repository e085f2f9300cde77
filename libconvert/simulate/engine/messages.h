// SPDX-License-Identifier: MIT
// Matches the sends and receives of NPUs, eagerly or with a rendezvous. Also carries messages for streams of
// collectives, which match their receives themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulate/engine/channel.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/pool.h"
#include "simulate/engine/traffic.h"
#include "simulate/engine/waiter.h"
#include "simulate/networks/network.h"
#include "simulate/program/program.h"
#include "util/huge_pages.h"

namespace convert {

// Channels and their waiting messages and receives. Collectives acquire and release channels dynamically.
class Channels {
 public:
  // The first channels are the states of the channels of `program`, which must outlive this. They are never
  // released, and acquire() does not find them.
  Channels(Network& network, const LinkedProgram& program);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  void release(std::uint32_t channel) { unref(channel); }
  // Returns the channel of a number in the program.
  [[nodiscard]] std::uint32_t channel(std::uint32_t number) const { return program_.places.place(number); }
  [[nodiscard]] const ChannelKey& key(std::uint32_t channel) const {
    return channel < first_made_ ? program_.channels[program_.places.element(channel)]
                                 : made_[channel - first_made_].key;
  }

  // Remainder of a replay without further events: a receive without a message, a message without a receive, or
  // (rendezvous) a send that no receiver has requested.
  struct Left {
    std::uint32_t channel;  // its number in the program, or a higher number
    const ChannelKey* key;
    Waiter waiter;      // nobody: a message
    bool send = false;  // the waiter belongs to a send
  };
  // Returns all remainders, valid until the next message: each kind by channel, then in the order of its calls.
  [[nodiscard]] std::vector<Left> left() const;
  [[nodiscard]] bool any_unclaimed() const { return unclaimed_ != 0; }

  // Waiting messages or receives of a channel. Positive: 1 + the last entry of a circular list of posted receives.
  // Negative: minus the number of messages that arrived before their receive.
  using Backlog = std::int32_t;
  // State of a channel of the program.
  struct Fixed {
    Backlog backlog = 0;
    std::int32_t ahead = 0;  // receives minus messages
    // Counts a receive. Returns whether its message has not been sent yet.
    [[nodiscard]] bool receives_ahead() { return ++ahead > 0; }
    // Counts a message. Returns whether its receive was posted before.
    [[nodiscard]] bool sends_to_receive() { return --ahead >= 0; }
  };
  static_assert(sizeof(Fixed) == LinkedProgram::channel_bytes);
  [[nodiscard]] Fixed& fixed(std::uint32_t place) { return states_[place]; }

 protected:
  // A channel made by acquire(). All data that a message touches are in one cache line.
  struct alignas(64) Made {
    Backlog backlog = 0;
    std::uint32_t refs = 0;  // owners, messages under way or unclaimed, posted receives
    std::uint32_t next = 0;
    Rank destination = 0;  // see Messages
    ChannelKey key;
    Picoseconds delay;  // of each message, if constant; else -1
  };
  struct Slot {  // slot of the hash table of made channels
    std::uint32_t hash = 0;
    std::uint32_t made = 0;  // 1 + channel; 0: unused
  };
  struct Entry {
    Waiter receive;
    std::uint32_t next;
  };
  static constexpr std::uint32_t no_channel = UINT32_MAX;
  // A send or receive that waits for its control message, or a receive that waits for its event.
  struct Pending {
    std::uint32_t channel;  // of the data; none: it is for a stream
    Rank npu;
    Waiter waiter;
    std::int64_t priority = 0;
  };

  // Returns the channel of a key, which is created if it is new.
  std::uint32_t find_or_make(const ChannelKey& key);
  void ref(std::uint32_t channel) {
    if (channel >= first_made_) ++made_[channel - first_made_].refs;
  }
  void unref(std::uint32_t channel) {
    if (channel >= first_made_ && --made_[channel - first_made_].refs == 0) remove(channel - first_made_);
  }
  void remove(std::uint32_t made);
  void grow();

  [[nodiscard]] Backlog& backlog(std::uint32_t channel) {
    return channel < first_made_ ? states_[channel].backlog : made_[channel - first_made_].backlog;
  }
  [[nodiscard]] const Backlog& backlog(std::uint32_t channel) const {
    return channel < first_made_ ? states_[channel].backlog : made_[channel - first_made_].backlog;
  }
  // Returns the last entry of a backlog with receives; its `next` is the first.
  static std::uint32_t last_posted(Backlog b) { return static_cast<std::uint32_t>(b) - 1; }

  Network& network_;
  const bool routes_by_tag_;
  const LinkedProgram& program_;
  const std::uint32_t first_made_;  // first channel made by acquire()
  std::uint64_t unclaimed_ = 0;
  HugeVector<Fixed> states_;      // by position
  Pool<Made, &Made::next> made_;  // numbered after the fixed channels
  // Open addressing as in IndexTable, but slots contain the hash, so that a probe accesses no channel.
  GrowingHugeVector<Slot> table_;
  std::size_t used_ = 0;
  Pool<Entry, &Entry::next> entries_;
  Pool<Pending, &Pending::channel> pending_;
};

template <class Observer>
class Messages : public Channels {
 public:
  // With `rendezvous`, a message starts after its receiver has requested it by a message of 8192 bytes.
  Messages(EventQueue& queue, Network& network, const LinkedProgram& program, bool rendezvous, Observer& observer)
      : Channels(network, program),
        queue_(queue),
        observer_(observer),
        rendezvous_(rendezvous),
        sent_(program.ranks.size()) {}

  // Returns the channel of a key; call release() once for each call.
  std::uint32_t acquire(const ChannelKey& key) {
    const std::uint32_t channel = find_or_make(observer_.framed(key));
    Made& made = made_[channel - first_made_];
    if (made.refs == 1) made.destination = observer_.destination(made.key);
    return channel;
  }

  // Starts a message: `sent` is fired when it arrives.
  void send(std::uint32_t channel, Waiter sent, std::int64_t priority = 0) {
    const ChannelKey& k = key(channel);
    send(channel, sent, k.src, destination(channel), k.bytes, priority);
  }
  // Does the same, for a caller that already has the ends and the size (bytes).
  void send(std::uint32_t channel, Waiter sent, Rank src, Rank dst, std::int64_t bytes, std::int64_t priority) {
    count(src, bytes);
    if (traffic_ != nullptr) {
      const ChannelKey& k = key(channel);
      traffic_->add(src, Observer::is_reduced ? k.dst : dst, bytes, Observer::is_reduced && k.exchange);
    }
    if (rendezvous_) {
      has_long_rendezvous_ = has_long_rendezvous_ || bytes > INT32_MAX;
      return send_when_asked(channel, src, sent, priority);
    }
    start(channel, sent, src, dst, bytes, priority);
  }
  // Sets the scheduled route of the next message. Not with rendezvous.
  void go_by(const ScheduledWay& way) { way_ = way; }
  // Posts a receive of `npu`, the destination: `received` is fired when its message has arrived, by an event of
  // this tick if it has arrived before.
  void receive(std::uint32_t channel, Rank npu, Waiter received) {
    if (rendezvous_) return ask(channel, npu, received);
    post(channel, backlog(channel), npu, received);
  }
  // Posts a receive of a fixed channel, given its state.
  void receive(std::uint32_t channel, Fixed& state, Rank npu, Waiter received) {
    if (rendezvous_) return ask(channel, npu, received);
    post(channel, state.backlog, npu, received);
  }

  static constexpr std::uint32_t no_spot = UINT32_MAX;
  // Stream for which a message is sent, and its position there.
  struct ForStream {
    std::uint32_t stream;
    std::uint32_t spot;  // not no_spot
  };
  // Starts a message for a stream: when it arrives, take() returns `to`. Not with rendezvous. `exchange` as in
  // ChannelKey.
  void send(ForStream to, Waiter sent, Rank src, Rank dst, std::int64_t bytes, std::int64_t priority,
            bool exchange) {
    count(src, bytes);
    if (traffic_ != nullptr) traffic_->add(src, dst, bytes, false);
    const MessageToken m = messages_.emplace(to.stream, to.spot, src, dst, sent);
    network_.prefetch_new(messages_.next_number());
    observer_.sends(m, dst, bytes, exchange, 0);
    if (routes_by_tag_) network_.set_tag(0);
    network_.send(src, dst, bytes, m, priority);
    observer_.was_sent();
  }
  // Returns the delay of a message in a network without contention.
  [[nodiscard]] Picoseconds delay(Rank src, Rank dst, std::int64_t bytes) const {
    return *network_.fixed_delay(src, dst, bytes);
  }
  // Counts messages that are not started one by one: `messages` × `bytes_each` + `more` bytes.
  void count_many(Rank src, Rank dst, std::uint64_t messages, std::int64_t bytes_each, std::int64_t more) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(messages, bytes_each, &bytes) || __builtin_add_overflow(bytes, more, &bytes))
      too_much();
    sent_[src].messages += messages - 1;
    count(src, bytes);
    if (traffic_ != nullptr) traffic_->add(src, dst, bytes, false, messages);
  }
  // Schedules the arrival of the last of these messages after `delay`, as an `event_last` of its stream.
  void come_last(std::uint32_t stream, Picoseconds delay) { queue_.push_after(delay, stream, event_last); }
  // Schedules the send of the last of these messages after `delay`, as an `event_sent` of its stream.
  void send_last(std::uint32_t stream, Picoseconds delay) { queue_.push_after(delay, stream, event_sent); }
  // Forward to Network.
  [[nodiscard]] std::optional<MessageWay> way(Rank src, Rank dst, std::int64_t bytes) {
    return network_.way(src, dst, bytes);
  }
  [[nodiscard]] bool is_idle(std::uint32_t wire) const { return network_.is_idle(wire); }
  void begin_call(std::uint32_t run, const CallFlow& flow, std::span<const Rank> members) {
    network_.begin_call(run, flow, members);
  }
  // Declares that the next message is of an algorithm with this protocol. Not with rendezvous.
  void next_is_of_program(std::optional<Protocol> protocol) { network_.next_is_of_program(protocol); }
  [[nodiscard]] bool watches() const { return network_.watches_messages(); }
  void watch(Rank src, Rank dst, std::int64_t bytes, Picoseconds begin) { network_.watch(src, dst, bytes, begin); }
  // Schedules the receive, by a stream of `npu`, of a message that has arrived before, by an event of this tick.
  void receive_late(Rank npu, Waiter received) { take_later(no_channel, npu, received); }
  [[nodiscard]] bool is_for_stream(MessageToken m) const { return messages_[m].spot != no_spot; }
  [[nodiscard]] std::uint32_t stream_of(MessageToken m) const { return messages_[m].channel; }
  // Returns the stream of a message that has arrived, and removes the message.
  ForStream take(MessageToken m) {
    const ForStream to{messages_[m].channel, messages_[m].spot};
    messages_.remove(m);
    return to;
  }

  // Makes `traffic` count all messages except control messages.
  void count_in(Traffic& traffic) { traffic_ = &traffic; }
  // Returns whether a message with rendezvous had 2^31 bytes or more.
  [[nodiscard]] bool has_long_rendezvous() const { return has_long_rendezvous_; }

  // Waiter to fire, and its NPU.
  struct Call {
    Rank npu = 0;
    Waiter waiter{};
  };
  // sender() returns the waiter for the end of message `m`, which is under way. The others return the waiters to
  // fire after the arrival of message `m`: first sent(), for the sender, then arrive(), for the receiver (nobody if
  // no receive is posted).
  [[nodiscard]] Call sender(MessageToken m) const { return {messages_[m].src, messages_[m].sent}; }
  [[nodiscard]] Call sent(MessageToken m) {
    const Message& message = messages_[m];
    observer_.tells_sender(message.src, message.sent);
    return {message.src, message.sent};
  }
  [[nodiscard]] Call arrive(MessageToken m);
  // Handles an `event_receive` with argument `arg`; returns the waiter to fire.
  [[nodiscard]] Call take_late(std::uint32_t arg);
  // Handle Waiter::control_sent and control_recv.
  void control_sent(std::uint32_t index);
  void control_received(std::uint32_t index);

  // Messages sent by an NPU, except control messages.
  struct Sent {
    std::uint64_t messages = 0;
    std::int64_t bytes = 0;
  };
  [[nodiscard]] const Sent& sent_by(Rank npu) const { return sent_[npu]; }

  // Returns the maximum number of messages that were under way at once.
  [[nodiscard]] std::size_t most_under_way() const { return messages_.size(); }

  // Prefetch the data of message `m` for its arrival: call prefetch() first, and prefetch_channel() some time
  // later. Inlined, as g++ removes calls of functions that only prefetch.
  [[gnu::always_inline]] void prefetch(MessageToken m) const {
    __builtin_prefetch(&messages_[m]);
    __builtin_prefetch(reinterpret_cast<const char*>(&messages_[m] + 1) - 1);
  }
  // Prefetches the data for a send of `npu`.
  [[gnu::always_inline]] void prefetch_sender(Rank npu) const { __builtin_prefetch(&sent_[npu], 1); }
  [[gnu::always_inline]] void prefetch_fixed(std::uint32_t place) const { __builtin_prefetch(&states_[place]); }
  [[gnu::always_inline]] void prefetch_channel(MessageToken m) const {
    __builtin_prefetch(&backlog(messages_[m].channel));
  }

 private:
  struct Message {
    std::uint32_t channel;  // or the stream
    std::uint32_t spot;     // of a stream; none: it is in a channel
    Rank src;
    Rank dst;
    Waiter sent;
  };

  void count(Rank src, std::int64_t bytes) {
    Sent& count = sent_[src];
    ++count.messages;
    if (__builtin_add_overflow(count.bytes, bytes, &count.bytes)) too_much();
  }

  [[nodiscard]] Rank destination(std::uint32_t channel) const {
    return channel < first_made_ ? observer_.destination(key(channel)) : made_[channel - first_made_].destination;
  }
  void start(std::uint32_t channel, Waiter sent, std::int64_t priority) {
    const ChannelKey& k = key(channel);
    start(channel, sent, k.src, destination(channel), k.bytes, priority);
  }
  void start(std::uint32_t channel, Waiter sent, Rank src, Rank dst, std::int64_t bytes, std::int64_t priority);
  void post(std::uint32_t channel, Backlog& q, Rank npu, Waiter received);
  void take_later(std::uint32_t channel, Rank npu, Waiter received);
  void send_when_asked(std::uint32_t channel, Rank npu, Waiter sent, std::int64_t priority);
  void ask(std::uint32_t channel, Rank npu, Waiter received);
  [[nodiscard]] std::uint32_t control_channel(std::uint32_t channel);
  [[noreturn]] static void too_much() { throw Error("an NPU sends 2^63 bytes or more"); }

  EventQueue& queue_;
  Observer& observer_;
  ScheduledWay way_{};  // of the next message
  const bool rendezvous_;
  bool has_long_rendezvous_ = false;
  HugeVector<Sent> sent_;  // by NPU
  Traffic* traffic_ = nullptr;
  Pool<Message, &Message::channel> messages_;
};

}  // namespace convert
