// SPDX-License-Identifier: MIT
#include "passes/fix.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/units.h"
#include "passes/dep_rules.h"

namespace convert {
namespace {

constexpr std::size_t no_slot = usual_kinds.size();

// By Name::index: the position in `usual_kinds`; no_slot for all other names.
constexpr auto slot_table = [] {
  std::array<std::uint8_t, attr::count> table{};
  table.fill(static_cast<std::uint8_t>(no_slot));
  for (std::size_t slot = 0; slot < no_slot; ++slot)
    table[usual_kinds[slot].name.index()] = static_cast<std::uint8_t>(slot);
  return table;
}();
static_assert(usual_kinds[0].name == attr::is_cpu_op);

bool fits(Kind kind, std::int64_t value) {
  switch (kind) {
    case Kind::bool_val: return value == 0 || value == 1;
    case Kind::int32_val: return value == static_cast<std::int32_t>(value);
    default: return true;
  }
}

bool runs_something(NodeType type) { return type >= NodeType::mem_load && type <= NodeType::comm_coll; }

class Fixer {
 public:
  explicit Fixer(NodeTable& table) : table_(table) {}

  Fixes fix() {
    bool without_flag = false;
    for (Node& node : table_.nodes) {
      without_flag |= !fix_kinds(node) && runs_something(node.type);
      fix_dependencies(node.data_deps, dependency_rules(node));
      fix_dependencies(node.ctrl_deps, nullptr);
    }
    if (without_flag) add_flags();
    return fixes_;
  }

 private:
  // Returns whether the node has an is_cpu_op, of whatever kind.
  bool fix_kinds(const Node& node) {
    std::uint64_t seen = 0;
    static_assert(no_slot < 64);
    for (std::uint32_t i = 0; i < node.attrs.count; ++i) {
      Attr& a = table_.attrs[node.attrs.begin + i];
      const std::size_t slot = a.name.index() < slot_table.size() ? slot_table[a.name.index()] : no_slot;
      if (slot == no_slot || (seen >> slot & 1U) != 0) continue;  // readers use the first attribute of a name
      seen |= std::uint64_t{1} << slot;
      if (is_integer(a.kind) && a.kind != usual_kinds[slot].kind) fix_kind(a, slot);
    }
    return (seen & 1U) != 0;
  }

  void fix_kind(Attr& a, std::size_t slot) {
    const Kind kind = usual_kinds[slot].kind;
    const IntValue value = int_value(&a);
    if (!value || !fits(kind, value.value)) {
      ++fixes_.unfit[slot];
      return;
    }
    a.kind = kind;
    a.bits = static_cast<std::uint64_t>(value.value);
    ++fixes_.kinds[slot];
  }

  // Removes repeated dependencies. `rules`: the attribute with a letter per dependency, or null.
  void fix_dependencies(Range& range, Attr* rules) {
    if (range.count < 2) return;
    const std::span<NodeId> list = std::span(table_.deps).subspan(range.begin, range.count);
    sorted_.assign(list.begin(), list.end());
    std::sort(sorted_.begin(), sorted_.end());
    if (std::adjacent_find(sorted_.begin(), sorted_.end()) == sorted_.end()) return;
    std::unordered_map<NodeId, std::uint32_t> seen;  // at which position
    std::string letters;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const auto [at, is_new] = seen.try_emplace(list[i], kept);
      const char letter = rules != nullptr ? table_.text[rules->bits + i] : '\0';
      if (is_new) {
        list[kept++] = list[i];
        letters.push_back(letter);
      } else if (letter == dep_rule_letter(DepRule::data)) {
        letters[at->second] = letter;  // data is a stronger reason than an order
      }
    }
    fixes_.repeated += range.count - kept;
    range.count = kept;
    if (rules == nullptr) return;
    const Text kept_rules = table_.add_text(letters);
    rules->size = kept_rules.size;
    rules->bits = kept_rules.offset;
  }

  Attr* dependency_rules(const Node& node) {
    const Attr* a = dep_rules_of(table_, node);
    return a == nullptr ? nullptr : &table_.attrs[static_cast<std::size_t>(a - table_.attrs.data())];
  }

  void add_flags() {
    std::vector<Attr> attrs;
    attrs.reserve(table_.attrs.size() + table_.nodes.size());
    const auto old = std::exchange(table_.attrs, std::move(attrs));
    for (Node& node : table_.nodes) {
      const std::span<const Attr> own = std::span(old).subspan(node.attrs.begin, node.attrs.count);
      node.attrs.begin = static_cast<std::uint32_t>(table_.attrs.size());
      table_.attrs.insert(table_.attrs.end(), own.begin(), own.end());
      if (!runs_something(node.type) || find(own, attr::is_cpu_op) != nullptr) continue;
      table_.add_bool(attr::is_cpu_op, false);
      ++node.attrs.count;
      ++fixes_.cpu_flags;
    }
  }

  NodeTable& table_;
  Fixes fixes_;
  std::vector<NodeId> sorted_;
};

}  // namespace

Fixes& Fixes::operator+=(const Fixes& other) {
  cpu_flags += other.cpu_flags;
  repeated += other.repeated;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i] += other.kinds[i];
    unfit[i] += other.unfit[i];
  }
  return *this;
}

std::uint64_t Fixes::total() const { return std::accumulate(kinds.begin(), kinds.end(), cpu_flags + repeated); }

std::vector<std::string> Fixes::lines() const {
  std::vector<std::string> out;
  if (cpu_flags != 0) out.push_back("is_cpu_op (false) added to " + counted(cpu_flags, "node"));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == 0) continue;
    out.push_back(std::string(usual_kinds[i].name.view()) + " converted to " +
                  std::string(kind_name(usual_kinds[i].kind)) + " in " + counted(kinds[i], "node"));
  }
  if (repeated == 1) out.emplace_back("1 repeated dependency removed");
  if (repeated > 1) out.push_back(std::to_string(repeated) + " repeated dependencies removed");
  for (std::size_t i = 0; i < unfit.size(); ++i) {
    if (unfit[i] == 0) continue;
    out.push_back(std::string(usual_kinds[i].name.view()) + " unchanged in " + counted(unfit[i], "node") +
                  ": the value does not fit " + std::string(kind_name(usual_kinds[i].kind)));
  }
  return out;
}

Fixes fix_nodes(NodeTable& table) { return Fixer(table).fix(); }

}  // namespace convert
