// SPDX-License-Identifier: MIT
#include "passes/estimate/estimate.h"

#include "passes/estimate/formulas.h"

namespace convert {
namespace estimates {
namespace {

struct Row {
  std::string_view name;
  Formula* formula;
  Parameters parameters;
  bool each;
};

constexpr Row rows[] = {
#define OP(name, formula, ...) {#name, formula, {__VA_ARGS__}, false},
#define EACH(name, formula, ...) {#name, formula, {__VA_ARGS__}, true},
#include "passes/estimate/op_table.def"
#undef OP
#undef EACH
};

constexpr std::uint32_t hash(std::string_view name) {
  std::uint32_t h = 2166136261U;  // FNV-1a
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h ^ h >> 15U;
}

// Open-addressing hash table of row numbers, which count from 1; 0 marks an empty slot.
constexpr std::size_t slots = 1024;
static_assert(std::size(rows) * 2 <= slots);

constexpr auto table = [] {
  std::array<std::uint16_t, slots> result{};
  std::uint16_t number = 0;
  for (const Row& row : rows) {
    std::size_t slot = hash(row.name) % slots;
    for (; result[slot] != 0; slot = (slot + 1) % slots) {
      if (rows[result[slot] - 1U].name == row.name) throw "an operator is listed twice";  // does not compile
    }
    result[slot] = ++number;
  }
  return result;
}();

const Row* find(std::string_view name) {
  for (std::size_t slot = hash(name) % slots; table[slot] != 0; slot = (slot + 1) % slots) {
    const Row& row = rows[table[slot] - 1];
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace
}  // namespace estimates

std::optional<OpCost> estimate_cost(std::string_view name, const OpIo& inputs, const OpIo& outputs) {
  constexpr std::string_view space = "aten::", for_each = "_foreach_";
  if (!name.starts_with(space)) return std::nullopt;
  name.remove_prefix(space.size());
  const bool each = name.starts_with(for_each);
  if (each) name.remove_prefix(for_each.size());
  const bool in_place = name.ends_with('_');
  if (in_place) name.remove_suffix(1);
  const estimates::Row* row = estimates::find(name);
  if (row == nullptr || (each && !row->each)) return std::nullopt;
  estimates::Operator op(inputs, outputs, in_place);
  if (!op.read()) return std::nullopt;
  const std::optional<estimates::Cost> cost = row->formula(op, row->parameters);
  if (!cost || cost->num_ops.overflow || cost->bytes.overflow) return std::nullopt;
  // No estimate: an operation on complex numbers is several real ones.
  if (cost->num_ops.value != 0 && inputs.types.find("complex") != std::string_view::npos) return std::nullopt;
  return OpCost{cost->num_ops.value, cost->bytes.value};
}

}  // namespace convert
