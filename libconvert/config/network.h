// SPDX-License-Identifier: MIT
// The network to simulate: dimensions of one topology each, from an ASTRA-sim network.yml or from a short form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace convert {

enum class Topology : std::uint8_t { ring, fully_connected, switched };
// As network.yml spells them: "Ring", "FullyConnected", "Switch".
[[nodiscard]] std::string_view name(Topology topology);

struct NetworkDim {
  Topology topology = Topology::ring;
  std::int64_t npus = 0;
  double bytes_per_ns = 0;
  double latency_ns = 0;
};

// Dimension 0 is the fastest varying: NPU r has coordinate r mod dims[0].npus there.
struct NetworkConfig {
  std::string source;  // the file or the short form, for messages
  bool ideal = false;  // no latency, no limit of bandwidth, any number of NPUs; dims is empty
  std::vector<NetworkDim> dims{};

  // Product of the dimensions, at most max_npus. 0 for an ideal network, which takes any number.
  [[nodiscard]] std::int64_t npus() const;
};
inline constexpr std::int64_t max_npus = 1 << 24;

// ASTRA-sim's GB/s are GiB/s (2^30 bytes); its own order of operations, so that truncated delays agree.
[[nodiscard]] constexpr double astra_bytes_per_ns(double gb_per_s) { return gb_per_s * (1 << 30) / 1'000'000'000; }

// An ASTRA-sim network.yml: four lists of equal length, topology, npus_count, bandwidth (GB/s) and latency (ns).
// Throws Error(input) with the place.
[[nodiscard]] NetworkConfig parse_network_yaml(const std::string& file, std::string_view text);
[[nodiscard]] NetworkConfig read_network(Input& input);

// "ideal", or "ring:8,bw=50GB/s,lat=500ns" (ring, fully_connected or switch; units are literal; without lat the
// latency is 0; several dimensions joined by "+"). Throws Error(usage).
[[nodiscard]] bool is_short_network(std::string_view text);
[[nodiscard]] NetworkConfig parse_short_network(std::string_view text);

// What -n takes: either of the above, a path otherwise.
[[nodiscard]] NetworkConfig load_network(const std::string& option);

}  // namespace convert
