// SPDX-License-Identifier: MIT
#include "simulate/engine/messages.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "simulate/explain/causes.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"

namespace convert {
namespace {

constexpr std::int64_t control_bytes = 8192;

// Neighbouring destinations have adjacent hashes, as an NPU often sends to one after the other.
std::uint32_t table_hash(ChannelKey key) {
  constexpr Rank neighbours = 8;
  const Rank neighbour = key.dst % neighbours;
  key.dst -= neighbour;
  return static_cast<std::uint32_t>(hash(key)) / neighbours * neighbours + neighbour;
}

}  // namespace

Channels::Channels(Network& network, const LinkedProgram& program)
    : network_(network),
      routes_by_tag_(network.routes_by_tag()),
      program_(program),
      first_made_(program.places.size()),
      states_(first_made_),
      table_(64) {}

std::uint64_t hash(const ChannelKey& key) {
  std::uint64_t h = static_cast<std::uint64_t>(key.bytes) * 0x9e3779b97f4a7c15U;
  h ^= (std::uint64_t{key.src} << 32 | key.dst) + (h >> 29);
  h *= 0xbf58476d1ce4e5b9U;
  h += key.run * 0xff51afd7ed558ccdU;
  h ^= static_cast<std::uint64_t>(key.tag) + (h >> 32);
  h += (key.native ? 0x9e3779b900000000U : 0) + (key.control ? 0x3c6ef37200000000U : 0) +
       (key.exchange ? 0xdaa66d2b00000000U : 0);
  h *= 0x94d049bb133111ebU;
  return h ^ h >> 31;
}

std::uint32_t Channels::find_or_make(const ChannelKey& key) {
  const std::size_t mask = table_.size() - 1;
  const std::uint32_t h = table_hash(key);
  std::size_t i = h & mask;
  for (; table_[i].made != 0; i = (i + 1) & mask) {
    if (table_[i].hash != h) continue;
    const std::uint32_t made = table_[i].made - 1;
    if (made_[made].key == key) {
      ++made_[made].refs;
      return first_made_ + made;
    }
  }
  std::optional<Picoseconds> delay;
  if (!network_.watches_messages() && !key.class_ring) delay = network_.fixed_delay(key.src, key.dst, key.bytes);
  const std::uint32_t made = made_.add({.refs = 1, .key = key, .delay = delay.value_or(-1)});
  table_[i] = {h, made + 1};
  if (++used_ * 2 > table_.size()) grow();
  return first_made_ + made;
}

void Channels::grow() {
  GrowingHugeVector<Slot> old(table_.size() * 2);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.made == 0) continue;
    std::size_t i = slot.hash & mask;
    while (table_[i].made != 0) i = (i + 1) & mask;
    table_[i] = slot;
  }
}

void Channels::remove(std::uint32_t made) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = table_hash(made_[made].key) & mask;
  while (table_[hole].made != made + 1) hole = (hole + 1) & mask;
  for (std::size_t i = (hole + 1) & mask; table_[i].made != 0; i = (i + 1) & mask) {
    if (((i - table_[i].hash) & mask) >= ((i - hole) & mask)) {
      table_[hole] = table_[i];
      hole = i;
    }
  }
  table_[hole] = {};
  --used_;
  made_.remove(made);
}

std::vector<Channels::Left> Channels::left() const {
  std::vector<Left> left;
  std::vector<Left> sends;
  // Returns the number of a channel.
  const auto fixed = static_cast<std::uint32_t>(program_.channels.size());
  const auto number_of = [&](std::uint32_t channel) {
    return channel < first_made_ ? program_.places.element(channel) : fixed + (channel - first_made_);
  };
  for (std::uint32_t number = 0; number < fixed + made_.size(); ++number) {
    const std::uint32_t channel = number < fixed ? program_.places.place(number) : first_made_ + (number - fixed);
    if (channel >= first_made_ && made_[channel - first_made_].refs == 0) continue;
    const Backlog q = backlog(channel);
    for (Backlog i = q; i < 0; ++i) left.push_back({number, &key(channel), {}});
    if (q <= 0) continue;
    const std::uint32_t last = last_posted(q);
    std::uint32_t entry = last;
    do {
      entry = entries_[entry].next;
      const Waiter waiter = entries_[entry].receive;
      if (waiter.kind() == Waiter::control_recv) {
        const Pending& send = pending_[waiter.index()];
        sends.push_back({number_of(send.channel), &key(send.channel), send.waiter, true});
      } else {
        left.push_back({number, &key(channel), waiter});
      }
    } while (entry != last);
  }
  std::stable_sort(sends.begin(), sends.end(), [](const Left& a, const Left& b) { return a.channel < b.channel; });
  left.insert(left.end(), sends.begin(), sends.end());
  return left;
}

template <class Observer>
void Messages<Observer>::start(std::uint32_t channel, Waiter sent, Rank src, Rank dst, std::int64_t bytes,
                               std::int64_t priority) {
  ref(channel);
  Rank device = dst;  // destination in the network
  bool exchange = false;
  std::uint32_t ring = 0;
  if constexpr (!std::is_same_v<Observer, NoObserver>) {
    const ChannelKey& k = key(channel);
    if (Observer::is_reduced) (k.class_ring ? dst : device) = k.dst;
    exchange = k.exchange;
    ring = k.class_ring ? k.run : 0;
  }
  const MessageToken m = messages_.emplace(channel, no_spot, src, dst, sent);
  network_.prefetch_new(messages_.next_number());
  observer_.sends(m, device, bytes, exchange, ring);
  if (way_.turns.count != 0 || way_.through != no_device) network_.go_by(m, std::exchange(way_, {}));
  if (channel >= first_made_ && made_[channel - first_made_].delay >= 0) {
    queue_.push_after(made_[channel - first_made_].delay, m, event_arrival);
  } else {
    if (routes_by_tag_) {
      const ChannelKey& k = key(channel);
      network_.set_tag(k.native ? 0 : k.tag);
    }
    network_.send(src, device, bytes, m, priority);
  }
  observer_.was_sent();
}

template <class Observer>
void Messages<Observer>::post(std::uint32_t channel, Backlog& q, Rank npu, Waiter received) {
  if (q < 0) {  // its reference passes to the event
    ++q;
    --unclaimed_;
    return take_later(channel, npu, received);
  }
  ref(channel);
  const std::uint32_t entry = entries_.emplace(received, 0U);
  entries_[entry].next = q == 0 ? entry : std::exchange(entries_[last_posted(q)].next, entry);
  q = static_cast<Backlog>(entry + 1);
}

template <class Observer>
void Messages<Observer>::take_later(std::uint32_t channel, Rank npu, Waiter received) {
  const std::uint32_t late = pending_.emplace(channel, npu, received);
  observer_.finds_message(late);
  queue_.push_after(0, late, event_receive);
}

template <class Observer>
typename Messages<Observer>::Call Messages<Observer>::arrive(MessageToken m) {
  const std::uint32_t channel = messages_[m].channel;
  const Rank dst = messages_[m].dst;
  messages_.remove(m);
  Backlog& q = backlog(channel);
  if (q <= 0) {  // keeps the message's reference
    observer_.tells_receiver(key(channel), dst, {Waiter::nobody, channel});
    --q;
    ++unclaimed_;
    return {dst, {}};
  }
  const std::uint32_t last = last_posted(q);
  const std::uint32_t first = entries_[last].next;
  observer_.tells_receiver(key(channel), dst, entries_[first].receive);
  entries_[last].next = entries_[first].next;
  if (first == last) q = 0;
  entries_.remove(first);
  unref(channel);  // references of the message and of the receive
  unref(channel);
  return {dst, entries_[first].receive};
}

template <class Observer>
typename Messages<Observer>::Call Messages<Observer>::take_late(std::uint32_t arg) {
  const Pending p = pending_[arg];
  pending_.remove(arg);
  observer_.takes_message(arg, p.npu, p.waiter);
  if (p.channel != no_channel) unref(p.channel);
  return {p.npu, p.waiter};
}

template <class Observer>
std::uint32_t Messages<Observer>::control_channel(std::uint32_t channel) {
  const ChannelKey data = key(channel);
  return acquire({.bytes = control_bytes,
                  .src = data.dst,
                  .dst = data.src,
                  .tag = data.tag,
                  .run = data.run,
                  .native = data.native,
                  .control = true,
                  .exchange = data.exchange});
}

template <class Observer>
void Messages<Observer>::send_when_asked(std::uint32_t channel, Rank npu, Waiter sent, std::int64_t priority) {
  ref(channel);
  const std::uint32_t control = control_channel(channel);
  const std::uint32_t pending = pending_.emplace(channel, npu, sent, priority);
  observer_.waits(pending);
  post(control, backlog(control), npu, {Waiter::control_recv, pending});
  release(control);
}

template <class Observer>
void Messages<Observer>::ask(std::uint32_t channel, Rank npu, Waiter received) {
  ref(channel);
  const std::uint32_t control = control_channel(channel);
  const std::uint32_t pending = pending_.emplace(channel, npu, received);
  observer_.waits(pending);
  start(control, {Waiter::control_sent, pending}, 0);
  release(control);
}

template <class Observer>
void Messages<Observer>::control_sent(std::uint32_t index) {
  const Pending p = pending_[index];
  pending_.remove(index);
  observer_.goes_on(index);
  post(p.channel, backlog(p.channel), p.npu, p.waiter);
  unref(p.channel);
}

template <class Observer>
void Messages<Observer>::control_received(std::uint32_t index) {
  const Pending p = pending_[index];
  pending_.remove(index);
  observer_.goes_on(index);
  start(p.channel, p.waiter, p.priority);
  unref(p.channel);
}

template class Messages<NoObserver>;
template class Messages<OrderObserver>;
template class Messages<Causes>;
template class Messages<OrderedCauses>;

}  // namespace convert
