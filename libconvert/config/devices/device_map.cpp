// SPDX-License-Identifier: MIT
#include "config/devices/device_map.h"

#include <array>
#include <unordered_map>
#include <utility>

#include "config/json_map.h"
#include "core/trace.h"
#include "core/units.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::string_view rule = "devices";
constexpr std::string_view blanks = " \t\r";

// Cell of a CSV line or element of a JSON list, with its column.
struct Cell {
  std::string text;
  std::uint32_t column = 0;
};

class MapBuilder {
 public:
  explicit MapBuilder(DeviceMap& map) : map_(map) {}

  // Adds an entry: the key, then rank | source, destination | source, destination, size.
  void add(std::uint32_t line, const std::vector<Cell>& cells) {
    if (cells.size() < 2 || cells.size() > 4) {
      fail(line, cells[0].column,
           "'" + cells[0].text + "' requires the rank of a task, or source, destination and size of a transfer");
    }
    DeviceEntry e{.key = cells[0].text, .line = line, .column = cells[0].column};
    if (e.key.empty()) fail(line, cells[0].column, "a task or a pattern of names is expected");
    e.rank = rank(line, cells[1]);
    if (cells.size() > 2) e.peer = rank(line, cells[2]);
    if (cells.size() > 3) {
      e.bytes = parse_bytes(cells[3].text);
      if (!e.bytes)
        fail(line, cells[3].column, "'" + cells[3].text + "' is not a size in bytes (examples: 4096, 64KiB, 1MB)");
    }
    const auto [before, is_new] = line_of_key_.try_emplace(e.key, line);
    if (!is_new)
      fail(line, cells[0].column,
           "'" + e.key + "' is repeated; first given in line " + std::to_string(before->second));
    map_.entries.push_back(std::move(e));
  }
  [[noreturn]] void fail(std::uint32_t line, std::uint32_t column, const std::string& message) const {
    throw input_error({.file = map_.file, .line = line, .column = column}, message, std::string(rule));
  }

 private:
  [[nodiscard]] std::uint32_t rank(std::uint32_t line, const Cell& cell) const {
    const auto v = parse_unsigned(cell.text);
    if (!v || *v > largest_rank)
      fail(line, cell.column, "'" + cell.text + "' is not a rank, an integer from 0 to 2^31-1");
    return static_cast<std::uint32_t>(*v);
  }

  DeviceMap& map_;
  std::unordered_map<std::string, std::uint32_t> line_of_key_;
};

void read_json(const JsonSource& source, MapBuilder& builder) {
  std::vector<Cell> cells;
  // Counts lines and columns incrementally; to count from the beginning for each member would be quadratic.
  std::size_t counted = 0;
  std::size_t line_begin = 0;
  std::uint32_t line = 1;
  const auto column = [&](const JsonToken& token) {
    const auto at = static_cast<std::size_t>(token.raw.data() - source.text.data());
    for (; counted < at; ++counted) {
      if (source.text[counted] != '\n') continue;
      ++line;
      line_begin = counted + 1;
    }
    return static_cast<std::uint32_t>(at - line_begin + 1);
  };
  const auto text = [](const JsonToken& token) {
    return token.kind == JsonToken::Kind::string ? token.text : std::string(token.raw);
  };
  read_json_map(source, [&](const JsonMember& member) {
    cells.assign(1, {member.key.text, column(member.key)});
    const std::uint32_t key_line = line;
    if (member.value.kind == JsonToken::Kind::list) {
      for (const JsonToken& item : member.items) cells.push_back({text(item), column(item)});
      if (cells.size() == 2) cells.resize(1);  // a list is source and destination
    } else {
      cells.push_back({text(member.value), column(member.value)});
    }
    builder.add(key_line, cells);
  });
}

class CsvReader {
 public:
  CsvReader(std::string_view text, MapBuilder& builder) : rest_(text), builder_(builder) {}

  void read() {
    std::vector<Cell> cells;
    for (; !rest_.empty(); ++line_) {
      const std::size_t end = rest_.find('\n');
      std::string_view text = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      const std::size_t first = text.find_first_not_of(blanks);
      if (first == std::string_view::npos || text[first] == '#') continue;
      split(text, cells);
      if (!std::exchange(begun_, true) && is_header(cells)) continue;
      builder_.add(line_, cells);
    }
  }

 private:
  // Returns whether a first line names the columns: "node,rank" or "node,src,dst,bytes".
  static bool is_header(const std::vector<Cell>& cells) {
    constexpr std::array<std::string_view, 4> names = {"node", "src", "dst", "bytes"};
    if (cells.size() == 2) return cells[0].text == "node" && cells[1].text == "rank";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i >= names.size() || cells[i].text != names[i]) return false;
    }
    return cells.size() > 2;
  }

  void split(std::string_view text, std::vector<Cell>& cells) const {
    cells.clear();
    std::size_t at = 0;
    for (;;) {
      at = std::min(text.find_first_not_of(" \t", at), text.size());
      Cell cell{.text = {}, .column = static_cast<std::uint32_t>(at + 1)};
      if (at < text.size() && text[at] == '"') {
        at = quoted(text, at, cell);
      } else {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string_view raw = text.substr(at, end - at);
        cell.text = raw.substr(0, raw.find_last_not_of(blanks) + 1);
        at = end;
      }
      cells.push_back(std::move(cell));
      if (at == text.size()) return;
      ++at;  // the comma
    }
  }

  // Reads a string from its opening quote; returns the offset of the comma or of the end of the line.
  [[nodiscard]] std::size_t quoted(std::string_view text, std::size_t at, Cell& cell) const {
    for (++at;; ++at) {
      if (at >= text.size()) builder_.fail(line_, cell.column, "unterminated string");
      if (text[at] == '"') {
        if (text.substr(at + 1, 1) != "\"") break;
        ++at;
      }
      cell.text += text[at];
    }
    at = std::min(text.find_first_not_of(blanks, at + 1), text.size());
    if (at < text.size() && text[at] != ',')
      builder_.fail(line_, static_cast<std::uint32_t>(at + 1), "expected a comma after the string");
    return at;
  }

  std::string_view rest_;
  MapBuilder& builder_;
  std::uint32_t line_ = 1;
  bool begun_ = false;
};

}  // namespace

DeviceMap parse_device_map(const std::string& file, std::string_view text) {
  DeviceMap map{.file = file, .entries = {}};
  MapBuilder builder(map);
  text = without_mark(text);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (text.size() > max_device_map_bytes)
    throw input_error({.file = file}, "larger than 256 MiB, the limit of a device map", std::string(rule));
  if (begin != std::string_view::npos && text[begin] == '{') {
    read_json({.file = file,
               .text = text,
               .rule = rule,
               .noun = "device map",
               .shape = R"(a JSON object is expected, such as {"node0": 0})",
               .max_bytes = max_device_map_bytes},
              builder);
  } else {
    CsvReader(text, builder).read();
  }
  if (map.entries.empty())
    throw input_error({.file = file}, "empty; lines such as node0,3 are expected", std::string(rule));
  return map;
}

}  // namespace convert
