// SPDX-License-Identifier: MIT
// Tables of a run file and their columns, for its writer and its reader. A new column needs only its line here; if
// a file lacks a column, its member keeps the initial value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/run.h"
#include "formats/blocks.h"

namespace convert::run_file {

// Returns the memory that a reader needs for a block: its rows, and the payload that holds their texts.
[[nodiscard]] std::uint64_t block_memory(std::string_view table, std::uint64_t rows, std::uint64_t payload_bytes);

// The file consists of blocks (formats/blocks.h). Payload: the number of columns; for each column: name, code,
// size, bytes. A table may have several blocks. Unknown tables and columns are skipped, so additions keep the
// version.
inline constexpr blocks::Kind kind{.magic =
                                       "\x89"
                                       "ETRUN\r\n\x1a\n",
                                   .version = 1,
                                   .noun = "run",
                                   .rule = "run",
                                   .memory = block_memory};
using blocks::max_payload;
using blocks::max_rows;

// Encoding of a column's values.
enum class Code : std::uint8_t {
  delta = 1,  // zigzag LEB128 of the difference to the previous value, initially 0; wraps at 2^64
  real = 2,   // double, little-endian
  text = 3,   // length and bytes
};

template <class Row, class Value>
struct Column {
  std::string_view name;
  Value Row::*member;
};
template <class Row, class Value>
Column(std::string_view, Value Row::*) -> Column<Row, Value>;

// A row that is a single text.
struct TextRow {
  std::string text;
};

template <class Row>
struct Columns;
template <>
struct Columns<TextRow> {
  static constexpr auto all = std::tuple(Column{"text", &TextRow::text});
};
template <>
struct Columns<Run::Setting> {
  static constexpr auto all = std::tuple(Column{"key", &Run::Setting::key}, Column{"value", &Run::Setting::value});
};
template <>
struct Columns<Slice> {
  static constexpr auto all =
      std::tuple(Column{"begin", &Slice::begin_ps}, Column{"end", &Slice::end_ps}, Column{"node", &Slice::node},
                 Column{"bytes", &Slice::bytes}, Column{"flow", &Slice::flow}, Column{"npu", &Slice::rank},
                 Column{"name", &Slice::name}, Column{"peer", &Slice::peer}, Column{"call", &Slice::call},
                 Column{"lane", &Slice::lane}, Column{"open", &Slice::open}, Column{"stream", &Slice::stream});
};
template <>
struct Columns<Run::Npu> {
  using T = Run::Npu;
  static constexpr auto all =
      std::tuple(Column{"npu", &T::rank}, Column{"finish", &T::finish_ps},
                 Column{"astra_exposed", &T::astra_exposed_ps}, Column{"compute", &T::compute_ps},
                 Column{"sends", &T::sends}, Column{"bytes_sent", &T::bytes_sent}, Column{"nodes", &T::nodes},
                 Column{"nodes_done", &T::nodes_done}, Column{"peak_memory", &T::peak_memory_bytes});
};
template <>
struct Columns<Run::Group> {
  static constexpr auto all = std::tuple(Column{"group", &Run::Group::group}, Column{"name", &Run::Group::name});
};
template <>
struct Columns<Run::Call> {
  using T = Run::Call;
  static constexpr auto all = std::tuple(
      Column{"op", &T::op}, Column{"group", &T::group}, Column{"number", &T::number}, Column{"npus", &T::npus},
      Column{"size", &T::size_bytes}, Column{"algorithm", &T::algorithm}, Column{"bound", &T::bound_ps},
      Column{"begin", &T::begin_ps}, Column{"last_begin", &T::last_begin_ps}, Column{"end", &T::end_ps},
      Column{"first_npu", &T::first_npu}, Column{"first_node", &T::first_node}, Column{"type", &T::type},
      Column{"root", &T::root}, Column{"source", &T::source}, Column{"error_pct", &T::error_pct});
};
template <>
struct Columns<Run::CallNpu> {
  using T = Run::CallNpu;
  static constexpr auto all = std::tuple(Column{"call", &T::call}, Column{"npu", &T::npu},
                                         Column{"begin", &T::begin_ps}, Column{"end", &T::end_ps});
};
template <>
struct Columns<Run::Step> {
  using T = Run::Step;
  static constexpr auto all = std::tuple(
      Column{"kind", &T::kind}, Column{"npu", &T::npu}, Column{"node", &T::node}, Column{"name", &T::name},
      Column{"begin", &T::begin_ps}, Column{"time", &T::time_ps}, Column{"call", &T::call},
      Column{"bytes", &T::bytes}, Column{"peer", &T::peer}, Column{"then", &T::then});
};
template <>
struct Columns<Run::Link> {
  using T = Run::Link;
  static constexpr auto all = std::tuple(Column{"from", &T::from}, Column{"to", &T::to}, Column{"dim", &T::dim},
                                         Column{"gb_per_s", &T::gb_per_s}, Column{"latency_ns", &T::latency_ns},
                                         Column{"bytes", &T::bytes}, Column{"messages", &T::messages},
                                         Column{"busy", &T::busy_ps}, Column{"peak_queue", &T::peak_queue});
};
template <>
struct Columns<Run::Dim> {
  using T = Run::Dim;
  static constexpr auto all = std::tuple(Column{"topology", &T::topology}, Column{"npus", &T::npus},
                                         Column{"gb_per_s", &T::gb_per_s}, Column{"latency_ns", &T::latency_ns});
};
template <>
struct Columns<Run::Traffic> {
  using T = Run::Traffic;
  static constexpr auto all = std::tuple(Column{"src", &T::src}, Column{"dst", &T::dst}, Column{"bytes", &T::bytes},
                                         Column{"messages", &T::messages}, Column{"latency_ns", &T::latency_ns});
};
template <>
struct Columns<Run::WhatIf> {
  using T = Run::WhatIf;
  static constexpr auto all =
      std::tuple(Column{"change", &T::change}, Column{"subject", &T::subject}, Column{"group", &T::group},
                 Column{"what", &T::what}, Column{"setting", &T::setting}, Column{"total", &T::total_ps});
};
template <>
struct Columns<Run::Class> {
  using T = Run::Class;
  static constexpr auto all = std::tuple(Column{"npu", &T::npu}, Column{"like", &T::like});
};
template <>
struct Columns<Run::Dep> {
  static constexpr auto all = std::tuple(Column{"from", &Run::Dep::from}, Column{"to", &Run::Dep::to});
};
template <>
struct Columns<Run::Wait> {
  using T = Run::Wait;
  static constexpr auto all = std::tuple(Column{"npu", &T::npu}, Column{"node", &T::node}, Column{"name", &T::name},
                                         Column{"since", &T::since_ps}, Column{"text", &T::text});
};
template <>
struct Columns<Run::Memory> {
  using T = Run::Memory;
  static constexpr auto all =
      std::tuple(Column{"npu", &T::npu}, Column{"time", &T::time_ps}, Column{"bytes", &T::bytes});
};
template <>
struct Columns<Run::Alive> {
  using T = Run::Alive;
  static constexpr auto all =
      std::tuple(Column{"npu", &T::npu}, Column{"tensor", &T::tensor}, Column{"bytes", &T::bytes});
};
// A row that is a single number.
template <class Number>
struct NumberRow {
  Number value = 0;
};
template <class Number>
struct Columns<NumberRow<Number>> {
  static constexpr auto all = std::tuple(Column{"value", &NumberRow<Number>::value});
};

// Calls fn(name, vector) for each table that is a vector of rows, in file order.
template <class R, class Fn>
void for_each_table(R& run, const Fn& fn) {
  fn("npus", run.npus);
  fn("groups", run.groups);
  fn("slices", run.timeline.slices);
  fn("calls", run.calls);
  fn("call_npus", run.call_npus);
  fn("causes", run.path);
  fn("links", run.links);
  fn("dims", run.dims);
  fn("matrix", run.matrix);
  fn("whatif", run.whatif);
  fn("classes", run.classes);
  fn("waits", run.waits);
  fn("memory", run.memory);
  fn("alive", run.alive);
  fn("deps", run.deps);
}

inline std::uint64_t block_memory(std::string_view table, std::uint64_t rows, std::uint64_t payload_bytes) {
  static const Run none;
  std::uint64_t row_bytes = 0;
  const auto if_named = [&](std::string_view name, std::size_t bytes) {
    if (name == table) row_bytes = bytes;
  };
  for_each_table(none,
                 [&]<class Row>(std::string_view name, const std::vector<Row>&) { if_named(name, sizeof(Row)); });
  for (const std::string_view name : {"meta", "settings", "inputs"}) if_named(name, sizeof(Run::Setting));
  for (const std::string_view name : {"limits", "hints", "texts", "names"}) if_named(name, sizeof(TextRow));
  if_named("slack", sizeof(NumberRow<Picoseconds>));
  if_named("link_bins", sizeof(NumberRow<std::uint8_t>));
  return rows * row_bytes + payload_bytes;
}

}  // namespace convert::run_file
