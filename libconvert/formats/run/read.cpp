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
#include "io/document_limit.h"
#include "io/zstd/block.h"

namespace convert {
namespace run_file {
namespace {

// Reads numbers and texts of a payload; a failure is remembered and gives 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  std::string_view text() { return bytes(number()); }
  std::string_view bytes(std::uint64_t size) {
    if (size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// Sets a value of the run; returns whether the number is in its range.
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
  explicit Reader(Input& input) : input_(input) {}

  Run read() {
    head();
    while (block()) {
    }
    take_meta();
    check_run(run_, input_.name());
    return std::move(run_);
  }

 private:
  [[nodiscard]] Error failure(std::uint64_t offset, const std::string& message) const {
    return input_error({.file = input_.name(), .offset = static_cast<std::int64_t>(offset)}, message, "run");
  }
  [[nodiscard]] Error cut() const { return failure(input_.offset(), "the run ends early"); }

  void head() {
    const std::string_view head = input_.peek(magic.size() + 1);
    if (!head.starts_with(magic)) throw failure(0, "this is not a run file");
    if (head.size() == magic.size()) throw cut();
    const auto found = static_cast<std::uint8_t>(head[magic.size()]);
    if (found != version) {
      throw failure(magic.size(), "this run was written by a newer etkit: its format is version " +
                                      std::to_string(found) + ", this etkit reads version " +
                                      std::to_string(version));
    }
    input_.skip(magic.size() + 1);
  }

  std::uint64_t number() {
    const std::string_view next = input_.peek(10);
    std::size_t size = 0;
    while (size < next.size() && size < 10 && (static_cast<std::uint8_t>(next[size]) & 0x80U) != 0) ++size;
    if (size == next.size()) throw cut();
    Bytes bytes(next.substr(0, size + 1));
    const std::uint64_t value = bytes.number();
    if (bytes.failed()) throw failure(input_.offset(), "damaged run: a number is too long");
    input_.skip(size + 1);
    return value;
  }

  // Reads a block; returns false behind the last one.
  bool block() {
    const std::uint64_t at = input_.offset();
    const std::uint64_t name_size = number();
    if (name_size > 255) throw failure(at, "damaged run: a table's name is too long");
    const std::string name(input_.peek(name_size).substr(0, name_size));
    if (name.size() != name_size) throw cut();
    input_.skip(name_size);
    if (name.empty()) {
      if (number() != blocks_) throw failure(at, "damaged run: blocks are missing");
      if (!input_.at_end()) throw failure(input_.offset(), "unexpected bytes behind the run");
      return false;
    }
    const std::uint64_t rows = number();
    const std::uint64_t size = number();
    const std::uint64_t packed_size = number();
    if (rows == 0 || rows > max_rows || size > max_payload || packed_size > max_payload + max_payload / 128)
      throw failure(at, "damaged run: table " + name + " has a block of an impossible size");
    const std::string_view packed = input_.peek(packed_size).substr(0, packed_size);
    if (packed.size() != packed_size) throw cut();
    const auto payload = zstd_.unpack(packed, size);
    if (!payload) throw failure(at, "damaged run: a block of table " + name + " does not unpack");
    at_ = at;
    table_ = name;
    take(*payload, rows);
    input_.skip(packed_size);
    ++blocks_;
    return true;
  }

  // Returns what adds a text, which must be new, to a set.
  auto numbering(TextSet& to) {
    return [this, &to](std::string_view text) {
      const std::uint32_t next = to.size();
      if (to.add(text) != next) throw failure(at_, "damaged run: a text of table " + table_ + " is there twice");
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
    hold(count * sizeof(Row));
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
    if (bytes.failed() || !bytes.empty()) throw failure(at_, "damaged run: table " + table_ + " has no columns");
  }

  template <class Row, class Value>
  void take_column(const Column<Row, Value>& column, std::string_view name, char code, std::string_view values,
                   std::span<Row> rows) {
    if (name != column.name) return;
    const auto damaged = [&](const std::string& why) {
      return failure(at_, "damaged run: column " + std::string(name) + " of table " + table_ + ' ' + why);
    };
    Bytes bytes(values);
    std::uint64_t before = 0;
    for (Row& row : rows) {
      if constexpr (std::is_same_v<Value, std::string>) {
        if (code != static_cast<char>(Code::text)) throw damaged("is no text");
        row.*column.member = bytes.text();
        hold((row.*column.member).size());
      } else if constexpr (std::is_same_v<Value, double>) {
        if (code != static_cast<char>(Code::real)) throw damaged("has no real numbers");
        std::uint64_t bits = 0;
        unsigned shift = 0;
        for (const char byte : bytes.bytes(8))
          bits |= std::uint64_t{static_cast<std::uint8_t>(byte)} << std::exchange(shift, shift + 8);
        row.*column.member = std::bit_cast<double>(bits);
      } else {
        if (code != static_cast<char>(Code::delta)) throw damaged("has no whole numbers");
        const std::uint64_t difference = bytes.number();
        before += (difference >> 1U) ^ (0 - (difference & 1U));
        if (!set(row.*column.member, before)) throw damaged("has a number that is out of range");
      }
    }
    if (bytes.failed() || !bytes.empty()) throw damaged("has not a value for each row");
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

  // Counts memory that the run takes, and refuses too much.
  void hold(std::size_t bytes) {
    held_ += bytes;
    if (held_ > most_document_bytes())
      throw failure(at_, "this run takes more memory than there is; allow more with --max-expand");
  }

  void take_meta() {
    const auto find = [&](std::string_view key) -> const std::string& {
      const auto found = std::ranges::find(meta_, key, &Run::Setting::key);
      if (found == meta_.end()) throw failure(input_.offset(), "damaged run: it has no " + std::string(key));
      return found->value;
    };
    const auto time = [&](std::string_view key) {
      const auto value = parse_int(find(key));
      if (!value || *value < 0) throw failure(input_.offset(), "damaged run: " + std::string(key) + " is no time");
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
      throw failure(input_.offset(), "damaged run: unknown status " + find("status"));
    run_.status = RunStatus{static_cast<std::uint8_t>(status - run_status_names.begin())};
  }

  Input& input_;
  ZstdBlocks zstd_;
  Run run_;
  std::vector<Run::Setting> meta_;
  std::uint64_t blocks_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t at_ = 0;  // where the block begins
  std::string table_;
};

}  // namespace
}  // namespace run_file

Run read_run(Input& input) { return run_file::Reader(input).read(); }

}  // namespace convert
