// SPDX-License-Identifier: MIT
#include "machine/write.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include "core/units.h"
#include "core/words.h"
#include "machine/constants.h"

namespace convert {
namespace {

// Returns the shortest text that reads back as the number.
std::string digits(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}
// Returns a time with all digits, in us.
std::string time_text(double ns) { return format_exact(std::llround(ns * ps_per_ns), ps_per_us) + "us"; }

std::string value_text(const LibraryConstant& constant, double value) {
  switch (constant.unit) {
    case ConstantUnit::time: return time_text(value);
    case ConstantUnit::rate: return format_bytes_per_ns(value);
    case ConstantUnit::share:
    case ConstantUnit::number: return digits(value);
  }
  return {};
}

// Returns the text in quotes, as YAML requires for ": " and " #".
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string errors_text(const ErrorByBand& errors) {
  std::vector<std::string> all;
  for (const std::optional<double>& e : errors) {
    const double tenths = e ? static_cast<double>(std::llround(*e * 10)) : 0;
    all.push_back(e ? digits(tenths / 10) : "none");
  }
  return "[" + join(all) + "]";
}

// The constants of `library`: lines of flow maps, by the first word of their keys.
class LibraryText {
 public:
  LibraryText(const Machine& machine, const std::set<std::string>& undetermined)
      : costs_(machine.library), undetermined_(undetermined) {
    for (const LibraryConstant& c : library_constants())
      if (c.group != ConstantGroup::nvls || costs_.nvls) add(c);
    maps_["messages"].push_back("below: " + size_text(costs_.messages.below));
    if (costs_.nvls) maps_["nvls"].push_back("channels: " + std::to_string(costs_.nvls->channels));
    add_program();
  }

  [[nodiscard]] std::string text() const {
    std::string out = "library:\n";
    for (const std::string& key : order_) {
      const auto map = maps_.find(key);
      out += "  " + key + ": " + (map == maps_.end() ? scalars_.at(key) : "{ " + join(map->second) + " }");
      const auto defaults = defaults_.find(key);
      if (defaults != defaults_.end()) out += "  # default, not determined by the data: " + join(defaults->second);
      out += '\n';
    }
    return out;
  }

 private:
  static std::string size_text(std::int64_t bytes) {
    constexpr std::int64_t kib = 1024;
    return bytes % kib == 0 ? std::to_string(bytes / kib) + "KiB" : std::to_string(bytes) + "B";
  }
  void add(const LibraryConstant& c) {
    const std::size_t dot = c.key.find('.');
    const std::string first(c.key.substr(0, dot));
    const std::string value = value_text(c, c.of(costs_));
    if (std::ranges::find(order_, first) == order_.end()) order_.push_back(first);
    if (undetermined_.contains(c.name())) defaults_[first].push_back(c.name());
    if (dot == std::string_view::npos) {
      scalars_[first] = value;
    } else if (c.part == "share") {
      maps_[first].back() += ", " + value + "]";
    } else {
      const std::string key(c.key.substr(dot + 1));
      maps_[first].push_back(key + ": " + (c.part.empty() ? value : "[" + value));
    }
  }
  void add_program() {
    const ProgramCost& p = costs_.program;
    std::vector<std::string>& map = maps_["program"];
    order_.emplace_back("program");
    map = {"launch: " + time_text(p.launch_ns), "step: " + time_text(p.step_ns), "share: " + digits(p.share)};
    for (const Protocol protocol : protocols) {
      const auto& rate = p.rates.at(static_cast<std::size_t>(protocol));
      if (rate) {
        map.push_back(std::string(name(protocol)) + ": [" + time_text(rate->step_ns) + ", " +
                      format_bytes_per_ns(rate->bytes_per_ns) + "]");
      }
    }
  }

  LibraryCosts costs_;
  const std::set<std::string>& undetermined_;
  std::vector<std::string> order_;                            // first words of keys
  std::map<std::string, std::string> scalars_;                // launch: 8us
  std::map<std::string, std::vector<std::string>> maps_;      // ring: LL: [1us, 0.3], …
  std::map<std::string, std::vector<std::string>> defaults_;  // names of constants, by the first word of the key
};

std::string node_text(const Machine& m) {
  std::string out = "node:\n  gpus: " + std::to_string(m.node.gpus) +
                    "\n  port: " + format_bytes_per_ns(m.node.port_bytes_per_ns) +
                    "\n  topology: " + (m.node.mesh ? "mesh" : "switch") + '\n';
  if (!m.fabric) return out;
  const MachineFabric& f = *m.fabric;
  out += "network:\n  adapters: " + std::to_string(f.adapters) +
         "\n  bandwidth: " + format_bytes_per_ns(f.bytes_per_ns) + '\n';
  if (f.call_bytes_per_ns) out += "  call: " + format_bytes_per_ns(*f.call_bytes_per_ns) + '\n';
  if (f.leaf) out += "  leaf: " + std::to_string(*f.leaf) + "\n  over: " + digits(f.over) + '\n';
  return out;
}

}  // namespace

std::string machine_yaml(const Machine& m, const std::set<std::string>& undetermined) {
  std::string out = "machine: " + m.name + '\n';
  if (!m.about.empty()) out += "about: " + quoted(m.about) + '\n';
  if (!m.gpu.empty()) out += "gpu: " + m.gpu + '\n';
  out += node_text(m) + LibraryText(m, undetermined).text();
  if (!m.harness_ns.empty()) {
    std::vector<std::string> all;
    for (const auto& [set, ns] : m.harness_ns) all.push_back(quoted(set) + ": " + time_text(ns));
    out += "harness: { " + join(all) + " }\n";
  }
  if (!m.tables.empty()) {
    std::vector<std::string> all;
    for (const std::string& table : m.tables) all.push_back(quoted(table));
    out += "tables: [ " + join(all) + " ]\n";
  }
  std::vector<std::string> accuracy;
  for (const auto& [key, errors] :
       {std::pair{"sizes", m.accuracy.sizes}, {"groups", m.accuracy.groups}, {"model", m.accuracy.model}})
    if (errors) accuracy.push_back(std::string(key) + ": " + errors_text(*errors));
  if (!accuracy.empty()) {
    out += "accuracy: { " + join(accuracy) + " }  # mean error in %: below 1 MiB, below 64 MiB, larger\n";
  }
  if (!m.sources.empty()) {
    out += "sources:\n";
    for (const std::string& source : m.sources) out += "  - " + quoted(source) + '\n';
  }
  return out;
}

std::string machine_csv(std::span<const MeasuredCall> calls) {
  std::string out = "collective,ranks,nodes,bytes,us\n";
  constexpr double thousandths = 1000;
  for (const MeasuredCall& c : calls) {
    const double ps = static_cast<double>(std::llround(c.time_ns * thousandths));
    out += std::string(name(c.collective)) + ',' + std::to_string(c.ranks) + ',' + std::to_string(c.nodes) + ',' +
           std::to_string(c.bytes) + ',' + digits(ps / 1e6) + '\n';
  }
  return out;
}

}  // namespace convert
