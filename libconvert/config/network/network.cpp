// SPDX-License-Identifier: MIT
#include "config/network/network.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <utility>

#include "config/network/bandwidth_hint.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

// How a word of the short form converts its sizes to dimensions.
struct ShortName {
  std::string_view word;
  Topology topology;
  bool several;  // accepts AxBxC
};

std::vector<ShortName> make_short_names() {
  std::vector<ShortName> names;
  for_each_topology([&](Topology id, auto t) { names.push_back({t.word, id, t.takes_sizes}); });
  names.push_back({"torus", Topology::ring, true});
  names.push_back({"hypercube", Topology::ring, false});
  names.push_back({"tree", Topology::switched, true});
  return names;
}

const std::vector<ShortName>& short_names() {
  static const std::vector<ShortName> all = make_short_names();
  return all;
}

// Returns "mesh, torus, tree": the words that accept several sizes.
std::string words_of_several() {
  std::vector<std::string> words;
  for (const ShortName& n : short_names()) {
    if (n.several) words.emplace_back(n.word);
  }
  return join(words);
}

Error bad(std::string_view part, const std::string& why) {
  return usage_error("network '" + std::string(part) + "': " + why);
}

const ShortName& short_name(std::string_view part, std::string_view word) {
  std::vector<std::string> known;
  for (const ShortName& n : short_names()) {
    if (n.word == word) return n;
    known.emplace_back(n.word);
  }
  throw bad(part, "unknown topology '" + std::string(word) + "'" + hint_for(word, known));
}

std::vector<std::int64_t> parse_sizes(std::string_view part, const ShortName& topology, std::string_view text) {
  std::vector<std::int64_t> sizes;
  std::int64_t npus = 1;
  for (const std::string& piece : split(text, 'x')) {
    const std::optional<std::int64_t> n = parse_int(piece);
    if (!n || *n < 2 || *n > max_npus) {
      const bool one_of_many = piece.size() != text.size();
      if (one_of_many && !topology.several) break;
      throw bad(part, "requires a number of " + std::string(topology.word == "tree" ? "branches" : "NPUs") +
                          " from 2 to " + std::to_string(max_npus) + ", not '" + piece + "'");
    }
    sizes.push_back(*n);
    if ((npus *= *n) > max_npus) throw bad(part, "has more than " + std::to_string(max_npus) + " NPUs");
  }
  if (!topology.several && text.find('x') != std::string_view::npos) {
    throw bad(part, std::string(topology.word) +
                        " accepts one size; topologies with several sizes: " + words_of_several());
  }
  if (topology.word == "hypercube") {
    if (!std::has_single_bit(static_cast<std::uint64_t>(sizes[0])))
      throw bad(part, "a hypercube requires 2, 4, 8, 16, … NPUs, not " + std::to_string(sizes[0]));
    sizes.assign(static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(sizes[0]))), 2);
  }
  return sizes;
}

// Sets one value for all dimensions, or one value each, "a|b|c".
template <typename Set>
void set_values(std::string_view part, std::string_view key, std::string_view text, std::vector<NetworkDim>& dims,
                const Set& set) {
  const std::vector<std::string> values = split(text, '|');
  if (values.size() != 1 && values.size() != dims.size()) {
    throw bad(part, std::string(key) + " has " + std::to_string(values.size()) + " values; 1" +
                        (dims.size() == 1 ? "" : " or " + std::to_string(dims.size())) + " expected");
  }
  for (std::size_t d = 0; d < dims.size(); ++d) set(dims[d], values[values.size() == 1 ? 0 : d]);
}

// Parses "bw=50GB/s" or "lat=500ns" into `dims`.
void set_short_option(std::string_view part, std::string_view option, std::vector<NetworkDim>& dims, bool& has_bw,
                      bool& has_lat) {
  const std::size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string_view values = equals == std::string_view::npos ? std::string_view{} : option.substr(equals + 1);
  if (key == "bw") {
    if (std::exchange(has_bw, true)) throw bad(part, "bw is repeated");
    set_values(part, key, values, dims, [&](NetworkDim& dim, std::string_view value) {
      const std::optional<double> bytes_per_s = parse_bandwidth(value);
      if (!bytes_per_s)
        throw bad(part,
                  "bw requires a rate such as 50GB/s, not '" + std::string(value) + "'" + bandwidth_hint(value));
      dim.bytes_per_ns = *bytes_per_s / 1e9;
    });
  } else if (key == "lat") {
    if (std::exchange(has_lat, true)) throw bad(part, "lat is repeated");
    set_values(part, key, values, dims, [&](NetworkDim& dim, std::string_view value) {
      const std::optional<Picoseconds> ps = parse_time(value);
      if (!ps) throw bad(part, "lat requires a time such as 500ns, not '" + std::string(value) + "'");
      dim.latency_ns = static_cast<double>(*ps) / 1000;
    });
  } else {
    throw bad(part, "unknown key '" + std::string(key) + "'; known: bw, lat");
  }
}

// Appends the dimensions of one part of a product, or sets the levels of a tree.
void parse_short_part(std::string_view part, NetworkConfig& config) {
  const std::size_t colon = part.find(':');
  if (part.empty()) throw bad(config.source, "has a + with nothing before or after it");
  if (colon == std::string_view::npos) throw bad(part, "requires TOPOLOGY:NPUS,bw=RATE[,lat=TIME]");
  const ShortName& topology = short_name(part, part.substr(0, colon));
  std::string_view rest = part.substr(colon + 1);
  const auto cut = [&rest] {
    const std::string_view piece = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    return piece;
  };
  std::vector<NetworkDim> dims;
  for (const std::int64_t n : parse_sizes(part, topology, cut())) {
    dims.push_back({.topology = topology.topology, .npus = n});
  }
  bool has_bw = false;
  bool has_lat = false;
  while (!rest.empty()) set_short_option(part, cut(), dims, has_bw, has_lat);
  if (!has_bw) throw bad(part, "has no bandwidth; add bw=RATE, such as bw=50GB/s");
  if (topology.word != "tree") {
    config.dims.insert(config.dims.end(), dims.begin(), dims.end());
    return;
  }
  if (part.size() != config.source.size()) throw bad(part, "a tree cannot be joined with other dimensions");
  for (const NetworkDim& d : dims) config.levels.push_back({d.npus, d.bytes_per_ns, d.latency_ns});
}

}  // namespace

std::int64_t NetworkConfig::npus() const {
  if (ideal || (machine != nullptr && dims.empty())) return 0;
  if (graph.npus != 0) return graph.npus;
  std::int64_t product = 1;
  for (const NetworkDim& d : dims) product *= d.npus;
  for (const TreeLevel& l : levels) product *= l.fanout;
  return product;
}

bool is_short_network(std::string_view text) {
  if (text == "ideal") return true;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
  };
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), is_word) &&
         !is_digit(text[0]) && is_digit(text[colon + 1]);
}

NetworkConfig parse_short_network(std::string_view text) {
  NetworkConfig config{.source = std::string(text)};
  if (text == "ideal") {
    config.ideal = true;
    return config;
  }
  for (const std::string& part : split(text, '+')) {
    parse_short_part(part, config);
    std::int64_t npus = 1;  // of the dimensions so far, so that the product cannot overflow
    for (const NetworkDim& d : config.dims) {
      if ((npus *= d.npus) > max_npus) throw bad(text, "has more than " + std::to_string(max_npus) + " NPUs");
    }
  }
  return config;
}

std::unique_ptr<Input> open_network(const std::string& path) {
  try {
    return open_input(path);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::system) throw;
    throw Error(
        e.kind(), e.where(),
        std::string(e.what()) +
            "; a network is a file, a machine (et-replay --list-machines), 'ideal', or a short form such as "
            "ring:8,bw=50GB/s,lat=500ns");
  }
}

}  // namespace convert
