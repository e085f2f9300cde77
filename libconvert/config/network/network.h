// SPDX-License-Identifier: MIT
// Networks to simulate, from an ASTRA-sim network.yml, a list of links, a file of another tool, or a short form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/file_argument.h"
#include "config/network/topology.h"
#include "config/network/wire_graph.h"
#include "io/input.h"

namespace convert {

class ChosenMachine;

struct NetworkDim {
  Topology topology = Topology::ring;
  std::int64_t npus = 0;
  double bytes_per_ns = 0;
  double latency_ns = 0;
};

// Links between a switch of this level and the switches or NPUs directly below it.
struct TreeLevel {
  std::int64_t fanout = 0;  // NPUs or switches below a switch
  double bytes_per_ns = 0;
  double latency_ns = 0;
};

// A network is ideal, or has exactly one of dims, levels and graph. A machine without a number of nodes has no dims
// yet.
struct NetworkConfig {
  std::string source;  // the file or the short form, for messages
  bool ideal = false;  // no latency, unlimited bandwidth, any number of NPUs
  // Product of dimensions. Dimension 0 varies fastest: NPU r has coordinate r mod dims[0].npus in it.
  std::vector<NetworkDim> dims{};
  // Tree of switches, from the NPUs up to the root.
  std::vector<TreeLevel> levels{};
  // Any graph, from a list of links.
  WireGraph graph{};
  // Machine whose ports and adapters are the dimensions; see network_of(). Null: none.
  std::shared_ptr<const ChosenMachine> machine{};
  // Notes from reading the network: notes are always printed, remarks only in verbose output.
  std::vector<std::string> notes{};
  std::vector<std::string> remarks{};

  // Returns the number of NPUs, at most max_npus; 0 for an ideal network, and for a machine without a number of
  // nodes, which accept any number.
  [[nodiscard]] std::int64_t npus() const;
  [[nodiscard]] bool is_product() const { return !dims.empty(); }
};
inline constexpr std::int64_t max_npus = 1 << 24;

// Converts ASTRA-sim's GB/s, which are GiB/s, in ASTRA-sim's order of operations, so that truncated delays agree.
[[nodiscard]] constexpr double astra_bytes_per_ns(double gb_per_s) { return gb_per_s * (1 << 30) / 1'000'000'000; }

// Parses an ASTRA-sim network.yml (four lists of equal length: topology, npus_count, bandwidth in GB/s, latency
// in ns) or a list of links (npus, switches, defaults, links; see et-networks(5)). Throws Error(input) with the
// location.
[[nodiscard]] NetworkConfig parse_network_yaml(const std::string& file, std::string_view text);
// Parses these formats, or a network of another tool, recognised by its content (see et-networks(5)). `file`
// holds the options after the file name. Throws Error(input) with the location, Error(usage) for options.
[[nodiscard]] NetworkConfig parse_network(const std::string& name, std::string_view text, const FileArgument& file);
[[nodiscard]] NetworkConfig read_network(Input& input, const FileArgument& file);

// Returns whether a text is the short form of a network, not a file name: "ideal", or WORD:DIGIT….
[[nodiscard]] bool is_short_network(std::string_view text);
// Parses "ideal", or "ring:8,bw=50GB/s,lat=500ns": ring, fully_connected, switch, mesh:4x4, torus:4x4x4 and
// hypercube:16, joined by "+"; or tree:8x4, alone. GB/s are 10^9 bytes per second; the default latency is 0. bw
// and lat are one value or one per dimension or level, "a|b|c". Throws Error(usage).
[[nodiscard]] NetworkConfig parse_short_network(std::string_view text);

// Opens the file that an option names as a network. Throws as open_input() does, and lists the forms of a
// network.
[[nodiscard]] std::unique_ptr<Input> open_network(const std::string& path);

}  // namespace convert
