// SPDX-License-Identifier: MIT
// Native algorithms of SystemLayer; for layer.cpp only. They run by bundles: a local pass, with a reduction or
// plain, followed by a message. Every received message starts the next bundle.
#pragma once

#include <utility>

#include "simulate/system/layer.h"
#include "simulate/system/stream.h"

namespace convert {

// Returns whether partners are found by XOR of coordinates, or of indices in the ring of a group.
inline bool is_exchange(const PhasePlan& p) {
  return p.algorithm == NativeAlgorithm::halving_doubling && !(p.group_ring && p.members == 2);
}

// Returns whether bundle `number` reduces; see make_bundle().
inline bool bundle_reduces(const PhasePlan& p, std::uint64_t number) {
  if (number % p.cycle < p.window) return false;
  return p.op == Collective::reduce_scatter || (p.op == Collective::all_reduce && number / p.cycle % 2 == 0);
}

template <class Observer>
void SystemLayer<Observer>::init_algorithm(std::uint32_t s) {
  Stream& st = stream(s);
  const PhasePlan& p = *st.phase;
  st.place = place_in(st, p);
  st.steps_left = p.steps;
  st.at = 0;
  st.reducing = false;
  st.reduction = p.reduction;
  st.bytes = p.message_bytes;
  open_inbox(st, p.algorithm == NativeAlgorithm::ring ? Inbox::Slots::sizes : Inbox::Slots::messages);
  switch (p.algorithm) {
    case NativeAlgorithm::ring: return make_bundle(s);
    case NativeAlgorithm::direct:
      st.prepared = st.free = 0;
      st.sent = st.received = 0;
      for (std::uint32_t i = 0; i < p.window; ++i) make_bundle(s);
      return;
    case NativeAlgorithm::halving_doubling:
      st.turned = p.op == Collective::all_gather;
      st.distance = st.turned ? p.members / 2 : 1;
      return make_bundle(s);
    default: return init_tree(s);
  }
}

template <class Observer>
void SystemLayer<Observer>::step(std::uint32_t s) {
  switch (stream(s).phase->algorithm) {
    case NativeAlgorithm::ring: return ring_step(s);
    case NativeAlgorithm::direct: return direct_step(s);
    case NativeAlgorithm::halving_doubling: return halving_doubling_step(s);
    default: return tree_step(s, false);
  }
}

template <class Observer>
void SystemLayer<Observer>::received(std::uint32_t s) {
  Stream& st = stream(s);
  if (st.phase->algorithm == NativeAlgorithm::double_binary_tree) return tree_step(s, true);
  ++st.received;
  make_bundle(s);
}

// Makes the next bundle of a cycle. The first `window` bundles are plain; the others reduce in a reduce-scatter,
// and in every other cycle of an all-reduce.
template <class Observer>
void SystemLayer<Observer>::make_bundle(std::uint32_t s) {
  Stream& st = stream(s);
  const PhasePlan& p = *st.phase;
  if (st.at == 0) {
    st.reducing = p.op == Collective::reduce_scatter || (p.op == Collective::all_reduce && !st.reducing);
  }
  const bool halving = p.algorithm == NativeAlgorithm::halving_doubling;
  if (halving) st.reduction = model_.reduction(st.bytes);
  const bool plain = st.at < p.window;
  send_bundle(s, !plain && st.reducing, plain, !plain && st.at + p.window < p.cycle);
  if (++st.at == p.cycle) st.at = 0;
  ++st.prepared;
  if (halving) {
    st.ready_bytes = st.bytes;
    st.ready_distance = st.distance;
    halving_doubling_advance(st);
  }
}

template <class Observer>
void SystemLayer<Observer>::send_bundle(std::uint32_t s, bool reduce, bool from_npu, bool send_back) {
  const Stream& st = stream(s);
  const Waiter next{reduce ? Waiter::reduction : Waiter::phase_step, s};
  if (bus_ && !st.phase->group_ring) {
    bus_->request(st.npu, from_npu, st.bytes, reduce, send_back, next);
  } else {
    events_.add(st.npu, st.phase->endpoint_delay, next);
  }
}

// Sends a message to a member, which receives it in `slot` of the same phase.
template <class Observer>
void SystemLayer<Observer>::send_to(Stream& st, std::uint32_t place, std::uint32_t slot, std::int64_t bytes,
                                    Waiter sent) {
  const Rank peer = member(st, place);
  const bool exchange = is_exchange(*st.phase);
  if (streams_meet_) {
    const bool in_ring = st.phase->algorithm == NativeAlgorithm::ring;
    if (in_ring && st.to_next == 0) st.to_next = stream_at(st, place) + 1;
    messages_.send({in_ring ? st.to_next - 1 : stream_at(st, place), spot(st.phase_index, slot)}, sent, st.npu,
                   peer, bytes, st.priority, exchange);
    return;
  }
  const std::uint32_t channel = acquire(st, st.to_next, st.npu, peer, bytes);
  if (st.phase->class_ring != 0) {
    messages_.send(channel, sent, st.npu, peer, bytes, st.priority);
  } else {
    messages_.send(channel, sent, st.priority);
  }
  release(st, channel);
}

template <class Observer>
void SystemLayer<Observer>::receive_from(std::uint32_t s, std::uint32_t place, std::uint32_t slot,
                                         std::int64_t bytes) {
  Stream& st = stream(s);
  const Waiter received{Waiter::phase_recv, s};
  if (streams_meet_) {
    if (st.inbox.post(slot)) messages_.receive_late(st.npu, received);
    return;
  }
  const std::uint32_t channel = acquire(st, st.from_previous, member(st, place), st.npu, bytes);
  messages_.receive(channel, st.npu, received);
  release(st, channel);
}

// Returns the channel of a message of the stream. A ring stores its last channel in `kept`.
template <class Observer>
std::uint32_t SystemLayer<Observer>::acquire(const Stream& st, std::uint32_t& kept, Rank src, Rank dst,
                                             std::int64_t bytes) {
  const bool in_ring = st.phase->algorithm == NativeAlgorithm::ring;
  if (in_ring && kept != 0) {
    if (messages_.key(kept - 1).bytes == bytes) return kept - 1;
    messages_.release(kept - 1);
  }
  const PhasePlan& p = *st.phase;
  const std::uint32_t channel = messages_.acquire({.bytes = bytes,
                                                   .src = src,
                                                   .dst = dst,
                                                   .tag = st.tag,
                                                   .run = p.class_ring == 0 ? 0 : class_ring_of(st),
                                                   .native = true,
                                                   .exchange = is_exchange(p),
                                                   .class_ring = p.class_ring != 0});
  if (in_ring) kept = channel + 1;
  return channel;
}

template <class Observer>
void SystemLayer<Observer>::release(const Stream& st, std::uint32_t channel) {
  if (st.phase->algorithm != NativeAlgorithm::ring) messages_.release(channel);
}
template <class Observer>
void SystemLayer<Observer>::release_kept(Stream& st) {
  if (streams_meet_) return;
  for (std::uint32_t* kept : {&st.to_next, &st.from_previous}) {
    if (*kept != 0) messages_.release(std::exchange(*kept, 0) - 1);
  }
}

// Sends the completed bundle to the next member, or ends the phase. One bundle is under way at a time.
template <class Observer>
void SystemLayer<Observer>::ring_step(std::uint32_t s) {
  Stream& st = stream(s);
  if (st.steps_left == 0) return end_phase(s);
  if (st.steps_left == st.phase->steps && close(s)) return;
  --st.steps_left;
  send_to(st, neighbour(st, 1, true), 0, st.bytes);
  receive_from(s, neighbour(st, 1, false), 0, st.bytes);
}

// Records a completed bundle, and sends the messages that it permits. Message k goes to the member 1 + k mod (n-1)
// indices on. The second half of an all-reduce starts after all of the first half has been received.
template <class Observer>
void SystemLayer<Observer>::direct_step(std::uint32_t s) {
  Stream& st = stream(s);
  const PhasePlan& p = *st.phase;
  ++st.free;
  if (p.op == Collective::all_reduce && st.steps_left <= p.members - 1) {
    if (st.received < p.members - 1) return;
    for (std::uint32_t i = 0; i < p.window && direct_send(s);) ++i;
  } else {
    (void)direct_send(s);
  }
  if (st.steps_left == 0 && st.free == p.window) end_phase(s);
}

template <class Observer>
bool SystemLayer<Observer>::direct_send(std::uint32_t s) {
  Stream& st = stream(s);
  if (st.prepared == 0 || st.steps_left == 0 || st.free == 0) return false;
  const auto slot = static_cast<std::uint32_t>(st.sent++);
  const std::uint32_t distance = 1 + slot % (st.phase->members - 1);
  --st.prepared;
  --st.free;
  --st.steps_left;
  send_to(st, neighbour(st, distance, true), slot, st.phase->message_bytes);
  receive_from(s, neighbour(st, distance, false), slot, st.phase->message_bytes);
  return true;
}

template <class Observer>
void SystemLayer<Observer>::halving_doubling_step(std::uint32_t s) {
  Stream& st = stream(s);
  if (st.steps_left == 0) return end_phase(s);
  if (st.steps_left == st.phase->steps && close(s)) return;
  const auto slot = static_cast<std::uint32_t>(st.phase->steps - st.steps_left--);
  const std::uint32_t partner = st.place ^ st.ready_distance;
  send_to(st, partner, slot, st.ready_bytes);
  receive_from(s, partner, slot, st.ready_bytes);
}

// Advances to the distance and size of the next bundle. An all-reduce halves the message and doubles the distance
// until the distance would reach n, and then reverses.
template <class Observer>
void SystemLayer<Observer>::halving_doubling_advance(Stream& st) {
  if (st.turned) {
    st.distance /= 2;
    st.bytes *= 2;
    return;
  }
  st.distance *= 2;
  st.bytes /= 2;
  if (st.distance == st.phase->members && st.phase->op == Collective::all_reduce) {
    st.turned = true;
    st.distance /= 2;
    st.bytes *= 2;
  }
}

template <class Observer>
void SystemLayer<Observer>::tree_send(Stream& st, std::uint32_t place) {
  send_to(st, place, slot_in_tree(*st.phase, place, st.place, st.low_root), st.bytes);
}

template <class Observer>
void SystemLayer<Observer>::tree_receive(std::uint32_t s, std::uint32_t place) {
  const Stream& st = stream(s);
  receive_from(s, place, slot_in_tree(*st.phase, st.place, place, st.low_root), st.bytes);
}

template <class Observer>
void SystemLayer<Observer>::init_tree(std::uint32_t s) {
  Stream& st = stream(s);
  const std::uint32_t none = st.phase->members;
  const TreePlace at = place_in_tree(none, st.place, st.low_root);
  st.reductions = 0;
  st.parent = at.parent;
  st.left = at.left;
  st.right = at.right;
  if (at.parent == none) {
    st.tree = Stream::Tree::root_wait;
    return tree_receive(s, st.left);
  }
  if (at.left == none) {
    st.tree = Stream::Tree::leaf_begin;
    return tree_step(s, false);
  }
  st.tree = Stream::Tree::inner_two;
  tree_receive(s, st.left);
  tree_receive(s, st.right);
}

// Continues the tree: with `message` a message has been received; else a bundle has completed.
template <class Observer>
void SystemLayer<Observer>::tree_step(std::uint32_t s, bool message) {
  using Tree = Stream::Tree;
  Stream& st = stream(s);
  switch (st.tree) {
    case Tree::leaf_begin: st.tree = Tree::leaf_send; return send_bundle(s, false, true, false);
    case Tree::leaf_send:
      st.tree = Tree::leaf_wait;
      tree_send(st, st.parent);
      return tree_receive(s, st.parent);
    case Tree::leaf_wait: st.tree = Tree::leaf_end; return send_bundle(s, false, false, false);
    case Tree::inner_two:
    case Tree::inner_one:
      if (!message) {
        ++st.reductions;
        return;
      }
      send_bundle(s, true, false, st.tree == Tree::inner_one);
      st.tree = st.tree == Tree::inner_two ? Tree::inner_one : Tree::inner_send;
      return;
    case Tree::inner_send:
      if (st.reductions++ == 0) return;
      st.tree = Tree::inner_wait;
      tree_send(st, st.parent);
      return tree_receive(s, st.parent);
    case Tree::inner_wait: st.tree = Tree::inner_pass; return send_bundle(s, true, false, true);
    case Tree::inner_pass:
      tree_send(st, st.left);
      tree_send(st, st.right);
      return end_phase(s);
    case Tree::root_wait: st.tree = Tree::root_pass; return send_bundle(s, true, false, true);
    case Tree::root_pass: tree_send(st, st.left); return end_phase(s);
    case Tree::leaf_end: return end_phase(s);
  }
}

}  // namespace convert
