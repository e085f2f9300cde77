// SPDX-License-Identifier: MIT
#include "config/network.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

constexpr std::array<std::pair<std::string_view, Topology>, 3> short_names = {
    {{"ring", Topology::ring}, {"fully_connected", Topology::fully_connected}, {"switch", Topology::switched}}};

Error bad(std::string_view part, const std::string& why) {
  return usage_error("network '" + std::string(part) + "': " + why);
}

Topology short_topology(std::string_view part, std::string_view word) {
  std::vector<std::string> known;
  for (const auto& [text, topology] : short_names) {
    if (text == word) return topology;
    known.emplace_back(text);
  }
  const std::string near = nearest(word, known);
  throw bad(part, "unknown topology '" + std::string(word) + "'; " +
                      (near.empty() ? "known: ring, fully_connected, switch" : "did you mean " + near + "?"));
}

// "bw=50GB/s" or "lat=500ns" into `dim`.
void set_short_option(std::string_view part, std::string_view option, NetworkDim& dim, bool& has_bw,
                      bool& has_lat) {
  const std::size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view{} : option.substr(equals + 1);
  if (key == "bw") {
    if (std::exchange(has_bw, true)) throw bad(part, "bw is given twice");
    const std::optional<double> bytes_per_s = parse_bandwidth(value);
    if (!bytes_per_s) throw bad(part, "bw wants a rate such as 50GB/s, not '" + std::string(value) + "'");
    dim.bytes_per_ns = *bytes_per_s / 1e9;
  } else if (key == "lat") {
    if (std::exchange(has_lat, true)) throw bad(part, "lat is given twice");
    const std::optional<Picoseconds> ps = parse_time(value);
    if (!ps) throw bad(part, "lat wants a time such as 500ns, not '" + std::string(value) + "'");
    dim.latency_ns = static_cast<double>(*ps) / 1000;
  } else {
    throw bad(part, "unknown key '" + std::string(key) + "'; known: bw, lat");
  }
}

NetworkDim parse_short_dim(std::string_view part) {
  const std::size_t colon = part.find(':');
  if (colon == std::string_view::npos) throw bad(part, "wants TOPOLOGY:NPUS,bw=RATE[,lat=TIME]");
  NetworkDim dim;
  dim.topology = short_topology(part, part.substr(0, colon));
  std::string_view rest = part.substr(colon + 1);
  const auto cut = [&rest] {
    const std::string_view piece = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    return piece;
  };
  const std::string_view count = cut();
  const std::optional<std::int64_t> npus = parse_int(count);
  if (!npus || *npus < 2 || *npus > max_npus) {
    throw bad(part, "wants a number of NPUs from 2 to " + std::to_string(max_npus) + ", not '" +
                        std::string(count) + "'");
  }
  dim.npus = *npus;
  bool has_bw = false;
  bool has_lat = false;
  while (!rest.empty()) set_short_option(part, cut(), dim, has_bw, has_lat);
  if (!has_bw) throw bad(part, "has no bandwidth; add bw=RATE, such as bw=50GB/s");
  return dim;
}

}  // namespace

std::string_view name(Topology topology) {
  switch (topology) {
    case Topology::ring: return "Ring";
    case Topology::fully_connected: return "FullyConnected";
    case Topology::switched: return "Switch";
  }
  return "";
}

std::int64_t NetworkConfig::npus() const {
  if (ideal) return 0;
  std::int64_t product = 1;
  for (const NetworkDim& d : dims) product *= d.npus;
  return product;
}

bool is_short_network(std::string_view text) {
  if (text == "ideal") return true;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), is_word) &&
         text[colon + 1] >= '0' && text[colon + 1] <= '9';
}

NetworkConfig parse_short_network(std::string_view text) {
  NetworkConfig config{.source = std::string(text)};
  if (text == "ideal") {
    config.ideal = true;
    return config;
  }
  std::int64_t npus = 1;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    config.dims.push_back(parse_short_dim(text.substr(begin, end - begin)));
    npus *= config.dims.back().npus;
    if (npus > max_npus) throw bad(text, "has more than " + std::to_string(max_npus) + " NPUs");
    begin = end + 1;
  }
  return config;
}

NetworkConfig load_network(const std::string& option) {
  if (is_short_network(option)) return parse_short_network(option);
  std::unique_ptr<Input> input;
  try {
    input = open_input(option);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::system) throw;
    throw Error(e.kind(), e.where(),
                std::string(e.what()) + "; a network is a file, ideal, or such as ring:8,bw=50GB/s,lat=500ns");
  }
  return read_network(*input);
}

}  // namespace convert
