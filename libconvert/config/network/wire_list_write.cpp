// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <tuple>

#include "config/network/wire_list.h"
#include "core/units.h"

namespace convert {
namespace {

// Rounds the bandwidth to six digits, so that rounding errors of sums and products are not written.
double six_digits(double bytes_per_ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", bytes_per_ns);
  return std::strtod(text.data(), nullptr);
}

// Properties that a line states about its links, apart from their ends.
using Terms = std::tuple<double, Picoseconds, std::uint32_t>;
Terms terms_of(const GraphWire& w) { return {six_digits(w.bytes_per_ns), w.latency_ps, w.weight}; }

std::string time_text(Picoseconds ps) {
  return ps % ps_per_ns == 0 ? std::to_string(ps / ps_per_ns) + "ns" : std::to_string(ps) + "ps";
}

// A link, or both directions of a link, from the device of lower number.
struct Line {
  Device from;
  Device to;
  bool both;
  Terms terms;
};

class WireListWriter {
 public:
  WireListWriter(const WireGraph& graph, std::string& out) : graph_(graph), out_(out) {}

  void write() {
    const std::vector<Line> lines = make_lines();
    choose_defaults(lines);
    out_ += "npus: " + std::to_string(graph_.npus) + '\n';
    write_switches();
    if (!graph_.participants.empty()) out_ += "participants: " + list_of(graph_.participants) + '\n';
    out_ += "defaults: { bandwidth: " + format_bytes_per_ns(std::get<0>(defaults_)) +
            ", latency: " + time_text(std::get<1>(defaults_));
    if (std::get<2>(defaults_) != 1) out_ += ", weight: " + std::to_string(std::get<2>(defaults_));
    out_ += " }\nlinks:\n";
    for (std::size_t begin = 0; begin < lines.size();) {
      std::size_t end = begin + 1;
      const auto alike = [&](const Line& l) {
        return std::tie(l.from, l.both, l.terms) ==
               std::tie(lines[begin].from, lines[begin].both, lines[begin].terms);
      };
      while (end < lines.size() && alike(lines[end])) ++end;
      write_lines(std::span(lines).subspan(begin, end - begin));
      begin = end;
    }
  }

 private:
  [[nodiscard]] std::vector<Line> make_lines() const {
    std::vector<GraphWire> sorted = graph_.wires;
    const auto ends = [](const GraphWire& w) { return std::pair(w.from, w.to); };
    std::ranges::sort(sorted, {}, ends);
    const auto back_of = [&](const GraphWire& w) -> const GraphWire* {
      const auto found = std::ranges::lower_bound(sorted, std::pair(w.to, w.from), {}, ends);
      const bool same =
          found != sorted.end() && ends(*found) == std::pair(w.to, w.from) && terms_of(*found) == terms_of(w);
      return same ? &*found : nullptr;
    };
    std::vector<Line> lines;
    for (const GraphWire& w : sorted) {
      const bool both = back_of(w) != nullptr;
      if (!both || w.from < w.to) lines.push_back({w.from, w.to, both, terms_of(w)});
    }
    std::ranges::sort(lines, {}, [](const Line& l) { return std::tuple(l.from, !l.both, l.terms, l.to); });
    return lines;
  }

  // Chooses the properties of most links.
  void choose_defaults(const std::vector<Line>& lines) {
    std::map<Terms, std::size_t> counts;
    std::size_t most = 0;
    for (const Line& l : lines) {
      if (const std::size_t n = ++counts[l.terms]; n > most) {
        most = n;
        defaults_ = l.terms;
      }
    }
  }

  // Omits switches without links, which a list cannot have.
  void write_switches() {
    std::vector<char> linked(graph_.devices(), 0);
    for (const GraphWire& w : graph_.wires) linked[w.from] = linked[w.to] = 1;
    std::vector<Device> switches;
    for (Device d = graph_.npus; d < graph_.devices(); ++d) {
      if (linked[d] != 0) switches.push_back(d);
    }
    if (!switches.empty()) out_ += "switches: " + list_of(switches) + '\n';
  }

  void write_lines(std::span<const Line> alike) {
    const Line& first = alike.front();
    std::vector<Device> targets;
    for (const Line& l : alike) targets.push_back(l.to);
    const std::string from = name(first.from);
    const std::string to = targets.size() == 1 ? name(first.to) : list_of(targets);
    out_ += first.both ? "  - { between: [ " + from + ", " + to + " ]" : "  - { from: " + from + ", to: " + to;
    const auto [bytes_per_ns, latency_ps, weight] = first.terms;
    if (bytes_per_ns != std::get<0>(defaults_)) out_ += ", bandwidth: " + format_bytes_per_ns(bytes_per_ns);
    if (latency_ps != std::get<1>(defaults_)) out_ += ", latency: " + time_text(latency_ps);
    if (weight != std::get<2>(defaults_)) out_ += ", weight: " + std::to_string(weight);
    out_ += " }\n";
  }

  [[nodiscard]] std::string name(Device d) const {
    return d < graph_.npus ? std::to_string(d) : graph_.device_name(d);
  }

  // Returns "[ 0..3, leaf0, spine ]": consecutive devices become ranges if their names allow it.
  [[nodiscard]] std::string list_of(std::span<const Device> devices) const {
    std::string text = "[ ";
    for (std::size_t begin = 0; begin < devices.size();) {
      std::size_t end = begin + 1;
      while (end < devices.size() && follows(devices[end - 1], devices[end])) ++end;
      text += (begin == 0 ? "" : ", ") + name(devices[begin]);
      if (end - begin > 1) text += ".." + name(devices[end - 1]);
      begin = end;
    }
    return text + " ]";
  }
  // Returns whether `b` may follow `a` in a range: NPUs, or names with the same letters and consecutive numbers.
  [[nodiscard]] bool follows(Device a, Device b) const {
    if (b != a + 1 || (a < graph_.npus) != (b < graph_.npus)) return false;
    if (a < graph_.npus) return true;
    const auto [stem, number] = split_name(name(a));
    const auto [other_stem, other] = split_name(name(b));
    return number && other && stem == other_stem && *other == *number + 1;
  }
  static std::pair<std::string, std::optional<std::uint64_t>> split_name(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    return {name.substr(0, digits), parse_plain(std::string_view(name).substr(digits), UINT32_MAX)};
  }

  const WireGraph& graph_;
  std::string& out_;
  Terms defaults_{};
};

}  // namespace

void append_wire_list(const WireGraph& graph, std::string& out) { WireListWriter(graph, out).write(); }

}  // namespace convert
