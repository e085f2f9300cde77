// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/diagnostic.h"
#include "formats/run/run.h"
#include "formats/run/tables.h"

namespace convert {
namespace run_file {
namespace {

// A block of texts ends once it has this number of bytes; it may exceed it by one row.
constexpr std::size_t text_block_bytes = std::size_t{1} << 22U;
constexpr std::size_t max_text_bytes = max_payload / 2;

using blocks::append_number;
using blocks::append_text;
using blocks::zigzag;

template <class Value>
constexpr Code code_of() {
  if constexpr (std::is_same_v<Value, std::string>) return Code::text;
  if constexpr (std::is_same_v<Value, double>) return Code::real;
  return Code::delta;
}

class Writer {
 public:
  explicit Writer(Output& out) : blocks_(out, kind) {}

  template <class Row>
  void table(std::string_view name, std::span<const Row> rows) {
    for (std::size_t at = 0, n = 0; at < rows.size(); at += n) {
      n = std::min(most_rows<Row>(), rows.size() - at);
      block(name, rows.subspan(at, n));
    }
  }

  // Writes a table of `count` texts, text_of(i).
  template <class TextOf>
  void texts(std::string_view name, std::size_t count, const TextOf& text_of) {
    std::vector<TextRow> rows;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = text_of(i);
      if (text.size() > max_text_bytes)
        throw Error("a text of " + std::to_string(text.size()) + " bytes is too long for a run file");
      rows.push_back({std::string(text)});
      bytes += text.size();
      const std::size_t most = blocks_.dense() ? blocks::small_block_bytes : text_block_bytes;
      if (bytes < most && rows.size() < most_rows<TextRow>() && i + 1 < count) continue;
      block<TextRow>(name, rows);
      rows.clear();
      bytes = 0;
    }
  }
  void texts(std::string_view name, const TextSet& set) {
    texts(name, set.size(), [&](std::size_t i) { return set[static_cast<std::uint32_t>(i)]; });
  }

  template <class Number>
  void numbers(std::string_view name, const std::vector<Number>& values) {
    std::vector<NumberRow<Number>> rows;
    for (std::size_t at = 0; at < values.size(); at += rows.size()) {
      rows.clear();
      const std::size_t most = most_rows<NumberRow<Number>>();
      for (std::size_t i = at; i < values.size() && rows.size() < most; ++i) rows.push_back({values[i]});
      block<NumberRow<Number>>(name, rows);
    }
  }

  void finish() { blocks_.finish(); }

 private:
  // Returns the maximum number of rows of the next block.
  template <class Row>
  [[nodiscard]] std::size_t most_rows() const {
    return blocks_.dense() ? std::max<std::size_t>(1, 10 * blocks::small_block_bytes / sizeof(Row)) : max_rows;
  }

  template <class Row>
  void block(std::string_view name, std::span<const Row> rows) {
    payload_.clear();
    append_number(payload_, std::tuple_size_v<decltype(Columns<Row>::all)>);
    std::apply([&](const auto&... column) { (add(column, rows), ...); }, Columns<Row>::all);
    blocks_.block(name, rows.size(), payload_);
  }

  template <class Row, class Value>
  void add(const Column<Row, Value>& column, std::span<const Row> rows) {
    constexpr Code code = code_of<Value>();
    bytes_.clear();
    std::uint64_t before = 0;
    for (const Row& row : rows) {
      if constexpr (code == Code::text) {
        append_text(bytes_, row.*column.member);
      } else if constexpr (code == Code::real) {
        const auto bits = std::bit_cast<std::uint64_t>(row.*column.member);
        for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift);
      } else {
        const auto value = static_cast<std::uint64_t>(row.*column.member);
        append_number(bytes_, zigzag(value - before));
        before = value;
      }
    }
    append_text(payload_, column.name);
    payload_ += static_cast<char>(code);
    append_text(payload_, bytes_);
  }

  blocks::Writer blocks_;
  std::string payload_;
  std::string bytes_;
};

}  // namespace
}  // namespace run_file

void write_run(const Run& run, Output& out) {
  run_file::Writer w(out);
  const std::vector<Run::Setting> meta = {
      {"title", run.title},
      {"recorded", run.recorded ? "1" : "0"},
      {"status", std::string(name(run.status))},
      {"total_ps", std::to_string(run.total_ps)},
      {"reached_ps", std::to_string(run.reached_ps)},
      {"network_links", std::to_string(run.network_links)},
      {"link_bin_ps", std::to_string(run.link_bin_ps)},
      {"link_bins_each", std::to_string(run.link_bins_each)},
  };
  w.table<Run::Setting>("meta", meta);
  w.table<Run::Setting>("settings", run.settings);
  w.table<Run::Setting>("inputs", run.inputs);
  w.texts("limits", run.limits.size(), [&](std::size_t i) -> std::string_view { return run.limits[i]; });
  w.texts("hints", run.hints.size(), [&](std::size_t i) -> std::string_view { return run.hints[i]; });
  w.texts("texts", run.texts);
  w.texts("names", run.timeline.names);
  run_file::for_each_table(
      run, [&]<class Row>(std::string_view table, const std::vector<Row>& rows) { w.table<Row>(table, rows); });
  w.numbers("slack", run.slack_ps);
  w.numbers("link_bins", run.link_bins);
  w.finish();
}

}  // namespace convert
