// SPDX-License-Identifier: MIT
// Reads physical topologies of ns-3 simulations, in the formats of HPCC and ASTRA-sim and of SimAI, which differ
// in their first line; see et-networks(5).
#include <algorithm>
#include <array>

#include "config/network/imports/graph_draft.h"
#include "config/network/imports/import.h"
#include "config/network/routes.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

// Splits the text into words, and tracks their locations.
class Words {
 public:
  explicit Words(const ImportSource& source) : source_(source) {}

  // Returns the next word; empty at the end.
  std::string_view next() {
    const std::string_view text = source_.text;
    for (; at_ < text.size() && is_blank(text[at_]); ++at_) {
      if (text[at_] == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      }
    }
    begin_ = at_;
    while (at_ < text.size() && !is_blank(text[at_])) ++at_;
    return text.substr(begin_, at_ - begin_);
  }
  // Returns the location of the last word that next() returned.
  [[nodiscard]] Location place() const {
    return {.file = source_.name, .line = line_, .column = static_cast<std::uint32_t>(begin_ - line_begin_ + 1)};
  }
  [[nodiscard]] Error error(const std::string& message) const { return input_error(place(), message, "network"); }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

 private:
  const ImportSource& source_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
};

std::vector<std::string_view> words_of_first_line(std::string_view text) {
  constexpr std::size_t enough = 8;
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  text = text.substr(0, text.find('\n'));
  std::vector<std::string_view> words;
  while (words.size() < enough) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r")));
    if (text.empty()) break;
    words.push_back(text.substr(0, text.find_first_of(" \t\r")));
    text.remove_prefix(words.back().size());
  }
  return words;
}

// Parses ns-3's rates, with decimal prefixes, in bits, or in bytes for units with a capital B.
std::optional<double> parse_ns3_rate(std::string_view text) {
  using Unit = std::pair<std::string_view, double>;
  static constexpr std::array units = {Unit{"Gbps", 8},    Unit{"Mbps", 8e3}, Unit{"Kbps", 8e6}, Unit{"kbps", 8e6},
                                       Unit{"Tbps", 8e-3}, Unit{"GBps", 1},   Unit{"MBps", 1e3}, Unit{"KBps", 1e6},
                                       Unit{"kBps", 1e6},  Unit{"Bps", 1e9},  Unit{"bps", 8e9}};
  const std::size_t digits = std::min(text.size(), text.find_first_not_of("0123456789."));
  const std::optional<double> number = parse_number(text.substr(0, digits));
  const auto* const unit = std::ranges::find(units, text.substr(digits), &Unit::first);
  if (!number || !(*number > 0) || unit == units.end()) return std::nullopt;
  return *number / unit->second;
}

class Ns3Reader {
 public:
  explicit Ns3Reader(const ImportSource& source) : source_(source), words_(source) {}

  NetworkConfig read() {
    read_header();
    GraphDraft draft(nodes_ - switches_, switches_, {.file = source_.name, .line = 1});
    read_switches();
    for (std::uint64_t i = 0; i < links_; ++i) read_link(draft, i);
    if (parallel_ != 0)
      notes_.push_back(counted(parallel_, "link") + " parallel to another link: bandwidths are summed");
    if (lossy_ != 0) notes_.push_back(counted(lossy_, "link") + " with an error rate: losses are not simulated");
    read_rest();
    WireGraph graph = draft.finish(rest_.empty() ? "" : "; " + rest_);
    return {.source = source_.name, .graph = std::move(graph), .notes = std::move(notes_)};
  }

 private:
  std::uint64_t whole(std::string_view what) {
    const std::string_view word = words_.next();
    if (word.empty()) throw words_.error("the file ends before " + std::string(what));
    if (const auto n = parse_plain(word, UINT32_MAX)) return *n;
    throw words_.error(std::string(what) + ": expected a whole number, not '" + std::string(word.substr(0, 40)) +
                       "'");
  }

  void read_header() {
    const std::size_t count = words_of_first_line(source_.text).size();
    if (count != 3 && count != 6 && count != 7) {
      (void)words_.next();
      throw words_.error(
          "the first line has " + counted(count, "word") +
          "; ns-3's topologies have 3 (nodes, switches, links), SimAI's topologies 6 or 7 (nodes, GPUs of "
          "a server, NVSwitches, switches, links, type of GPU, GPUs of a node)");
    }
    nodes_ = whole("the count of nodes");
    if (count != 3) {
      (void)whole("the count of GPUs of a server");
      switches_ = whole("the count of NVSwitches");
    }
    switches_ += whole("the count of switches");
    links_ = whole("the count of links");
    for (std::size_t i = 5; i < count; ++i) (void)words_.next();
    if (switches_ > nodes_)
      throw words_.error(std::to_string(switches_) + " switches among " + counted(nodes_, "node"));
  }

  // Hosts, the ids that are not switches, become NPUs in order of their ids; switches follow in order of their
  // ids.
  void read_switches() {
    std::vector<char> is_switch(nodes_, 0);
    for (std::uint64_t i = 0; i < switches_; ++i) {
      const std::uint64_t id = whole("the ids of " + std::to_string(switches_) + " switches");
      if (id >= nodes_) throw words_.error(no_node(id));
      if (std::exchange(is_switch[id], 1) != 0) throw words_.error("switch " + std::to_string(id) + " is repeated");
    }
    Device npu = 0;
    auto next_switch = static_cast<Device>(nodes_ - switches_);
    for (const char s : is_switch) devices_.push_back(s != 0 ? next_switch++ : npu++);
  }
  [[nodiscard]] std::string no_node(std::uint64_t id) const {
    return "node " + std::to_string(id) + " is not one of the " + std::to_string(nodes_) +
           " nodes of the first line";
  }

  Device node() {
    const std::uint64_t id = whole("the links (" + std::to_string(links_) + " by the first line)");
    if (id >= nodes_) throw words_.error(no_node(id));
    return devices_[id];
  }

  void read_link(GraphDraft& draft, std::uint64_t number) {
    const Device from = node();
    const Location place = words_.place();
    const Device to = node();
    const auto need = [&](const char* what) {
      const std::string_view word = words_.next();
      if (!word.empty()) return word;
      throw words_.error("the file ends before the " + std::string(what) + " of link " +
                         std::to_string(number + 1) + " of " + std::to_string(links_));
    };
    const std::string_view rate = need("rate");
    const std::optional<double> bytes_per_ns = parse_ns3_rate(rate);
    if (!bytes_per_ns) throw words_.error("expected a rate such as 400Gbps, not '" + clip(rate) + "'");
    const std::string_view delay = need("delay");
    const std::optional<Picoseconds> latency =
        delay.ends_with('s') ? parse_time(delay) : std::optional<Picoseconds>();
    if (!latency) throw words_.error("expected a delay such as 0.0005ms, not '" + clip(delay) + "'");
    const std::string_view loss = need("error rate");
    const std::optional<double> lost = parse_number(loss);
    if (!lost || *lost < 0 || *lost > 1)
      throw words_.error("expected an error rate from 0 to 1, not '" + clip(loss) + "'");
    lossy_ += *lost > 0 ? 1 : 0;
    const GraphWire up{.from = from, .to = to, .bytes_per_ns = *bytes_per_ns, .latency_ps = *latency};
    const GraphWire down{.from = to, .to = from, .bytes_per_ns = *bytes_per_ns, .latency_ps = *latency};
    parallel_ += draft.add_up(up, place) ? 1 : 0;
    draft.add_up(down, place);
  }
  // ns-3 reads the number of links in the first line. HPCC's files have further links after these, or prose.
  void read_rest() {
    const std::string_view word = words_.next();
    if (word.empty()) return;
    const bool is_link = word.find_first_not_of("0123456789") == std::string_view::npos;
    rest_ = "line " + std::to_string(words_.place().line) + " and later lines are ignored: " +
            (is_link ? "the first line states " + counted(links_, "link") : "they are not links");
    notes_.push_back(rest_);
  }
  static std::string clip(std::string_view word) { return std::string(word.substr(0, 40)); }

  const ImportSource& source_;
  Words words_;
  std::uint64_t nodes_ = 0;
  std::uint64_t switches_ = 0;
  std::uint64_t links_ = 0;
  std::vector<Device> devices_;  // by id
  std::uint64_t parallel_ = 0;
  std::uint64_t lossy_ = 0;
  std::string rest_;  // note about ignored lines
  std::vector<std::string> notes_;
};

// Returns whether the first line has three or more words, all numbers.
bool sniff_ns3(std::string_view text) {
  const std::vector<std::string_view> words = words_of_first_line(text);
  return words.size() >= 3 && std::all_of(words.begin(), words.begin() + 3, [](std::string_view w) {
           return w.find_first_not_of("+-.0123456789") == std::string_view::npos;
         });
}

NetworkConfig read_ns3(const ImportSource& source) { return Ns3Reader(source).read(); }

}  // namespace

extern const NetworkImport ns3_topology_import;
const NetworkImport ns3_topology_import = {
    .noun = "an ns-3 topology", .keys = {}, .sniff = sniff_ns3, .read = read_ns3};

}  // namespace convert
