// SPDX-License-Identifier: MIT
#include "formats/param/entries.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/element_type.h"
#include "core/units.h"
#include "formats/json/stream.h"
#include "formats/json/tokens.h"

namespace convert {
namespace {

constexpr std::size_t most_unknown_keys = 20;  // reported by name

class ParamEntryReader final : public JsonItems {
 public:
  ParamEntryReader(ParamFile& to, JsonStream& stream) : to_(to), stream_(stream) {}

  void member(std::string_view key, JsonCursor& in) override {
    throw BadJson{in.last(), "a PARAM communications trace must be an array of entries, not an object with " +
                                 json_quoted(key)};
  }

  // Reads the whole entry before it stores any of it: the window may end within the entry.
  void element(JsonCursor& in) override {
    at_ = in.here();
    value_.fill({});
    unknown_here_.clear();
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      const auto known = std::ranges::find(key_names, key);
      const std::string_view value = in.value();
      if (known == key_names.end()) {
        unknown_here_.push_back(key);
        return;
      }
      auto& place = value_[static_cast<std::size_t>(known - key_names.begin())];
      if (place.data() != nullptr) throw BadJson{key.data(), json_quoted(key) + " is given twice"};
      place = value;
    });
    add();
    for (const std::string_view key : unknown_here_) ++unknown_[cut(key)];
  }

  void undo() override {}

  void warn(Diagnostics& diagnostics) const {
    for (const auto& [key, n] : unknown_)
      diagnostics.warning({.file = to_.name}, "framing",
                          (key.empty() ? "further keys are" : json_quoted(key) + " is") +
                              std::string(" unknown to PARAM's replay and omitted (") + counted(n, "time") + ")");
  }

 private:
  enum Key : std::size_t {
    comms,
    compute,
    markers,
    req,
    start_time,
    world_size,
    root,
    pg_id,
    global_ranks,
    in_size,
    out_size,
    dtype,
    in_split,
    out_split,
    src_rank,
    dst_rank,
    use_batch,
    count,
    mm_dim,
    mm0_dim0,
    mm0_dim1,
    mm1_dim0,
    mm1_dim1,
    direction,
    lookup,
    keys = lookup + param_lookup_keys.size()
  };
  static constexpr std::array<std::string_view, keys> key_names = {
      "comms",    "compute",      "markers",     "req",          "startTime_ns", "world_size", "root",
      "pg_id",    "global_ranks", "in_msg_size", "out_msg_size", "dtype",        "in_split",   "out_split",
      "src_rank", "dst_rank",     "use_batch",   "count",        "mm_dim",       "mm0_dim0",   "mm0_dim1",
      "mm1_dim0", "mm1_dim1",     "direction",   "emb_dim",      "num_embs",     "batch_size", "num_emb_tables",
      "bag_size"};

  [[nodiscard]] std::string cut(std::string_view key) const {
    const std::string name(key.substr(0, 80));
    return unknown_.contains(name) || unknown_.size() < most_unknown_keys ? name : std::string();
  }

  void add() {
    if (to_.entries.size() >= std::numeric_limits<std::uint32_t>::max() / 2)
      throw BadJson{at_, "too many entries for a trace"};
    ParamEntry e;
    const std::uint64_t line = stream_.line_of(at_);
    e.line = line > std::numeric_limits<std::uint32_t>::max() ? 0 : static_cast<std::uint32_t>(line);
    read_markers(e);
    if (has(comms)) {
      read_communication(e);
    } else if (has(compute)) {
      read_computation(e);
    } else {
      throw BadJson{at_, "an entry must have 'comms' or 'compute'; this entry has neither"};
    }
    to_.entries.push_back(e);
  }

  [[nodiscard]] bool has(std::size_t key) const {
    return value_[key].data() != nullptr && (value_[key] != "null" || key == comms || key == compute);
  }
  std::string_view required(std::size_t key, const char* of) const {
    if (!has(key)) throw BadJson{at_, std::string(of) + " without '" + std::string(key_names[key]) + "'"};
    return value_[key];
  }

  std::string_view string(std::size_t key) {
    const std::string_view value = value_[key];
    if (!is_json_string(value)) throw BadJson{value.data(), json_quoted(key_names[key]) + " must be a string"};
    return unescaped(value.substr(1, value.size() - 2), scratch_);
  }
  [[nodiscard]] std::int64_t number(std::size_t key, std::int64_t least = 0) const {
    return number(value_[key], key, least);
  }
  static std::int64_t number(std::string_view value, std::size_t key, std::int64_t least) {
    const auto n = json_integer<std::int64_t>(value, key_names[key]);
    if (n < least)
      throw BadJson{value.data(), json_quoted(key_names[key]) + " must be at least " + std::to_string(least)};
    return n;
  }
  // Returns the number, or -1 if absent.
  [[nodiscard]] std::int64_t optional(std::size_t key, std::int64_t least = 0) const {
    return has(key) ? number(key, least) : -1;
  }
  std::int64_t rank(std::size_t key) const {
    const std::int64_t n = number(key);
    if (n > largest_rank) throw BadJson{value_[key].data(), json_quoted(key_names[key]) + " is not a valid rank"};
    return n;
  }

  // Calls each(element) for each scalar of a list.
  template <class Each>
  void list(std::size_t key, const Each& each) const {
    std::string_view rest = value_[key];
    const char* const what = key == markers ? " must be a list of strings" : " must be a list of integers";
    if (!rest.starts_with('[')) throw BadJson{rest.data(), json_quoted(key_names[key]) + what};
    constexpr std::string_view space = " \t\r\n";
    rest = rest.substr(1, rest.size() - 2);
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(space), rest.size()));
      if (rest.empty()) return;
      if (rest.front() == '[' || rest.front() == '{')
        throw BadJson{rest.data(), json_quoted(key_names[key]) + what};
      std::size_t end = rest.front() == '"' ? end_of_string(rest) : rest.find(',');
      end = std::min(end, rest.size());
      std::string_view token = rest.substr(0, end);
      token = token.substr(0, token.find_last_not_of(space) + 1);
      each(token);
      rest.remove_prefix(end);
      const std::size_t comma = rest.find(',');
      if (comma == std::string_view::npos) return;
      rest.remove_prefix(comma + 1);
    }
  }
  static std::size_t end_of_string(std::string_view text) {
    std::size_t i = 1;
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
    return i + 1;
  }

  void close(Range& range, std::size_t end, std::size_t key) const {
    if (end > std::numeric_limits<std::uint32_t>::max())
      throw BadJson{value_[key].data(), "too many numbers and markers for a trace"};
    range.count = static_cast<std::uint32_t>(end - range.begin);
  }

  void read_markers(ParamEntry& e) {
    if (!has(markers)) return;
    e.has_markers = true;
    e.markers.begin = static_cast<std::uint32_t>(to_.texts.size());
    list(markers, [&](std::string_view token) {
      if (!is_json_string(token)) throw BadJson{token.data(), "'markers' must be a list of strings"};
      to_.texts.push_back(to_.add_text(unescaped(token.substr(1, token.size() - 2), scratch_)));
    });
    close(e.markers, to_.texts.size(), markers);
  }

  void read_communication(ParamEntry& e) {
    const std::string_view name = string(comms);
    e.operation = find_param_operation(name);
    if (e.operation == nullptr)
      throw BadJson{value_[comms].data(), "unknown operation " + json_quoted(name) + hint_for_operation(name)};
    read_request(e);
    read_start(e);
    e.world = optional(world_size, 1);
    e.root = optional(root, -1);
    e.group = optional(pg_id);
    using enum ParamOperation::Kind;
    if (e.operation->kind == init) return read_init(e);
    if (e.operation->kind == wait || e.operation->kind == batch || e.operation->type == Collective::barrier) return;
    read_sizes(e);
    if (e.operation->kind == message) read_ends(e);
    if (e.operation->name == "all_to_allv") read_splits(e);
  }

  // Python's replay compares requests as text, so a number equals a string of the same digits.
  void read_request(ParamEntry& e) {
    if (!has(req)) return;
    e.has_request = true;
    const bool quoted = is_json_string(value_[req]);
    e.request = to_.add_text(quoted ? string(req) : value_[req]);
  }

  void read_start(ParamEntry& e) const {
    if (!has(start_time)) return;
    const std::string_view value = value_[start_time];
    double ns = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), ns);
    const bool fraction = is_json_number(value) && value.find_first_of(".eE") != std::string_view::npos;
    if (fraction && error == std::errc() && end == value.data() + value.size() && ns >= 0 && ns < 9e18) {
      e.start_ns = std::llround(ns);
    } else {
      e.start_ns = number(start_time);
    }
  }

  void read_init(ParamEntry& e) {
    (void)required(pg_id, "an init");
    (void)required(global_ranks, "an init");
    e.ranks.begin = static_cast<std::uint32_t>(to_.numbers.size());
    list(global_ranks, [&](std::string_view token) {
      const std::int64_t n = number(token, global_ranks, 0);
      if (n > largest_rank) throw BadJson{token.data(), "'global_ranks' has a rank that is too large"};
      to_.numbers.push_back(n);
    });
    close(e.ranks, to_.numbers.size(), global_ranks);
    std::vector<std::int64_t> sorted(to_.numbers.begin() + e.ranks.begin, to_.numbers.end());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end())
      throw BadJson{value_[global_ranks].data(), "'global_ranks' has rank " + std::to_string(*twice) + " twice"};
    if (sorted.empty()) throw BadJson{value_[global_ranks].data(), "'global_ranks' has no rank"};
  }

  void read_sizes(ParamEntry& e) {
    const char* const of = "a communication";
    (void)required(dtype, of);
    const std::string_view name = string(dtype);
    const auto type = element_type(name);
    if (!type) throw BadJson{value_[dtype].data(), "unknown element type " + json_quoted(name)};
    e.type = to_.add_text(name);
    element_bytes_ = type->bytes;
    for (const auto& [key, bytes] : {std::pair{in_size, &e.in_bytes}, std::pair{out_size, &e.out_bytes}}) {
      (void)required(key, of);
      *bytes = in_bytes(number(key), value_[key], key);
    }
  }
  [[nodiscard]] std::int64_t in_bytes(std::int64_t elements, std::string_view value, std::size_t key) const {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, element_bytes_, &bytes))
      throw BadJson{value.data(), json_quoted(key_names[key]) + " exceeds 2^63-1 bytes"};
    return bytes;
  }

  void read_ends(ParamEntry& e) {
    (void)required(src_rank, "a message");
    (void)required(dst_rank, "a message");
    e.source = rank(src_rank);
    e.target = rank(dst_rank);
    if (e.source == e.target) throw BadJson{at_, "a message of rank " + std::to_string(e.source) + " to itself"};
    if (!has(use_batch)) return;
    if (value_[use_batch] != "true" && value_[use_batch] != "false")
      throw BadJson{value_[use_batch].data(), "'use_batch' must be true or false"};
    e.batched = value_[use_batch] == "true";
  }

  // Without splits, all ranks have equal shares.
  void read_splits(ParamEntry& e) {
    for (const std::size_t key : {in_split, out_split}) {
      if (value_[key].data() == nullptr)
        throw BadJson{at_, "an all_to_allv without '" + std::string(key_names[key]) + "'"};
    }
    e.has_splits = true;
    read_split(in_split, e.in_bytes, e.in_split);
    read_split(out_split, e.out_bytes, e.out_split);
  }
  void read_split(std::size_t key, std::int64_t whole, Range& range) {
    if (!has(key)) return;
    range.begin = static_cast<std::uint32_t>(to_.numbers.size());
    std::int64_t sum = 0;
    list(key, [&](std::string_view token) {
      const std::int64_t bytes = in_bytes(number(token, key, 0), token, key);
      if (bytes > whole - sum) sum = -1;
      sum = sum < 0 ? sum : sum + bytes;
      to_.numbers.push_back(bytes);
    });
    close(range, to_.numbers.size(), key);
    if (range.count == 0 || sum == whole) return;
    throw BadJson{value_[key].data(), json_quoted(key_names[key]) + " does not add up to '" +
                                          std::string(key_names[key == in_split ? in_size : out_size]) + "'"};
  }

  void read_computation(ParamEntry& e) {
    const std::string name(string(compute));
    if (same_name(name, "gemm")) {
      read_gemm(e);
    } else if (same_name(name, "emb_lookup")) {
      read_lookup(e);
    } else {
      throw BadJson{value_[compute].data(),
                    "unknown computation " + json_quoted(name) + "; known: gemm, emb_lookup"};
    }
    if (param_operations(e) < 0) throw BadJson{at_, "the number of operations exceeds 2^63-1"};
    if (param_bytes(e, element_bytes_) < 0) throw BadJson{at_, "the number of bytes exceeds 2^63-1"};
    read_request(e);
    read_start(e);
  }

  void read_gemm(ParamEntry& e) {
    e.kind = ParamEntry::Kind::gemm;
    if (has(count)) e.count = number(count, 1);
    (void)required(dtype, "a gemm");
    const std::string_view type_name = string(dtype);
    const auto type = element_type(type_name);
    if (!type) throw BadJson{value_[dtype].data(), "unknown element type " + json_quoted(type_name)};
    e.type = to_.add_text(type_name);
    element_bytes_ = type->bytes;
    if (has(mm_dim)) {
      const std::int64_t n = number(mm_dim, 1);
      e.gemm = {n, n, n, true};
      return;
    }
    for (const std::size_t key : {mm0_dim0, mm0_dim1, mm1_dim0, mm1_dim1})
      (void)required(key, "a gemm without 'mm_dim' and");
    e.gemm = {number(mm0_dim0, 1), number(mm0_dim1, 1), number(mm1_dim1, 1), false};
    if (number(mm1_dim0, 1) != e.gemm.inner)
      throw BadJson{value_[mm1_dim0].data(), "'mm1_dim0' must equal 'mm0_dim1' for a matrix product"};
  }

  void read_lookup(ParamEntry& e) {
    e.kind = ParamEntry::Kind::lookup;
    if (has(count)) e.count = number(count, 1);
    if (has(direction)) e.direction = to_.add_text(string(direction));
    for (std::size_t i = 0; i < e.lookup.size(); ++i) e.lookup[i] = optional(lookup + i);
    element_bytes_ = param_float.bytes;
  }

  ParamFile& to_;
  JsonStream& stream_;
  // State of the entry being read.
  const char* at_ = nullptr;
  std::array<std::string_view, keys> value_{};
  std::vector<std::string_view> unknown_here_;
  std::int64_t element_bytes_ = 1;
  std::string scratch_;
  std::map<std::string, std::uint64_t> unknown_;
};

// Returns the product, or -1 if it exceeds int64.
std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t all = 1;
  for (const std::int64_t f : factors) {
    if (all < 0 || __builtin_mul_overflow(all, f, &all)) return -1;
  }
  return all;
}

// Returns the number of embedding elements that a lookup gathers; 0 if unknown.
std::int64_t looked_up(const ParamEntry& e) {
  const auto& [dim, embeddings, batch, tables, bag] = e.lookup;
  if (dim < 0 || batch < 0 || tables < 0 || bag < 0) return 0;
  return product({e.count, dim, batch, tables, bag});
}

}  // namespace

std::int64_t param_operations(const ParamEntry& entry) {
  if (entry.kind == ParamEntry::Kind::lookup) return looked_up(entry);
  return product({2, entry.count, entry.gemm.rows, entry.gemm.inner, entry.gemm.columns});
}

std::int64_t param_bytes(const ParamEntry& entry, std::int64_t element_bytes) {
  if (entry.kind == ParamEntry::Kind::lookup) {
    const std::int64_t n = looked_up(entry);
    return n < 0 ? -1 : product({n, element_bytes});
  }
  const auto& [m, k, n, square] = entry.gemm;
  std::int64_t elements = 0;
  for (const std::int64_t matrix : {product({m, k}), product({k, n}), product({m, n})}) {
    if (matrix < 0 || __builtin_add_overflow(elements, matrix, &elements)) return -1;
  }
  return product({entry.count, element_bytes, elements});
}

ParamFile read_param_file(Input& input, Diagnostics& diagnostics) {
  ParamFile file;
  file.name = input.name();
  JsonStream stream(input, "", true);
  ParamEntryReader reader(file, stream);
  stream.read_all(reader);
  if (!stream.seen_array())
    throw input_error({.file = file.name}, "a PARAM communications trace must be an array of entries");
  reader.warn(diagnostics);
  return file;
}

}  // namespace convert
