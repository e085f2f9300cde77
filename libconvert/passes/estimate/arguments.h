// SPDX-License-Identifier: MIT
// Reads the arguments of an operator in place from the texts of IOInfo, without allocation. For speed, arrays are
// not initialised: only elements that were read are set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace convert {

// Unsigned number with a flag that records overflow of 64 bits.
struct Count {
  std::uint64_t value = 0;
  bool overflow = false;

  Count() = default;
  Count(std::uint64_t v) : value(v) {}  // NOLINT(google-explicit-constructor): formulas contain plain numbers

  friend Count operator+(Count a, Count b) {
    Count sum;
    const bool carry = __builtin_add_overflow(a.value, b.value, &sum.value);
    sum.overflow = carry || a.overflow || b.overflow;
    return sum;
  }
  friend Count operator*(Count a, Count b) {
    Count product;
    const bool carry = __builtin_mul_overflow(a.value, b.value, &product.value);
    product.overflow = carry || a.overflow || b.overflow;
    return product;
  }
};

inline constexpr std::size_t max_arguments = 32, max_dims = 12;

// Sizes of a tensor, or numbers of a list.
struct Shape {
  std::array<std::uint64_t, max_dims> dims;
  std::size_t rank = 0;

  [[nodiscard]] std::uint64_t operator[](std::size_t i) const { return dims[i]; }
  // Returns the i-th size from the end, 1 for the last; 1 ≤ i ≤ rank.
  [[nodiscard]] std::uint64_t back(std::size_t i) const { return dims[rank - i]; }
  [[nodiscard]] Count product(std::size_t begin, std::size_t end) const;
  [[nodiscard]] Count elements() const { return product(0, rank); }
  // Reads `[2, 3]`. Returns false for anything except a list of at most max_dims numbers ≥ 0.
  [[nodiscard]] bool read(std::string_view text);
};

// Part of a text. Unlike string_view, it is not initialised.
struct TextPart {
  const char* begin;
  const char* end;

  [[nodiscard]] std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

struct Argument {
  enum class Kind : std::uint8_t { scalar, string, list, tensor, tensors };
  Kind kind;
  TextPart part;
  std::uint64_t id;               // of a tensor
  std::uint64_t elem_bytes;       // of a tensor, or of the first tensor of a list
  std::uint64_t elements, bytes;  // of a tensor, or the sum over a list

  [[nodiscard]] std::string_view text() const { return part.text(); }
};

// Values of an operator's inputs or outputs.
class Arguments {
 public:
  // Returns false for malformed text, sizes beyond 64 bits, or more than max_arguments.
  [[nodiscard]] bool read(std::string_view values);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Argument& operator[](std::size_t i) const { return arguments_[i]; }
  [[nodiscard]] std::span<const Argument> all() const { return {arguments_.data(), size_}; }
  [[nodiscard]] bool is_tensor(std::size_t i) const {
    return i < size_ && arguments_[i].kind == Argument::Kind::tensor;
  }
  [[nodiscard]] bool is_defined_tensor(std::size_t i) const {
    return is_tensor(i) && arguments_[i].elem_bytes != 0;
  }
  // Returns whether an argument is a tensor or a list of tensors.
  [[nodiscard]] bool has_tensor(std::size_t i) const;
  // Returns the first argument that is a tensor or a list of tensors, or null.
  [[nodiscard]] const Argument* first_tensor() const;

 private:
  std::array<Argument, max_arguments> arguments_;
  std::size_t size_ = 0;
};

// Texts of the elements of a list, `[[64, 64], [], []]` or `['Int', 'None']`, without the quotes of strings.
class Elements {
 public:
  [[nodiscard]] bool read(std::string_view list);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return parts_[i].text(); }

 private:
  std::array<TextPart, max_arguments> parts_;
  std::size_t size_ = 0;
};

}  // namespace convert
