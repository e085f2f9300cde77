// SPDX-License-Identifier: MIT
// Finds how far messages without contention exceed the bandwidth of the wires at which NPUs send and receive them.
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

// Holds the most that went through a wire of an NPU at once.
struct PortLoad {
  Rank npu = 0;
  bool sends = false;  // over its first wire; else receives over its last
  std::uint32_t messages = 0;
  double bytes_per_ns = 0;  // of them together
  double port_bytes_per_ns = 0;
};
// Returns "NPU 3 sends 8 messages at once: 400 GB/s through a port of 50 GB/s".
[[nodiscard]] std::string port_text(const PortLoad& load);
inline constexpr std::string_view port_text_begin = "NPU ";

// Adds up the rates of the messages on the first and on the last wire of each, for as long as their bytes take.
class PortWatch {
 public:
  // Watches the ports of all NPUs. With a symmetry only representatives send, and their wires stand for all.
  explicit PortWatch(const NetworkConfig& config, const Symmetry* symmetry = nullptr);

  // Counts a message that is sent at `begin`, now or later, and arrives `delay` after that, of which `latency_ns`
  // is latency, at this pace.
  void send(Rank src, Rank dst, double bytes_per_ns, Picoseconds now, Picoseconds begin, Picoseconds delay,
            double latency_ns);
  // Returns the port that was exceeded most until `end`, of several the first; nothing if none was. Call it once.
  [[nodiscard]] std::optional<PortLoad> worst(Picoseconds end);

 private:
  struct Flow {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    double bytes_per_ns = 0;  // of each
    std::uint32_t messages = 1;
  };
  struct alignas(64) Port {
    std::uint32_t wire = 0;
    double bytes_per_ns = 0;      // of the wire
    std::vector<Flow> to_come{};  // a heap, the first to begin on top
    std::vector<Flow> active{};   // a heap, the first to end on top
    double rate = 0;              // of the active ones
    std::uint32_t messages = 0;   // likewise
    PortLoad peak{};
  };
  struct End {
    const ProductWires::Dim* dim;
    std::uint32_t wire;
  };
  // Is one end of a message that was sent at `now`.
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
  std::vector<std::unique_ptr<std::uint32_t[]>> by_wire_;  // in blocks: 1 + number of its port
  std::vector<Seen> seen_;                                 // not added yet
};

}  // namespace convert
