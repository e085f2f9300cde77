// SPDX-License-Identifier: MIT
#include "passes/rules/attributes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "core/algorithm/link_way.h"
#include "core/found_attrs.h"
#include "core/units.h"
#include "core/world_size.h"
#include "passes/rules/rules.h"
#include "passes/rules/texts.h"
#include "util/utf8.h"

namespace convert::rules {
namespace {

enum class Expect : std::uint8_t {
  integer,
  count,    // ≥ 0
  counter,  // ≥ -1, where -1 means "not given"
  rank,     // 0 … 2^31-1
  time,     // 0 … 106 days, in ns
  flag,
  string,
  flags,
  sizes,  // a list of counts whose sum is a valid count too
  turns,  // sequence numbers of messages on links, see link_way()
};

struct Known {
  Name name;
  Expect expect;
};

// Attributes that simulators and converters read, in the order of findings about one node.
constexpr std::array known = {
    Known{attr::is_cpu_op, Expect::flag},          Known{attr::comm_type, Expect::integer},
    Known{attr::comm_src, Expect::rank},           Known{attr::comm_dst, Expect::rank},
    Known{attr::comm_tag, Expect::integer},        Known{attr::comm_size, Expect::count},
    Known{attr::comm_priority, Expect::integer},   Known{attr::involved_dim, Expect::flags},
    Known{attr::pg_name, Expect::string},          Known{attr::num_ops, Expect::count},
    Known{attr::tensor_size, Expect::count},       Known{attr::tensor_loc, Expect::integer},
    Known{attr::msg_chunk_cnt, Expect::counter},   Known{attr::msg_chunk_idx, Expect::counter},
    Known{attr::total_chunk_cnt, Expect::counter}, Known{attr::duration_nanos, Expect::time},
    Known{attr::start_nanos, Expect::count},       Known{attr::send_splits, Expect::sizes},
    Known{attr::recv_splits, Expect::sizes},       Known{attr::link_seq, Expect::turns},
    Known{attr::link_via, Expect::turns},          Known{attr::link_scope, Expect::integer},
    Known{attr::start_delay_nanos, Expect::time},
};

constexpr auto known_names = [] {
  std::array<Name, known.size()> names{};
  for (std::size_t i = 0; i < known.size(); ++i) names[i] = known[i].name;
  return names;
}();

// Simulators count picoseconds in 63 bits.
constexpr std::int64_t max_time_ns = std::numeric_limits<std::int64_t>::max() / ps_per_ns;

constexpr bool fits(Expect expect, std::int64_t v) {
  switch (expect) {
    case Expect::count: return v >= 0;
    case Expect::time: return v >= 0 && v <= max_time_ns;
    case Expect::counter: return v >= -1;
    case Expect::rank: return v >= 0 && v <= std::numeric_limits<std::int32_t>::max();
    case Expect::flag: return v == 0 || v == 1;
    default: return true;
  }
}

constexpr std::string_view expected_kind(Expect expect) {
  switch (expect) {
    case Expect::flag: return "bool_val";
    case Expect::string: return "string_val";
    case Expect::flags: return "bool_list";
    case Expect::sizes: return "int64_list";
    default: return "an integer";
  }
}

constexpr std::string_view expected_value(Expect expect, std::int64_t v) {
  switch (expect) {
    case Expect::time: return v < 0 ? "which is negative" : "which exceeds 106 days";
    case Expect::rank: return "which is not a rank";
    case Expect::flag: return "expected true or false";
    default: return "which is negative";
  }
}

}  // namespace

class AttributeRule::Checker {
 public:
  Checker(const Trace& trace, Diagnostics& diagnostics)
      : trace_(trace), table_(trace.nodes), diagnostics_(diagnostics), texts_(trace, diagnostics) {}

  // Checks the metadata, and that the first batch has nodes.
  void check_whole() {
    const Location where{.file = trace_.name, .rank = static_cast<std::int64_t>(trace_.rank)};
    const std::string& version = trace_.metadata.version;
    texts_.check_metadata();
    const bool readable = find_invalid_utf8(version) == std::string_view::npos;
    if (readable && !version.empty() && version != schema_version) {
      diagnostics_.warning(
          where, rule,
          "metadata: unknown schema version '" + version + "'; it is read as " + std::string(schema_version));
    }
    if (table_.nodes.empty()) {
      diagnostics_.warning(where, rule, "the trace has no nodes; simulators require at least one per rank");
    }
    check_world_size(where);
    const Attr* collective = find(trace_.metadata.table.attrs, attr::collective);
    is_algorithm_ = collective != nullptr;
    if (is_algorithm_ && collective->kind != Kind::string_val) {
      diagnostics_.error(where, rule,
                         "metadata: attribute collective is of kind " + std::string(kind_name(collective->kind)) +
                             ", expected string_val");
    }
  }

  void check_nodes() {
    texts_.begin_batch();
    for (std::size_t i = 0; i < table_.nodes.size(); ++i) check_node(i);
  }

 private:
  static constexpr std::string_view rule = "attributes";

  void check_node(std::size_t index) {
    index_ = index;
    node_ = &table_.nodes[index];
    found_.read(table_.attributes(*node_));
    texts_.check_node(index);
    const NodeType type = node_->type;
    if (node_type_name(type).empty()) {
      error("unknown node type " + std::to_string(static_cast<std::int32_t>(type)));
    }
    if (node_->duration_us > static_cast<std::uint64_t>(max_time_ns) / 1000)
      error("duration_micros is " + std::to_string(node_->duration_us) + ", which exceeds 106 days");
    for (const Known& k : known) {
      if (const Attr* const a = found_[k.name]) check_value(k, *a);
    }
    if (type == NodeType::comm_send || type == NodeType::comm_recv) check_message(type == NodeType::comm_send);
    if (found_[attr::link_seq] != nullptr || found_[attr::link_via] != nullptr) check_way();
    if (type == NodeType::comm_coll) check_collective();
    if (type == NodeType::mem_load || type == NodeType::mem_store) require(attr::tensor_size);
  }

  [[nodiscard]] std::string about(std::string_view text) const {
    return node_text(node_->id) + ": " + std::string(text);
  }
  void error(std::string_view text) { diagnostics_.error(location_of(trace_, index_), rule, about(text)); }
  void warning(std::string_view text) { diagnostics_.warning(location_of(trace_, index_), rule, about(text)); }

  // Checks world_size. Readers of the set treat an invalid world_size as absent.
  void check_world_size(const Location& where) {
    const Attr* const told = world_size_attribute(trace_.metadata);
    if (told == nullptr) return;
    const std::string subject = "metadata: attribute world_size is ";
    const IntValue ranks = int_value(told);
    if (ranks.status == IntValue::Status::wrong_kind) {
      diagnostics_.error(where, rule,
                         subject + "of kind " + std::string(kind_name(told->kind)) + ", expected an integer");
    } else if (!world_size(trace_.metadata)) {
      diagnostics_.error(where, rule,
                         subject + (ranks ? std::to_string(ranks.value) : std::to_string(told->bits)) +
                             ", expected a number of ranks from 1 to 2147483647");
    } else if (trace_.rank >= *world_size(trace_.metadata)) {
      diagnostics_.error(where, rule,
                         subject + std::to_string(ranks.value) + ", but the trace is of rank " +
                             std::to_string(trace_.rank) + "; ranks count from 0");
    }
  }

  [[nodiscard]] IntValue integer(Name name) const { return int_value(found_[name]); }

  void check_value(const Known& k, const Attr& a) {
    const auto subject = [&] { return "attribute " + std::string(k.name.view()) + " is "; };
    const auto wrong_kind = [&] {
      return subject() + "of kind " + std::string(kind_name(a.kind)) + ", expected " +
             std::string(expected_kind(k.expect));
    };
    if (k.expect == Expect::string || k.expect == Expect::flags) {
      if (a.kind != (k.expect == Expect::string ? Kind::string_val : Kind::bool_list)) {
        error(wrong_kind());
      } else if (k.expect == Expect::flags && names_none(table_.list(a))) {
        error(subject() + "false for every dimension; a collective requires at least one");
      }
      return;
    }
    if (k.expect == Expect::turns) return;  // see check_way()
    if (k.expect == Expect::sizes) {
      if (!is_list(a.kind) || !is_integer(scalar_of(a.kind))) {
        error(wrong_kind());
      } else if (!sum_of_sizes(a)) {
        error("attribute " + std::string(k.name.view()) +
              " has negative sizes, or sizes that add up to 2^63 or more");
      }
      return;
    }
    const IntValue v = int_value(&a);
    if (v.status == IntValue::Status::wrong_kind) {
      error(wrong_kind());
    } else if (v.status == IntValue::Status::too_large) {
      error(subject() + std::to_string(a.bits) + ", which is more than 2^63-1");
    } else if (!fits(k.expect, v.value)) {
      error(subject() + std::to_string(v.value) + ", " + std::string(expected_value(k.expect, v.value)));
    } else if (k.expect == Expect::flag && a.kind != Kind::bool_val) {
      warning(wrong_kind());
    } else if (k.name == attr::tensor_loc && (v.value < 0 || v.value > 2)) {
      error(subject() + std::to_string(v.value) + ", expected 0 (unspecified), 1 (local) or 2 (remote)");
    }
  }

  static bool names_none(std::span<const std::uint64_t> flags) {
    return !flags.empty() && std::ranges::all_of(flags, [](std::uint64_t f) { return f == 0; });
  }

  // Returns the sum of a list of integers, or nullopt if one is negative or the sum is too large.
  [[nodiscard]] std::optional<std::int64_t> sum_of_sizes(const Attr& a) const {
    std::int64_t sum = 0;
    for (const std::uint64_t bits : table_.list(a)) {
      const auto size = static_cast<std::int64_t>(bits);
      if (size < 0 || __builtin_add_overflow(sum, size, &sum)) return std::nullopt;
    }
    return sum;
  }

  bool require(Name name) {
    if (found_[name] != nullptr) return true;
    error("required attribute " + std::string(name.view()) + " of " + std::string(node_type_name(node_->type)) +
          " is missing");
    return false;
  }

  void check_own_rank(Name name) {
    const IntValue v = integer(name);
    if (!v || v.value == static_cast<std::int64_t>(trace_.rank)) return;
    error(std::string(name.view()) + " is " + std::to_string(v.value) + ", but the trace is of rank " +
          std::to_string(trace_.rank));
  }

  void check_message(bool is_send) {
    require(is_send ? attr::comm_dst : attr::comm_src);
    check_own_rank(is_send ? attr::comm_src : attr::comm_dst);
    require(attr::comm_tag);
    // The size of an algorithm's message may be given in chunks instead.
    const IntValue chunks = integer(attr::msg_chunk_cnt);
    const IntValue all_chunks = integer(attr::total_chunk_cnt);
    const bool in_chunks = chunks && chunks.value >= 0 && all_chunks && all_chunks.value >= 0;
    if (found_[attr::comm_size] == nullptr && !in_chunks) {
      if (is_algorithm_ || chunks || all_chunks) {
        error("neither comm_size nor both msg_chunk_cnt and total_chunk_cnt are given");
      } else {
        require(attr::comm_size);
      }
    }
    if (in_chunks && all_chunks.value == 0) error("attribute total_chunk_cnt is 0");
    check_size();
  }

  void check_way() {
    if (node_->type != NodeType::comm_send) return error("link_seq and link_via are allowed on sends only");
    const std::optional<LinkWay> way = link_way(table_, table_.attributes(*node_));
    if (way && !way->problem.empty()) error(way->problem);
  }

  void check_collective() {
    constexpr std::int64_t last = static_cast<std::int64_t>(Collective::barrier);
    const IntValue type = integer(attr::comm_type);
    if (require(attr::comm_type) && type && (type.value < 0 || type.value > last)) {
      error("attribute comm_type is " + std::to_string(type.value) + ", which is not a known collective");
    }
    if (type && type.value == last) return;  // a barrier moves no data
    require(attr::comm_size);
    check_size();
    if (type && type.value == static_cast<std::int64_t>(Collective::all_to_all)) check_splits();
  }

  // Warns if the send_splits of an all-to-all do not add up to comm_size.
  void check_splits() {
    const Attr* const splits = found_[attr::send_splits];
    const IntValue size = integer(attr::comm_size);
    if (splits == nullptr || !size || !is_list(splits->kind) || !is_integer(scalar_of(splits->kind))) return;
    const auto sum = sum_of_sizes(*splits);
    if (sum && *sum != size.value) {
      warning("send_splits add up to " + std::to_string(*sum) + ", but comm_size is " + std::to_string(size.value));
    }
  }

  void check_size() {
    const IntValue size = integer(attr::comm_size);
    if (size && size.value == 0) warning("comm_size is 0, which ASTRA-sim cannot run");
  }

  const Trace& trace_;
  const NodeTable& table_;
  Diagnostics& diagnostics_;
  TextChecker texts_;
  bool is_algorithm_ = false;
  std::size_t index_ = 0;
  const Node* node_ = nullptr;
  FoundAttrs<known_names> found_;
};

AttributeRule::AttributeRule(const Trace& trace, Diagnostics& diagnostics)
    : checker_(std::make_unique<Checker>(trace, diagnostics)) {}
AttributeRule::~AttributeRule() = default;

void AttributeRule::check_batch() {
  if (!std::exchange(begun_, true)) checker_->check_whole();
  checker_->check_nodes();
}

void AttributeRule::finish() {
  if (!begun_) check_batch();
}

}  // namespace convert::rules
