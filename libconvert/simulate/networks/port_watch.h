// SPDX-License-Identifier: MIT
// Finds how far messages without contention exceed the bandwidth of the links at which NPUs send and receive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/network/wire_numbers.h"
#include "core/trace.h"
#include "core/units.h"
#include "util/huge_pages.h"

namespace convert {

class Symmetry;

// Peak load of a link of an NPU.
struct PortLoad {
  Rank npu = 0;
  bool sends = false;  // over the NPU's first link; else it receives over its last link
  std::uint32_t messages = 0;
  double bytes_per_ns = 0;  // sum of all messages
  double port_bytes_per_ns = 0;
};
// Returns "NPU 3 sends 8 messages at once: 400 GB/s through a port of 50 GB/s".
[[nodiscard]] std::string port_text(const PortLoad& load);
inline constexpr std::string_view port_text_begin = "NPU ";

// Sums the rates of messages on the first and on the last link of each route, for as long as their bytes take.
class PortWatch {
 public:
  // Watches the ports of all NPUs. With a symmetry, only representatives send, and their links represent all links.
  explicit PortWatch(const NetworkConfig& config, const Symmetry* symmetry = nullptr);

  // Counts a message that is sent at `begin`, now or later, and arrives `delay` later. `delay` includes
  // `latency_ns` of latency; the rest is the transfer at the given rate.
  void send(Rank src, Rank dst, double bytes_per_ns, Picoseconds now, Picoseconds begin, Picoseconds delay,
            double latency_ns);
  // Returns the port that was exceeded most until `end`, the first of equals; nothing if no port was exceeded. Call
  // it once.
  [[nodiscard]] std::optional<PortLoad> worst(Picoseconds end);

 private:
  struct Flow {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    double bytes_per_ns = 0;  // per message
    std::uint32_t messages = 1;
  };
  struct alignas(64) Port {
    std::uint32_t wire = 0;
    double bytes_per_ns = 0;      // of the link
    std::vector<Flow> to_come{};  // a heap, the first to begin on top
    std::vector<Flow> active{};   // a heap, the first to end on top
    double rate = 0;              // sum of the active flows
    std::uint32_t messages = 0;   // number of active messages
    PortLoad peak{};
  };
  struct End {
    const ProductWires::Dim* dim;
    std::uint32_t wire;
  };
  // One end of a message that was sent at `now`.
  struct Seen {
    End end{};
    Rank npu = 0;
    bool sends = false;
    Flow flow{};
    Picoseconds now = 0;
    std::uint32_t port = 0;
  };

  [[nodiscard]] End first_wire(Rank src, Rank dst) const;
  [[nodiscard]] End last_wire(Rank src, Rank dst) const;
  void see(End end, Rank npu, bool sends, const Flow& flow, Picoseconds now);
  void add_seen();
  [[nodiscard]] std::uint32_t& number_of(std::uint32_t wire);
  [[nodiscard]] std::uint32_t port(const Seen& seen);
  static void add(Port& port, const Flow& flow, Picoseconds now);
  static void advance(Port& port, Picoseconds now);
  static void begin(Port& port, const Flow& flow);

  ProductWires numbers_;
  const Symmetry* symmetry_;
  GrowingHugeVector<Port> ports_;
  static constexpr std::uint32_t block_bits = 12;
  std::vector<std::unique_ptr<std::uint32_t[]>> by_wire_;  // in blocks: 1 + number of the link's port
  std::vector<Seen> seen_;                                 // not added yet
};

}  // namespace convert
