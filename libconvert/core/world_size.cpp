// SPDX-License-Identifier: MIT
#include "core/world_size.h"

#include <algorithm>
#include <string_view>

namespace convert {
namespace {

const Name world_size_name{std::string_view("world_size")};

}  // namespace

const Attr* world_size_attribute(const Metadata& metadata) { return find(metadata.table.attrs, world_size_name); }

std::optional<Rank> world_size(const Metadata& metadata) {
  const IntValue ranks = int_value(world_size_attribute(metadata));
  if (!ranks || ranks.value < 1 || ranks.value > largest_rank) return std::nullopt;
  return static_cast<Rank>(ranks.value);
}

void set_world_size(Metadata& metadata, Rank ranks) {
  auto& attrs = metadata.table.attrs;
  const Attr value{.name = world_size_name, .kind = Kind::int64_val, .bits = ranks};
  const auto known = std::ranges::find(attrs, world_size_name, &Attr::name);
  if (known == attrs.end()) {
    attrs.push_back(value);
  } else {
    *known = value;
  }
}

}  // namespace convert
