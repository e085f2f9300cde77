// SPDX-License-Identifier: MIT
// Fields of nodes in PyTorch's host traces: all schemas, linked or not.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/attr_names.h"

namespace convert {

// Reading rule of a member of a node.
enum class HostField : std::uint8_t {
  id,
  name,
  caller,  // "ctrl_deps", formerly "parent"
  inputs,  // an object of values, shapes, types and strides; before schema 1.0.2 the values only
  outputs,
  attrs,
  input_shapes,
  input_types,
  output_shapes,
  output_types,
  integer,       // in every node; a member of attrs since schema 1.0.2
  null_if_none,  // null means absent
};

struct HostFieldName {
  std::string_view text;
  HostField field;
  Name name{};
};
inline constexpr std::array<HostFieldName, 22> host_field_names = {{
    {"id", HostField::id},
    {"name", HostField::name},
    {"ctrl_deps", HostField::caller},
    {"parent", HostField::caller},
    {"inputs", HostField::inputs},
    {"outputs", HostField::outputs},
    {"attrs", HostField::attrs},
    {"rf_id", HostField::integer, attr::rf_id},
    {"fw_parent", HostField::integer, attr::fw_parent},
    {"seq_id", HostField::integer, attr::seq_id},
    {"scope", HostField::integer, attr::scope},
    {"tid", HostField::integer, attr::tid},
    {"fw_tid", HostField::integer, attr::fw_tid},
    {"input_shapes", HostField::input_shapes},
    {"input_types", HostField::input_types},
    {"output_shapes", HostField::output_shapes},
    {"output_types", HostField::output_types},
    {"inter_thread_dep", HostField::null_if_none, attr::inter_thread_dep},
    {"stream", HostField::null_if_none, attr::stream},
    {"cat", HostField::null_if_none, attr::cat},
    {"ph", HostField::null_if_none, attr::ph},
    {"sync_dep", HostField::null_if_none, attr::sync_dep},
}};

[[nodiscard]] inline const HostFieldName* find_host_field(std::string_view key) {
  for (const HostFieldName& f : host_field_names) {
    if (f.text == key) return &f;
  }
  return nullptr;
}

}  // namespace convert
