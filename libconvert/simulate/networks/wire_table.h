// SPDX-License-Identifier: MIT
// Queues and traffic of links, and the packets that wait or travel, in blocks of memory.
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

// Events of networks with links.
inline constexpr std::uint32_t event_hop = event_network;            // packet `arg` is at the end of a link
inline constexpr std::uint32_t event_wire_free = event_network + 1;  // link `arg` takes the next packet

// Packets have the numbers of their messages. The table uses their member `std::uint32_t next` while they wait.
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

  // Moves a packet to a link. Returns true if it takes the link at once; else it waits after the others.
  bool enter(std::uint32_t wire, std::uint32_t p) {
    return enter(wire, p, [](const Packet&, const Packet&) { return false; });
  }
  // Does the same, but the packet waits before the packets for which sooner(packet, other) is true.
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
  // Returns the number of packets that wait for a busy link.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t wire) const { return wires_[wire].load - 1; }
  [[nodiscard]] bool is_idle(std::uint32_t wire) const { return wires_[wire].load == 0; }
  // Returns the first packet that waits for the link; there must be one.
  [[nodiscard]] std::uint32_t first(std::uint32_t wire) const { return wires_[wire].first; }
  // Removes the packet on the link from it. Returns the packet that takes the link next, or none.
  std::uint32_t leave(std::uint32_t wire) {
    Wire& w = wires_[wire];
    if (--w.load == 0) return none;
    return std::exchange(w.first, packet(w.first).next);
  }
  // Counts a packet that takes the link from `now` for `busy_ps`. Throws Error at 2^32 packets or 2^63 bytes.
  void count(std::uint32_t wire, std::int64_t bytes, Picoseconds now, Picoseconds busy_ps) {
    if (!count_use_) return;
    Use& u = use_[wire];
    u.busy_ps += busy_ps;  // within simulated time
    u.free_at = now + busy_ps;
    if (++u.messages == 0 || __builtin_add_overflow(u.bytes, bytes, &u.bytes))
      throw Error("link traffic reaches 2^32 messages or 2^63 bytes");
    if (bins_) bins_->add(wire, now, now + busy_ps);
  }
  [[nodiscard]] const BusyBins* bins() const { return bins_ ? &*bins_ : nullptr; }

  // Returns the links that carried a message, by ascending number, with busy times until at most `end`. `describe`
  // sets the ends of each link.
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
  // Queue of a link, including the packet on it. All zero means idle.
  struct Wire {
    std::uint32_t load;   // packets that wait or are on the link
    std::uint32_t first;  // first waiting packet, head of a list, if load > 1
    std::uint32_t last;
  };
  // Separate from Wire: the links of a large network must fit in the cache if their use is not recorded.
  struct Use {
    std::int64_t bytes;
    Picoseconds busy_ps;
    Picoseconds free_at;  // end of the last packet
    std::uint32_t messages;
    std::uint32_t peak_queue;
  };
  struct FreeMemory {
    void operator()(void* p) const { std::free(p); }
  };
  template <typename T>
  using Zeros = std::unique_ptr<T[], FreeMemory>;
  // Allocates zero pages, which take no memory until they are used: a fully connected network has npus² links, and
  // an algorithm uses few. Uses huge pages only for small tables.
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
