// SPDX-License-Identifier: MIT
#include "formats/param/operations.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/element_type.h"
#include "core/words.h"

namespace convert {
namespace {

using enum ParamOperation::Kind;

// The first operation of a type is used for writing.
constexpr std::array param_operations_known = {
    ParamOperation{"all_reduce", collective, Collective::all_reduce},
    ParamOperation{"reduce", collective, Collective::reduce},
    ParamOperation{"all_gather_base", collective, Collective::all_gather},
    ParamOperation{"all_gather", collective, Collective::all_gather},
    ParamOperation{"all_gather_v", collective, Collective::all_gather},
    ParamOperation{"all_gather_object", collective, Collective::all_gather},
    ParamOperation{"gather", collective, Collective::gather},
    ParamOperation{"scatter", collective, Collective::scatter},
    ParamOperation{"broadcast", collective, Collective::broadcast},
    ParamOperation{"broadcast_object_list", collective, Collective::broadcast},
    ParamOperation{"all_to_all", collective, Collective::all_to_all},
    ParamOperation{"all_to_all_single", collective, Collective::all_to_all},
    ParamOperation{"all_to_allv", collective, Collective::all_to_all},
    ParamOperation{"reduce_scatter_base", collective, Collective::reduce_scatter},
    ParamOperation{"reduce_scatter", collective, Collective::reduce_scatter},
    ParamOperation{"reduce_scatter_v", collective, Collective::reduce_scatter},
    ParamOperation{"barrier", collective, Collective::barrier},
    ParamOperation{"send", message, Collective::send},
    ParamOperation{"recv", message, Collective::recv},
    ParamOperation{"isend", message, Collective::send, true},
    ParamOperation{"irecv", message, Collective::recv, true},
    ParamOperation{"wait", wait},
    ParamOperation{"init", init},
    ParamOperation{"batch_isend_irecv", batch},
};
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> param_aliases = {
    {{"alltoall_base", "all_to_allv"}, {"recv_any_source", "recv"}}};

// Types supported by the tool. The first type of a size stands for unsupported types of that size.
constexpr std::array param_types_known = {
    ParamType{"byte", 1},     ParamType{"uint8", 1}, ParamType{"int8", 1},   ParamType{"char", 1},
    ParamType{"bool", 1},     ParamType{"short", 2}, ParamType{"half", 2},   ParamType{"float16", 2},
    ParamType{"bfloat16", 2}, ParamType{"int", 4},   ParamType{"int32", 4},  ParamType{"float", 4},
    ParamType{"float32", 4},  ParamType{"long", 8},  ParamType{"double", 8}, ParamType{"float64", 8},
};

std::string_view without_library(std::string_view name) {
  for (const std::string_view space : {"c10::", "torch."}) {
    if (name.starts_with(space)) name.remove_prefix(space.size());
  }
  return name;
}

const ParamType* known_param_type(std::string_view name) {
  name = without_library(name);
  const auto* const at =
      std::ranges::find_if(param_types_known, [&](const ParamType& t) { return same_name(t.name, name); });
  return at == param_types_known.end() ? nullptr : &*at;
}

}  // namespace

const ParamNames& param_names() {
  static const ParamNames names;
  return names;
}

const ParamOperation* find_param_operation(std::string_view name) {
  for (const auto& [alias, meant] : param_aliases) {
    if (same_name(name, alias)) name = meant;
  }
  const auto* const at = std::ranges::find_if(param_operations_known,
                                              [&](const ParamOperation& o) { return same_name(o.name, name); });
  return at == param_operations_known.end() ? nullptr : &*at;
}

const ParamOperation& param_operation(Collective type, bool posted) {
  type = without_block(type);
  return *std::ranges::find_if(param_operations_known, [&](const ParamOperation& o) {
    return (o.kind == collective || o.kind == message) && o.type == type && o.posted == posted;
  });
}

std::string hint_for_operation(std::string_view name) {
  std::vector<std::string> names;
  for (const ParamOperation& o : param_operations_known) names.emplace_back(o.name);
  return hint_for(name, names);
}

namespace {
// Returns the bytes of all ranks together, or of one rank if the sum is beyond int64.
std::int64_t of_all(std::int64_t bytes, std::int64_t ranks) {
  std::int64_t all = 0;
  return __builtin_mul_overflow(bytes, ranks, &all) ? bytes : all;
}
}  // namespace

std::int64_t param_bytes_in(Collective type, std::int64_t comm_size, std::int64_t ranks) {
  return type == Collective::scatter ? of_all(comm_size, ranks) : comm_size;
}

std::int64_t param_bytes_out(Collective type, std::int64_t comm_size, std::int64_t ranks) {
  switch (type) {
    case Collective::all_gather:
    case Collective::gather: return of_all(comm_size, ranks);
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return ranks > 0 ? comm_size / ranks : comm_size;
    default: return comm_size;
  }
}

ParamType param_type(std::string_view name) {
  if (const ParamType* const known = known_param_type(name)) return *known;
  const auto type = element_type(name);
  if (!type) return {};
  const auto* const at =
      std::ranges::find_if(param_types_known, [&](const ParamType& t) { return t.bytes == type->bytes; });
  return at == param_types_known.end() ? param_byte : *at;
}

bool is_param_type(std::string_view name) { return known_param_type(name) != nullptr; }

}  // namespace convert
