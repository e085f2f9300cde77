// SPDX-License-Identifier: MIT
// Finds how far messages without contention exceed the bandwidth of the wires at which NPUs send and receive them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/network/wire_numbers.h"
#include "core/index_table.h"
#include "core/trace.h"
#include "core/units.h"

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

// Adds up the rates of the messages on the first and on the last wire of each, for as long as their bytes take.
class PortWatch {
 public:
  // Watches the ports of all NPUs. With a symmetry only representatives send, and their wires stand for all.
  explicit PortWatch(const NetworkConfig& config, const Symmetry* symmetry = nullptr)
      : numbers_(config), symmetry_(symmetry) {}

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
  struct Port {
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

  [[nodiscard]] End first_wire(Rank src, Rank dst) const;
  [[nodiscard]] End last_wire(Rank src, Rank dst) const;
  Port& port(const End& end, std::uint32_t wire, Rank npu, bool sends);
  void add(const End& end, Rank npu, bool sends, const Flow& flow, Picoseconds now);
  static void advance(Port& port, Picoseconds now);
  static void begin(Port& port, const Flow& flow);

  ProductWires numbers_;
  const Symmetry* symmetry_;
  std::vector<Port> ports_;
  IndexTable<> by_wire_;  // of ports_
};

}  // namespace convert
