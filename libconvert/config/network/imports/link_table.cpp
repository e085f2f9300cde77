// SPDX-License-Identifier: MIT
// Reads a table of directed links, separated by tabs, in the format of et-networks(5).
#include <algorithm>
#include <array>

#include "config/network/imports/graph_draft.h"
#include "config/network/imports/import.h"
#include "config/network/routes.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

constexpr std::string_view table_header = "from\tto\tbandwidth_MBps\tlatency_ns";

class LinkTableReader {
 public:
  explicit LinkTableReader(const ImportSource& source) : source_(source), rest_(source.text) {}

  WireGraph read() {
    read_head();
    GraphDraft draft(npus_, switches_, {.file = source_.name, .line = 1, .column = 1});
    draft.set_participants(participants());
    while (next_line()) {
      if (!line_.empty()) draft.add(read_link(), at(1));
    }
    return draft.finish();
  }

 private:
  [[nodiscard]] Location at(std::size_t column) const {
    return {.file = source_.name, .line = number_, .column = static_cast<std::uint32_t>(column)};
  }
  [[nodiscard]] Error error(std::size_t column, const std::string& message) const {
    return input_error(at(column), message, "network");
  }

  // Moves to the next line; returns false after the last line.
  bool next_line() {
    if (rest_.empty()) return false;
    line_ = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line_.size() + 1));
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }

  // Reads the lines that begin with '#', and the header.
  void read_head() {
    while (true) {
      if (!next_line()) throw error(1, "the file ends before its header '" + shown_header() + "'");
      if (!line_.starts_with('#')) break;
      const std::size_t tab = line_.find('\t');
      const std::string_view key = line_.substr(0, tab);
      const std::string_view value = tab == std::string_view::npos ? std::string_view{} : line_.substr(tab + 1);
      if (key == "#npus") {
        npus_ = whole(key, value);
      } else if (key == "#switches") {
        switches_ = whole(key, value);
      } else if (key == "#participants") {
        participants_ = value;
        participants_line_ = number_;
      } else {
        throw error(
            1, "unknown line '" + std::string(key.substr(0, 40)) + "'; known: #npus, #switches, #participants");
      }
    }
    if (line_ != table_header) throw error(1, "the header must be '" + shown_header() + "', separated by tabs");
  }
  static std::string shown_header() {
    std::string text(table_header);
    std::ranges::replace(text, '\t', ' ');
    return text;
  }

  [[nodiscard]] std::uint64_t whole(std::string_view key, std::string_view value) const {
    if (const auto n = parse_plain(value, UINT32_MAX)) return *n;
    throw error(key.size() + 2, std::string(key) + " requires a whole number, not '" + std::string(value) + "'");
  }

  std::vector<Device> participants() {
    std::vector<Device> devices;
    if (participants_ == "all" || participants_.empty()) return devices;
    const auto failure = [&](const std::string& why) {
      return input_error({.file = source_.name, .line = participants_line_}, "#participants: " + why, "network");
    };
    for (const std::string& piece : split(participants_, ',')) {
      const auto npu = parse_plain(piece, UINT32_MAX);
      if (!npu || *npu >= npus_)
        throw failure("'" + piece + "' is not an NPU from 0 to " + std::to_string(npus_ - 1) + ", or 'all'");
      devices.push_back(static_cast<Device>(*npu));
    }
    std::ranges::sort(devices);
    if (const auto twice = std::ranges::adjacent_find(devices); twice != devices.end())
      throw failure("NPU " + std::to_string(*twice) + " is repeated");
    return devices;
  }

  [[nodiscard]] GraphWire read_link() const {
    std::array<std::string_view, 4> cells;
    std::array<std::size_t, 4> columns{};
    std::size_t begin = 0;
    std::size_t n = 0;
    for (; begin <= line_.size(); ++n) {
      const std::size_t end = std::min(line_.find('\t', begin), line_.size());
      if (n == cells.size()) break;
      cells.at(n) = line_.substr(begin, end - begin);
      columns.at(n) = begin + 1;
      begin = end + 1;
    }
    if (n != cells.size() || begin <= line_.size())
      throw error(1, "a link requires four numbers separated by tabs: from, to, MB/s, ns");
    const auto device = [&](std::size_t i) {
      if (const auto d = parse_plain(cells.at(i), UINT32_MAX); d && *d < npus_ + switches_)
        return static_cast<Device>(*d);
      throw error(columns.at(i), "'" + std::string(cells.at(i)) + "' is not a device from 0 to " +
                                     std::to_string(npus_ + switches_ - 1) + ": NPUs, then switches");
    };
    const std::optional<double> rate = parse_number(cells[2]);
    if (!rate || !(*rate > 0))
      throw error(columns[2], "bandwidth requires a positive number of MB/s, not '" + std::string(cells[2]) + "'");
    const std::optional<Picoseconds> latency = parse_time(std::string(cells[3]) + "ns");
    if (!latency)
      throw error(columns[3], "latency requires a non-negative number of ns in whole picoseconds, not '" +
                                  std::string(cells[3]) + "'");
    return {.from = device(0), .to = device(1), .bytes_per_ns = *rate / 1000, .latency_ps = *latency};
  }

  const ImportSource& source_;
  std::string_view rest_;
  std::string_view line_;
  std::uint32_t number_ = 0;
  std::uint64_t npus_ = 0;
  std::uint64_t switches_ = 0;
  std::string_view participants_;
  std::uint32_t participants_line_ = 0;
};

bool sniff_link_table(std::string_view text) { return text.starts_with("#npus\t"); }

NetworkConfig read_link_table(const ImportSource& source) {
  return {.source = source.name, .graph = LinkTableReader(source).read()};
}

}  // namespace

extern const NetworkImport link_table_import;
const NetworkImport link_table_import = {
    .noun = "a table of links", .keys = {}, .sniff = sniff_link_table, .read = read_link_table};

}  // namespace convert
