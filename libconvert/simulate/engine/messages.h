// SPDX-License-Identifier: MIT
// Messages between NPUs: which receive takes which send, eagerly or with a rendezvous.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/engine/pool.h"
#include "simulate/engine/waiter.h"
#include "simulate/explain/causes.h"
#include "simulate/networks/network.h"
#include "simulate/symmetry/order_watch.h"
#include "util/huge_pages.h"

namespace convert {

// ASTRA-sim's tags, of traces and of its own algorithms, count modulo this.
inline constexpr std::uint32_t astra_tag_modulus = 500'000'000;

// The k-th send of a channel is taken by its k-th receive.
struct ChannelKey {
  std::int64_t bytes = 0;
  Rank src = 0;
  Rank dst = 0;
  std::int64_t tag = 0;
  std::uint32_t run = 0;  // 1 + the run of a collective to which alone it belongs; 0: to all
  bool native = false;    // of a native algorithm: its tags are apart from those of traces
  bool control = false;   // a receiver asks for a message (rendezvous)
  bool exchange = false;  // of two partners of a pairwise exchange; see Symmetry
  friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
};
[[nodiscard]] std::uint64_t hash(const ChannelKey& key);

class Symmetry;

class Messages {
 public:
  // The first channels are those of `fixed` (which is to outlive this), in its order; they are never given back,
  // and not found by acquire(). With `rendezvous`, a message starts when its receiver has told the sender so by a
  // message of 8192 bytes.
  Messages(EventQueue& queue, Network& network, const std::vector<ChannelKey>& fixed, std::size_t npus,
           bool rendezvous);
  // Only representatives take part from now on; what is pushed is noted for `watch`.
  void reduce(const Symmetry& symmetry, OrderWatch& watch) {
    symmetry_ = &symmetry;
    watch_ = &watch;
  }

  void note_causes(Causes& causes) { causes_ = &causes; }

  // The channel of a key, made if it does not exist. Each call is to be followed by one release().
  std::uint32_t acquire(ChannelKey key);
  void release(std::uint32_t channel);
  // So many channels that it pays to fetch them ahead.
  [[nodiscard]] bool exceed_caches() const { return table_.size() > std::size_t{1} << 15; }
  // Hints that acquire(key) comes soon: first the one, some time later the other.
  void prefetch_slot(const ChannelKey& key) const;
  void prefetch_made(const ChannelKey& key) const;
  [[nodiscard]] const ChannelKey& key(std::uint32_t channel) const {
    return channel < first_made_ ? fixed_[channel] : made_[channel - first_made_].key;
  }

  // Starts a message: `sent` is fired when it arrives.
  void send(std::uint32_t channel, Waiter sent, std::int64_t priority = 0) {
    const ChannelKey& k = key(channel);
    send(channel, sent, k.src, destination(channel), k.bytes, priority);
  }
  // The same, where the caller knows the ends and the size.
  void send(std::uint32_t channel, Waiter sent, Rank src, Rank dst, std::int64_t bytes, std::int64_t priority) {
    Sent& count = sent_[src];
    ++count.messages;
    if (__builtin_add_overflow(count.bytes, bytes, &count.bytes)) too_much();
    if (rendezvous_) {
      has_long_rendezvous_ = has_long_rendezvous_ || bytes > INT32_MAX;
      return send_when_asked(channel, src, sent, priority);
    }
    start(channel, sent, src, dst, bytes, priority);
  }
  // Posts a receive of `npu`, the destination: `received` is fired when its message is there (an event at this tick
  // if it is already).
  void receive(std::uint32_t channel, Rank npu, Waiter received) {
    if (rendezvous_) return ask(channel, npu, received);
    post(channel, npu, received);
  }

  // With `rendezvous`: whether a message had 2^31 bytes or more.
  [[nodiscard]] bool has_long_rendezvous() const { return has_long_rendezvous_; }

  // What is to be fired, and on which NPU.
  struct Call {
    Rank npu = 0;
    Waiter waiter{};
  };
  // Message `m` has arrived: first sent(m) is to be fired, then arrive(m) (nobody if no receive is posted).
  [[nodiscard]] Call sent(MessageToken m) const { return {messages_[m].src, messages_[m].sent}; }
  [[nodiscard]] Call arrive(MessageToken m);
  // With a symmetry, before each of the two: who is touched by the arrival, which `pushed` is.
  [[nodiscard]] const Pushed& pushed(MessageToken m) const { return pushed_[m]; }  // where its delay is fixed
  void touch_sender(MessageToken m, const Pushed& pushed);
  void touch_receiver(MessageToken m, const Pushed& pushed);
  void touch_late(std::uint32_t arg);  // before take_late
  [[nodiscard]] Rank destination(std::uint32_t channel) const;
  // Event `event_receive` with argument `arg` has come due.
  [[nodiscard]] Call take_late(std::uint32_t arg);
  // Waiter::control_sent or control_recv has fired.
  void control_sent(std::uint32_t index);
  void control_received(std::uint32_t index);

  // What an NPU has sent, control messages aside.
  struct Sent {
    std::uint64_t messages = 0;
    std::int64_t bytes = 0;
  };
  [[nodiscard]] const Sent& sent_by(Rank npu) const { return sent_[npu]; }

  // Hints that message `m` arrives soon: first the one, some time later the other. Inlined, as g++ takes away calls
  // of functions that only fetch.
  [[gnu::always_inline]] void prefetch(MessageToken m) const { __builtin_prefetch(&messages_[m]); }
  [[gnu::always_inline]] void prefetch_channel(MessageToken m) const {
    __builtin_prefetch(&backlog(messages_[m].channel));
  }

  // What is left when nothing can happen any more: receives without a message, messages without a receive, and
  // (rendezvous) sends that no receiver has asked for. Each kind by channel and then in the order of its calls.
  struct Left {
    std::uint32_t channel;
    Waiter waiter;      // nobody: a message
    bool send = false;  // of a send
  };
  [[nodiscard]] std::vector<Left> left() const;
  [[nodiscard]] bool any_unclaimed() const { return unclaimed_ != 0; }

 private:
  // Counts what waits in a channel. Positive: 1 + the last entry of a circular list of posted receives. Negative:
  // so many messages came before their receive.
  using Backlog = std::int32_t;
  // A channel that acquire() has made. All that a message touches is in one cache line.
  struct alignas(64) Made {
    Backlog backlog = 0;
    std::uint32_t refs = 0;  // owners, messages under way or unclaimed, posted receives
    std::uint32_t next = 0;
    ChannelKey key;
    Picoseconds delay;  // of each message, where it is always the same; else -1
  };
  // An entry of the hash table of made channels.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t made = 0;  // 1 + channel; 0: unused
  };
  struct Entry {
    Waiter receive;
    std::uint32_t next;
  };
  struct Message {
    std::uint32_t channel;
    Waiter sent;
    Rank src;
    Rank dst;
  };
  // A send or receive that waits for its control message, or a receive for the event that completes it.
  struct Pending {
    std::uint32_t channel;  // of the data
    Rank npu;
    Waiter waiter;
    std::int64_t priority = 0;
  };

  void start(std::uint32_t channel, Waiter sent, std::int64_t priority) {
    const ChannelKey& k = key(channel);
    start(channel, sent, k.src, destination(channel), k.bytes, priority);
  }
  void start(std::uint32_t channel, Waiter sent, Rank src, Rank dst, std::int64_t bytes, std::int64_t priority);
  void post(std::uint32_t channel, Rank npu, Waiter received);
  void send_when_asked(std::uint32_t channel, Rank npu, Waiter sent, std::int64_t priority);
  void ask(std::uint32_t channel, Rank npu, Waiter received);
  [[nodiscard]] std::uint32_t control_channel(std::uint32_t channel);
  void ref(std::uint32_t channel) {
    if (channel >= first_made_) ++made_[channel - first_made_].refs;
  }
  void unref(std::uint32_t channel) {
    if (channel >= first_made_ && --made_[channel - first_made_].refs == 0) remove(channel - first_made_);
  }
  void remove(std::uint32_t made);

  void grow();
  [[nodiscard]] Backlog& backlog(std::uint32_t channel) {
    return channel < first_made_ ? fixed_backlogs_[channel] : made_[channel - first_made_].backlog;
  }
  [[nodiscard]] const Backlog& backlog(std::uint32_t channel) const {
    return channel < first_made_ ? fixed_backlogs_[channel] : made_[channel - first_made_].backlog;
  }
  // Return the entries of a backlog with receives.
  static std::uint32_t last_posted(Backlog b) { return static_cast<std::uint32_t>(b) - 1; }
  [[nodiscard]] std::uint32_t first_posted(Backlog b) const { return entries_[last_posted(b)].next; }

  EventQueue& queue_;
  Network& network_;
  [[noreturn]] static void too_much();
  const bool rendezvous_;
  bool has_long_rendezvous_ = false;
  const std::vector<ChannelKey>& fixed_;
  const std::uint32_t first_made_;  // channel
  const Symmetry* symmetry_ = nullptr;
  OrderWatch* watch_ = nullptr;
  Causes* causes_ = nullptr;
  std::vector<Pushed> pushed_;  // by message, with a symmetry
  std::vector<Pushed> late_;    // by pending, with a symmetry
  std::uint64_t unclaimed_ = 0;
  HugeVector<Sent> sent_;  // by NPU
  HugeVector<Backlog> fixed_backlogs_;
  Pool<Made, &Made::next> made_;   // numbered after the fixed ones
  GrowingHugeVector<Slot> table_;  // open addressing
  std::size_t used_ = 0;
  Pool<Entry, &Entry::next> entries_;
  Pool<Message, &Message::channel> messages_;
  Pool<Pending, &Pending::channel> pending_;
};

}  // namespace convert
