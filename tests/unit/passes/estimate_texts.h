// SPDX-License-Identifier: MIT
// Texts of inputs and outputs in the form of PyTorch's traces, for tests of estimates.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "passes/estimate/estimate.h"

namespace convert {

inline bool operator==(const OpCost& a, const OpCost& b) {
  return a.num_ops == b.num_ops && a.tensor_size == b.tensor_size;
}
inline void PrintTo(const OpCost& cost, std::ostream* out) {
  *out << cost.num_ops << " ops, " << cost.tensor_size << " bytes";
}

namespace test {

using Dims = std::vector<std::uint64_t>;

// The texts of inputs or outputs, argument by argument.
class Io {
 public:
  Io& tensor(int id, const Dims& dims, int elem_bytes = 4) {
    return add(value(id, dims, elem_bytes), shape(dims), "Tensor(float)");
  }
  Io& tensors(int first_id, const std::vector<Dims>& all) {
    std::string values, shapes, types;
    for (const Dims& dims : all) {
      values += (values.empty() ? "" : ", ") + value(first_id++, dims, 4);
      shapes += (shapes.empty() ? "" : ", ") + shape(dims);
      types += (types.empty() ? "" : ",") + std::string("Tensor(float)");
    }
    return add("[" + values + "]", "[" + shapes + "]", "GenericList[" + types + "]");
  }
  Io& none() { return add("'<None>'", "[]", "None"); }
  Io& undefined() { return add("[99, 0, 0, 0, 0, '']", "[]", "Tensor(nullptr (uninitialized))"); }
  Io& real(const std::string& text) { return add(text, "[]", "Double"); }
  Io& integer(const std::string& text) { return add(text, "[]", "Int"); }
  Io& flag(bool value) { return add(value ? "True" : "False", "[]", "Bool"); }
  Io& list(const std::string& text) { return add(text, "[[], []]", "GenericList[Int,Int]"); }
  Io& add(const std::string& value, const std::string& shape, const std::string& type) {
    append(values_, value);
    append(shapes_, shape);
    append(types_, "'" + type + "'");
    return *this;
  }

  [[nodiscard]] std::string values() const { return "[" + values_ + "]"; }
  [[nodiscard]] std::string shapes() const { return "[" + shapes_ + "]"; }
  [[nodiscard]] std::string types() const { return "[" + types_ + "]"; }

 private:
  static void append(std::string& list, const std::string& text) { list += (list.empty() ? "" : ", ") + text; }
  static std::string value(int id, const Dims& dims, int elem_bytes) {
    std::uint64_t elements = 1;
    for (const std::uint64_t dim : dims) elements *= dim;
    return "[" + std::to_string(id) + ", " + std::to_string(id + 1000) + ", 0, " + std::to_string(elements) + ", " +
           std::to_string(elem_bytes) + ", 'cuda:0']";
  }
  static std::string shape(const Dims& dims) {
    std::string text;
    for (const std::uint64_t dim : dims) append(text, std::to_string(dim));
    return "[" + text + "]";
  }

  std::string values_, shapes_, types_;
};

inline std::optional<OpCost> estimate(const std::string& name, const Io& inputs, const Io& outputs = {}) {
  const std::string texts[] = {inputs.values(),  inputs.shapes(),  inputs.types(),
                               outputs.values(), outputs.shapes(), outputs.types()};
  return estimate_cost("aten::" + name, {texts[0], texts[1], texts[2]}, {texts[3], texts[4], texts[5]});
}

inline OpCost cost(std::uint64_t num_ops, std::uint64_t tensor_size) { return {num_ops, tensor_size}; }

}  // namespace test
}  // namespace convert
