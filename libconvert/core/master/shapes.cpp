// SPDX-License-Identifier: MIT
#include "core/master/shapes.h"

namespace convert {
namespace {

std::uint64_t hash_of_shape(const NodeShape& s) {
  std::uint64_t hash = 0;
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  };
  mix(static_cast<std::uint32_t>(s.type));
  mix(std::uint64_t{s.data_deps} << 32U | s.ctrl_deps);
  mix((s.metadata ? 1U : 0U) | (s.inputs ? 2U : 0U) | (s.outputs ? 4U : 0U) | (s.extra ? 8U : 0U));
  for (const NodeShape::Attribute& a : s.attrs) {
    mix(std::uint64_t{a.name.index()} << 9U | static_cast<std::uint64_t>(a.kind) << 1U | (a.extra ? 1U : 0U));
    mix(a.size);
  }
  return hash;
}

}  // namespace

std::uint32_t ShapeSet::add(const NodeShape& shape) {
  const std::uint32_t next = size();
  const std::uint32_t found = index_.find_or_add(
      hash_of_shape(shape), next, [&](std::uint32_t i) { return shapes_[i] == shape; },
      [&](std::uint32_t i) { return hash_of_shape(shapes_[i]); });
  if (found == next) shapes_.push_back(shape);
  return found;
}

std::uint32_t ShapeSet::value_of(const NodeShape& shape, Name attribute) {
  std::uint32_t at = 0, found = no_index;
  for_each_field(shape, [&](const ShapeField& field, std::uint32_t count) {
    if (found == no_index && field.of == ShapeField::Of::value && field.name == attribute) found = at;
    at += count;
  });
  return found;
}

std::uint64_t ShapeSet::value_count(const NodeShape& shape) {
  std::uint64_t sum = 0;
  for_each_field(shape, [&](const ShapeField&, std::uint64_t count) { sum += count; });
  return sum;
}

}  // namespace convert
