// SPDX-License-Identifier: MIT
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "config/network.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

constexpr std::size_t max_yaml_bytes = 1 << 20;

struct Scalar {
  std::string text;
  YAML::Mark mark;
};
struct Entry {
  Scalar key;
  bool is_list = false;
  YAML::Mark mark;  // of the value
  std::vector<Scalar> values{};
};

// Takes a document of the one shape that a network file has, a map from keys to lists of scalars, event by event:
// no document tree is built, so nesting and aliases cost nothing and are refused where they stand.
class FlatMap : public YAML::EventHandler {
 public:
  explicit FlatMap(std::string file) : file_(std::move(file)) {}
  std::vector<Entry> entries;

  [[nodiscard]] Error error(const YAML::Mark& mark, const std::string& message) const {
    Location where{.file = file_};
    if (!mark.is_null()) {
      where.line = static_cast<std::uint32_t>(mark.line) + 1;
      where.column = static_cast<std::uint32_t>(mark.column) + 1;
    }
    return input_error(std::move(where), message, "network");
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) throw error(mark, "a second document; a network file has one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { OnScalar(mark, "", anchor, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw error(mark, "aliases are not used in a network file");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    if (anchor != 0) throw error(mark, "anchors are not used in a network file");
    if (depth_ == 0)
      throw error(mark, value.empty()
                            ? "empty; a network file has the keys topology, npus_count, bandwidth and latency"
                            : "not a network file: a map of lists is expected");
    if (in_list_) {
      entries.back().values.push_back({value, mark});
    } else if (std::exchange(expect_value_, !expect_value_)) {
      entries.back().mark = mark;
      entries.back().values.push_back({value, mark});
    } else {
      for (const Entry& e : entries) {
        if (e.key.text == value) throw error(mark, "key '" + value + "' is given twice");
      }
      entries.push_back({.key = {value, mark}, .mark = mark});
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (anchor != 0) throw error(mark, "anchors are not used in a network file");
    if (!expect_value_ || in_list_) throw error(mark, "a list is not expected here");
    in_list_ = true;
    entries.back().is_list = true;
    entries.back().mark = mark;
  }
  void OnSequenceEnd() override {
    in_list_ = false;
    expect_value_ = false;
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    if (anchor != 0) throw error(mark, "anchors are not used in a network file");
    if (++depth_ > 1) throw error(mark, "a map is not expected here");
  }
  void OnMapEnd() override {}

 private:
  std::string file_;
  bool started_ = false;
  bool in_list_ = false;
  bool expect_value_ = false;
  int depth_ = 0;
};

// Offset of the first byte that is not part of a well-formed UTF-8 sequence, or npos.
std::size_t find_bad_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const std::size_t length = c < 0x80                ? 1
                               : c >= 0xc2 && c < 0xe0 ? 2
                               : c >= 0xe0 && c < 0xf0 ? 3
                               : c >= 0xf0 && c < 0xf5 ? 4
                                                       : 0;
    if (length == 0 || length > s.size() - i) return i;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(s[i + k]) & 0xc0) != 0x80) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

void check_text(const std::string& file, std::string_view text) {
  if (text.size() > max_yaml_bytes)
    throw input_error({.file = file}, "larger than 1 MiB, which no network file is", "network");
  std::size_t bad = find_bad_utf8(text);
  const char* what = "not UTF-8";
  if (bad == std::string_view::npos) {
    bad = text.find('\0');
    what = "a NUL byte";
  }
  if (bad != std::string_view::npos)
    throw input_error({.file = file, .offset = static_cast<std::int64_t>(bad)}, what, "network");
}

void run_parser(const std::string& file, std::string_view text, FlatMap& map) {
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(map)) {
    }
  } catch (const YAML::Exception& e) {
    throw map.error(e.mark, e.msg);
  }
  if (map.entries.empty()) {
    throw input_error({.file = file},
                      "empty; a network file has the keys topology, npus_count, bandwidth and latency", "network");
  }
}

const std::vector<std::string> known_keys = {"topology", "npus_count", "bandwidth", "latency"};

std::array<const Entry*, 4> find_entries(const std::string& file, const FlatMap& map) {
  std::array<const Entry*, 4> found{};
  for (const Entry& e : map.entries) {
    std::size_t k = 0;
    while (k < known_keys.size() && known_keys[k] != e.key.text) ++k;
    if (k == known_keys.size()) {
      const std::string near = nearest(e.key.text, known_keys);
      throw map.error(e.key.mark, "unknown key '" + e.key.text + "'; " +
                                      (near.empty() ? "known: topology, npus_count, bandwidth, latency"
                                                    : "did you mean " + near + "?"));
    }
    if (!e.is_list) {
      throw map.error(e.mark, e.key.text + " wants a list with one entry for each dimension, such as [ " +
                                  (e.values.empty() || e.values[0].text.empty() ? "…" : e.values[0].text) + " ]");
    }
    found[k] = &e;
  }
  for (std::size_t k = 0; k < known_keys.size(); ++k) {
    if (found[k] == nullptr) throw input_error({.file = file}, "key " + known_keys[k] + " is missing", "network");
    if (found[k]->values.size() != found[0]->values.size()) {
      throw map.error(found[k]->mark, known_keys[k] + " has " + std::to_string(found[k]->values.size()) +
                                          " entries, but topology has " + std::to_string(found[0]->values.size()));
    }
  }
  if (found[0]->values.empty()) throw map.error(found[0]->mark, "no dimension is given");
  return found;
}

Topology parse_topology(const FlatMap& map, const Scalar& s) {
  for (const Topology t : {Topology::ring, Topology::fully_connected, Topology::switched}) {
    if (s.text == name(t)) return t;
  }
  const std::string near = nearest(s.text, {"Ring", "FullyConnected", "Switch"});
  throw map.error(s.mark,
                  "unknown topology '" + s.text + "'; " +
                      (near.empty() ? "known: Ring, FullyConnected, Switch" : "did you mean " + near + "?"));
}

double parse_number(const FlatMap& map, const Scalar& s, const std::string& key, bool zero_allowed) {
  double value = 0;
  const char* end = s.text.data() + s.text.size();
  const auto [stop, error] = std::from_chars(s.text.data(), end, value);
  const bool good =
      error == std::errc{} && stop == end && std::isfinite(value) && (value > 0 || (zero_allowed && value == 0));
  if (!good) {
    throw map.error(
        s.mark, key + " wants a number " + (zero_allowed ? "of at least 0" : "above 0") + ", not '" + s.text + "'");
  }
  return value;
}

}  // namespace

NetworkConfig parse_network_yaml(const std::string& file, std::string_view text) {
  check_text(file, text);
  FlatMap map(file);
  run_parser(file, text, map);
  const auto [topology, npus_count, bandwidth, latency] = find_entries(file, map);
  NetworkConfig config{.source = file};
  std::int64_t npus = 1;
  for (std::size_t d = 0; d < topology->values.size(); ++d) {
    NetworkDim dim;
    dim.topology = parse_topology(map, topology->values[d]);
    const Scalar& count = npus_count->values[d];
    const std::optional<std::int64_t> n = parse_int(count.text);
    if (!n || *n < 2)
      throw map.error(count.mark, "npus_count wants whole numbers above 1, not '" + count.text + "'");
    if (*n > max_npus || (npus *= *n) > max_npus) {
      throw map.error(count.mark, "more than " + std::to_string(max_npus) + " NPUs");
    }
    dim.npus = *n;
    dim.bytes_per_ns = astra_bytes_per_ns(parse_number(map, bandwidth->values[d], "bandwidth", false));
    dim.latency_ns = parse_number(map, latency->values[d], "latency", true);
    config.dims.push_back(dim);
  }
  return config;
}

NetworkConfig read_network(Input& input) {
  std::string text(max_yaml_bytes + 1, '\0');
  text.resize(input.read(text.data(), text.size()));
  return parse_network_yaml(input.name(), text);
}

}  // namespace convert
