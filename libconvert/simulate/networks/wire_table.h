// SPDX-License-Identifier: MIT
// Keeps the queues of wires, what wires have carried, and the packets that wait or travel, in blocks of memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "simulate/networks/network.h"
#include "util/huge_pages.h"

namespace convert {

// Events of networks with wires.
inline constexpr std::uint32_t event_hop = event_network;            // packet `arg` is at the end of a wire
inline constexpr std::uint32_t event_wire_free = event_network + 1;  // wire `arg` takes the next packet

// Numbers packets as their messages. The table uses their member `std::uint32_t next` while they wait.
template <typename Packet>
class WireTable {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  WireTable(std::uint32_t wires, const NetworkOptions& options)
      : count_(wires),
        wires_(zeros<Wire>(wires)),
        use_(zeros<Use>(options.count_wires ? wires : 0)),
        count_use_(options.count_wires) {
    if (options.count_wires && options.bin_wires) bins_.emplace(options.wires_like);
  }

  [[nodiscard]] Packet& packet(std::uint32_t p) {
    return blocks_[p >> block_bits][p & ((std::uint32_t{1} << block_bits) - 1)];
  }
  [[gnu::always_inline]] void prefetch_packet(std::uint32_t p) const {
    const auto* packet = &blocks_[p >> block_bits][p & ((std::uint32_t{1} << block_bits) - 1)];
    __builtin_prefetch(packet);
    __builtin_prefetch(reinterpret_cast<const char*>(packet + 1) - 1);
  }
  [[gnu::always_inline]] void prefetch_wire(std::uint32_t wire) const { __builtin_prefetch(&wires_[wire]); }
  [[gnu::always_inline]] void prefetch_first(std::uint32_t wire) const {
    if (wires_[wire].load > 1) prefetch_packet(wires_[wire].first);
  }
  [[gnu::always_inline]] void prefetch_new(std::uint32_t p) const {
    if (p >> block_bits < blocks_.size()) prefetch_packet(p);
  }
  Packet& new_packet(std::uint32_t p) {
    while (p >> block_bits >= blocks_.size()) blocks_.emplace_back(std::size_t{1} << block_bits);
    return packet(p);
  }

  // Brings a packet to a wire. Returns true if it takes the wire at once; else it waits behind the others.
  bool enter(std::uint32_t wire, std::uint32_t p) {
    return enter(wire, p, [](const Packet&, const Packet&) { return false; });
  }
  // Does the same, but the packet waits before those for which sooner(packet, other) is true.
  template <typename Sooner>
  bool enter(std::uint32_t wire, std::uint32_t p, const Sooner& sooner) {
    Wire& w = wires_[wire];
    const std::uint32_t before = w.load++;
    if (before == 0) return true;
    if (count_use_) use_[wire].peak_queue = std::max(use_[wire].peak_queue, before);
    if (before == 1) {
      w.first = p;
    } else if (!sooner(packet(p), packet(w.last))) {
      packet(w.last).next = p;
    } else if (sooner(packet(p), packet(w.first))) {
      packet(p).next = std::exchange(w.first, p);
      return false;
    } else {
      std::uint32_t ahead = w.first;
      while (!sooner(packet(p), packet(packet(ahead).next))) ahead = packet(ahead).next;
      packet(p).next = std::exchange(packet(ahead).next, p);
      return false;
    }
    w.last = p;
    return false;
  }
  // Returns how many packets wait for a wire that is taken.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t wire) const { return wires_[wire].load - 1; }
  [[nodiscard]] bool is_idle(std::uint32_t wire) const { return wires_[wire].load == 0; }
  // Returns the first of the packets that wait for the wire; there is one.
  [[nodiscard]] std::uint32_t first(std::uint32_t wire) const { return wires_[wire].first; }
  // Takes the packet that is on the wire off it; returns the one that takes the wire next, or none.
  std::uint32_t leave(std::uint32_t wire) {
    Wire& w = wires_[wire];
    if (--w.load == 0) return none;
    return std::exchange(w.first, packet(w.first).next);
  }
  // Counts a packet that takes the wire from `now` for `busy_ps`. Throws Error at 2^32 packets or 2^63 bytes.
  void count(std::uint32_t wire, std::int64_t bytes, Picoseconds now, Picoseconds busy_ps) {
    if (!count_use_) return;
    Use& u = use_[wire];
    u.busy_ps += busy_ps;  // within simulated time
    u.free_at = now + busy_ps;
    if (++u.messages == 0 || __builtin_add_overflow(u.bytes, bytes, &u.bytes))
      throw Error("a link carries 2^32 messages or 2^63 bytes, or more");
    if (bins_) bins_->add(wire, now, now + busy_ps);
  }
  [[nodiscard]] const BusyBins* bins() const { return bins_ ? &*bins_ : nullptr; }

  // Returns the wires that carried a message, in the order of their numbers, busy until `end` at most. `describe`
  // sets the ends of each.
  template <typename Describe>
  [[nodiscard]] std::vector<WireUse> use(Picoseconds end, const Describe& describe) const {
    std::vector<WireUse> out;
    for (std::uint32_t i = 0; count_use_ && i < count_; ++i) {
      if (use_[i].messages == 0) continue;
      WireUse& u = out.emplace_back();
      u.wire = i;
      u.bytes = use_[i].bytes;
      u.messages = use_[i].messages;
      u.busy_ps = use_[i].busy_ps - std::max<Picoseconds>(0, use_[i].free_at - end);
      u.peak_queue = use_[i].peak_queue;
      describe(i, u);
    }
    return out;
  }

 private:
  // Holds the packets that wait for a wire or are on it. All zero means idle.
  struct Wire {
    std::uint32_t load;   // packets that wait or are on the wire
    std::uint32_t first;  // that waits, in a list, if load > 1
    std::uint32_t last;
  };
  // Lies apart: the wires of a large network have to fit in the cache where nobody asks for their use.
  struct Use {
    std::int64_t bytes;
    Picoseconds busy_ps;
    Picoseconds free_at;  // after the last packet
    std::uint32_t messages;
    std::uint32_t peak_queue;
  };
  struct FreeMemory {
    void operator()(void* p) const { std::free(p); }
  };
  template <typename T>
  using Zeros = std::unique_ptr<T[], FreeMemory>;
  // Allocates zero pages, which take no memory until they are used, as a fully connected network has npus² wires of
  // which an algorithm uses few; huge pages only where that wastes little.
  template <typename T>
  static Zeros<T> zeros(std::size_t count) {
    constexpr std::size_t few = std::size_t{32} << 20U;  // bytes
    Zeros<T> p(static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T))));
    if (p == nullptr) throw std::bad_alloc();
    if (count * sizeof(T) <= few) advise_huge(p.get(), count * sizeof(T));
    return p;
  }
  static constexpr std::uint32_t block_bits = 12;

  std::uint32_t count_;
  Zeros<Wire> wires_;
  Zeros<Use> use_;
  const bool count_use_;
  std::optional<BusyBins> bins_;
  std::vector<HugeVector<Packet>> blocks_;
};

}  // namespace convert
