// SPDX-License-Identifier: MIT
#include <algorithm>

#include "passes/estimate/formulas.h"

namespace convert::estimates {
namespace {

using ArgumentKind = Argument::Kind;

// Returns whether two arguments are the same: tensors by id, lists of tensors by text.
bool same(const Argument& a, const Argument& b) {
  return a.kind == b.kind && (a.kind == ArgumentKind::tensor ? a.id == b.id : a.text() == b.text());
}

bool has(std::span<const Argument> arguments, const Argument& wanted) {
  return std::ranges::any_of(arguments, [&](const Argument& a) { return same(a, wanted); });
}

// Returns the bytes of the distinct tensors that are not in `except`.
Count distinct_bytes(std::span<const Argument> arguments, std::span<const Argument> except) {
  Count bytes;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.kind != ArgumentKind::tensor && argument.kind != ArgumentKind::tensors) continue;
    if (!has(except, argument) && !has(arguments.first(i), argument)) bytes = bytes + argument.bytes;
  }
  return bytes;
}

}  // namespace

bool Operator::shape(std::size_t argument, Shape& shape) {
  if (!in.is_defined_tensor(argument)) return false;
  if (!shapes_read_ && !(shapes_.read(inputs_.shapes) && shapes_.size() == in.size())) return false;
  shapes_read_ = true;
  if (!shape.read(shapes_[argument])) return false;
  const Count elements = shape.elements();
  return !elements.overflow && elements.value == in[argument].elements;
}

bool Operator::output_shape(Shape& shape) const {
  Elements shapes;
  return out.is_tensor(0) && shapes.read(outputs_.shapes) && shapes.size() == out.size() && shape.read(shapes[0]);
}

std::string_view Operator::type(std::size_t argument) {
  if (!types_read_ && !(types_.read(inputs_.types) && types_.size() == in.size())) return {};
  types_read_ = true;
  return types_[argument];
}

bool Operator::is_true(std::size_t argument) const { return argument < in.size() && in[argument].text() == "True"; }

bool Operator::is_zero(std::size_t argument) const {
  if (argument >= in.size() || in[argument].kind != ArgumentKind::scalar) return true;
  const std::string_view text = in[argument].text();
  return text.substr(0, text.find('e')).find_first_of("123456789") == std::string_view::npos;
}

std::optional<Count> Operator::result_elements() const {
  if (const Argument* first = out.first_tensor()) return first->elements;
  if (in_place_ && in.has_tensor(0)) return in[0].elements;
  return std::nullopt;
}

Count Operator::bytes_read() const {
  return distinct_bytes(in.all(), in_place_ ? std::span<const Argument>{} : out.all());
}

std::optional<Count> Operator::bytes_written(std::optional<Count> result, unsigned written) const {
  if (out.first_tensor() != nullptr) return distinct_bytes(out.all(), {});
  if (in_place_) {
    if (!in.has_tensor(0)) return std::nullopt;
    Count bytes;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if ((written >> i & 1U) != 0) bytes = bytes + in[i].bytes;
    }
    return bytes;
  }
  const Argument* first = in.first_tensor();
  if (!result || first == nullptr) return std::nullopt;
  return *result * first->elem_bytes;
}

std::optional<Cost> Operator::cost(Count num_ops, std::optional<Count> result, unsigned written) const {
  const std::optional<Count> bytes = bytes_written(result, written);
  if (!bytes) return std::nullopt;
  return Cost{num_ops, bytes_read() + *bytes};
}

}  // namespace convert::estimates
