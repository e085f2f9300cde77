// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "formats/run/check.h"
#include "formats/run/run.h"
#include "formats/run/tables.h"

namespace convert {
namespace run_file {
namespace {

using blocks::Bytes;

// Sets a value of the run; returns whether the number is in range.
template <class Value>
bool set(Value& to, std::uint64_t bits) {
  if constexpr (std::is_same_v<Value, bool>) {
    to = bits != 0;
    return bits <= 1;
  } else if constexpr (std::is_enum_v<Value>) {
    std::underlying_type_t<Value> number{};
    const bool fits = set(number, bits);
    to = Value{number};
    return fits;
  } else {
    to = static_cast<Value>(bits);
    return static_cast<std::uint64_t>(to) == bits;
  }
}

class Reader {
 public:
  explicit Reader(Input& input) : input_(input), blocks_(input, kind) {}

  Run read() {
    while (const auto block = blocks_.next()) {
      at_ = block->offset;
      table_ = block->name;
      take(block->payload, block->rows);
    }
    take_meta();
    check_run(run_, input_.name());
    return std::move(run_);
  }

 private:
  [[nodiscard]] Error damaged(const std::string& message) const { return blocks_.damaged(at_, message); }

  // Returns a function that adds a text, which must be new, to a set.
  auto numbering(TextSet& to) {
    return [this, &to](std::string_view text) {
      const std::uint32_t next = to.size();
      if (to.add(text) != next) throw damaged("a text of table " + table_ + " occurs twice");
    };
  }

  void take(std::string_view payload, std::size_t rows) {
    bool known = false;
    for_each_table(run_, [&]<class Row>(std::string_view table, std::vector<Row>& to) {
      if (table != table_) return;
      take_rows(payload, rows, to);
      known = true;
    });
    if (known) return;
    if (table_ == "meta") return take_rows(payload, rows, meta_);
    if (table_ == "settings") return take_rows(payload, rows, run_.settings);
    if (table_ == "inputs") return take_rows(payload, rows, run_.inputs);
    if (table_ == "slack") return take_numbers(payload, rows, run_.slack_ps);
    if (table_ == "link_bins") return take_numbers(payload, rows, run_.link_bins);
    const auto keep = [](std::vector<std::string>& to) {
      return [&to](std::string_view t) { to.emplace_back(t); };
    };
    if (table_ == "limits") return take_texts(payload, rows, keep(run_.limits));
    if (table_ == "hints") return take_texts(payload, rows, keep(run_.hints));
    if (table_ == "texts") return take_texts(payload, rows, numbering(run_.texts));
    if (table_ == "names") return take_texts(payload, rows, numbering(run_.timeline.names));
  }

  template <class Row>
  void take_rows(std::string_view payload, std::size_t count, std::vector<Row>& to) {
    blocks_.hold(count * sizeof(Row));
    const std::size_t first = to.size();
    to.resize(first + count);
    Bytes bytes(payload);
    const std::uint64_t columns = bytes.number();
    for (std::uint64_t c = 0; c < columns && !bytes.failed(); ++c) {
      const std::string_view name = bytes.text();
      const std::string_view code = bytes.bytes(1);
      const std::string_view values = bytes.text();
      if (bytes.failed()) break;
      std::apply(
          [&](const auto&... column) {
            (take_column(column, name, code.front(), values, std::span(to).subspan(first)), ...);
          },
          Columns<Row>::all);
    }
    if (bytes.failed() || !bytes.empty()) throw damaged("table " + table_ + " has malformed columns");
  }

  template <class Row, class Value>
  void take_column(const Column<Row, Value>& column, std::string_view name, char code, std::string_view values,
                   std::span<Row> rows) {
    if (name != column.name) return;
    const auto wrong = [&](const std::string& why) {
      return damaged("column " + std::string(name) + " of table " + table_ + ' ' + why);
    };
    Bytes bytes(values);
    std::uint64_t before = 0;
    for (Row& row : rows) {
      if constexpr (std::is_same_v<Value, std::string>) {
        if (code != static_cast<char>(Code::text)) throw wrong("is not text");
        row.*column.member = bytes.text();
        blocks_.hold((row.*column.member).size());
      } else if constexpr (std::is_same_v<Value, double>) {
        if (code != static_cast<char>(Code::real)) throw wrong("does not have real numbers");
        std::uint64_t bits = 0;
        unsigned shift = 0;
        for (const char byte : bytes.bytes(8))
          bits |= std::uint64_t{static_cast<std::uint8_t>(byte)} << std::exchange(shift, shift + 8);
        row.*column.member = std::bit_cast<double>(bits);
      } else {
        if (code != static_cast<char>(Code::delta)) throw wrong("does not have integers");
        const std::uint64_t difference = bytes.number();
        before += blocks::unzigzag(difference);
        if (!set(row.*column.member, before)) throw wrong("has a number that is out of range");
      }
    }
    if (bytes.failed() || !bytes.empty()) throw wrong("does not have a value for each row");
  }

  template <class Number>
  void take_numbers(std::string_view payload, std::size_t count, std::vector<Number>& to) {
    std::vector<NumberRow<Number>> rows;
    take_rows(payload, count, rows);
    for (const NumberRow<Number>& row : rows) to.push_back(row.value);
  }
  template <class Add>
  void take_texts(std::string_view payload, std::size_t count, const Add& add) {
    std::vector<TextRow> rows;
    take_rows(payload, count, rows);
    for (const TextRow& row : rows) add(row.text);
  }

  void take_meta() {
    const auto find = [&](std::string_view key) -> const std::string& {
      const auto found = std::ranges::find(meta_, key, &Run::Setting::key);
      if (found == meta_.end()) throw blocks_.damaged(input_.offset(), "it has no " + std::string(key));
      return found->value;
    };
    const auto time = [&](std::string_view key) {
      const auto value = parse_int(find(key));
      if (!value || *value < 0) throw blocks_.damaged(input_.offset(), std::string(key) + " is not a time");
      return *value;
    };
    run_.title = find("title");
    run_.recorded = find("recorded") == "1";
    run_.total_ps = time("total_ps");
    run_.reached_ps = time("reached_ps");
    run_.network_links = static_cast<std::uint64_t>(time("network_links"));
    run_.link_bin_ps = time("link_bin_ps");
    run_.link_bins_each = static_cast<std::uint32_t>(std::min<std::int64_t>(time("link_bins_each"), UINT32_MAX));
    const auto status = std::ranges::find(run_status_names, find("status"));
    if (status == run_status_names.end())
      throw blocks_.damaged(input_.offset(), "unknown status " + find("status"));
    run_.status = RunStatus{static_cast<std::uint8_t>(status - run_status_names.begin())};
  }

  Input& input_;
  blocks::Reader blocks_;
  Run run_;
  std::vector<Run::Setting> meta_;
  std::uint64_t at_ = 0;  // offset of the block
  std::string table_;
};

}  // namespace
}  // namespace run_file

Run read_run(Input& input) { return run_file::Reader(input).read(); }

}  // namespace convert
