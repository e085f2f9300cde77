// SPDX-License-Identifier: MIT
#include "passes/estimate/arguments.h"

namespace convert {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] const char* at() const { return at_; }
  [[nodiscard]] bool done() const { return at_ == end_; }
  [[nodiscard]] char peek() const { return at_ == end_ ? '\0' : *at_; }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  // Consumes `, ` between two elements.
  bool take_comma() {
    if (!take(',')) return false;
    take(' ');
    return true;
  }
  bool take_number(std::uint64_t& value) {
    const char* begin = at_;
    const char* safe = end_ - at_ < 19 ? end_ : at_ + 19;  // 19 digits always fit
    std::uint64_t number = 0;
    for (unsigned digit = 0; at_ != safe && is_digit(*at_, digit); ++at_) number = number * 10 + digit;
    for (unsigned digit = 0; at_ != end_ && is_digit(*at_, digit); ++at_) {
      if (__builtin_mul_overflow(number, 10U, &number) || __builtin_add_overflow(number, digit, &number))
        return false;
    }
    value = number;
    return at_ != begin;
  }
  bool skip_string() {
    const char quote = *at_++;
    while (at_ != end_) {
      const char c = *at_++;
      if (c == quote) return true;
      if (c == '\\' && at_ != end_) ++at_;
    }
    return false;
  }
  // Skips a number or a word, up to the comma or bracket after it.
  bool skip_scalar() {
    const char* begin = at_;
    while (at_ != end_ && *at_ != ',' && *at_ != ']') {
      if (*at_ == '[' || *at_ == '\'' || *at_ == '"') return false;
      ++at_;
    }
    return at_ != begin;
  }
  // Skips a nested list of numbers. Lists contain strings only as part of a tensor.
  bool skip_list() {
    std::size_t depth = 0;
    for (; at_ != end_; ++at_) {
      if (*at_ == '\'' || *at_ == '"') return false;
      if (*at_ == '[') ++depth;
      if (*at_ == ']' && --depth == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }
  bool skip_element() {
    const char c = peek();
    if (c == '[') return skip_list();
    return c == '\'' || c == '"' ? skip_string() : skip_scalar();
  }

 private:
  static bool is_digit(char c, unsigned& digit) {
    digit = static_cast<unsigned char>(c) - unsigned{'0'};
    return digit <= 9;
  }

  const char* at_;
  const char* end_;
};

// Reads a list; `element()` consumes one element.
template <typename Element>
bool read_list(Scanner& scan, Element element) {
  if (!scan.take('[')) return false;
  if (scan.take(']')) return true;
  do {
    if (!element()) return false;
  } while (scan.take_comma());
  return scan.take(']');
}

// Reads a text that is a list of at most `most` elements; `element(i)` consumes the i-th.
template <typename Element>
bool read_all(Scanner& scan, std::size_t most, std::size_t& size, Element element) {
  size = 0;
  return read_list(scan, [&] { return size < most && element(size++); }) && scan.done();
}

struct Tensor {
  std::uint64_t id, elements, elem_bytes;
};

// Consumes `[id, storage, offset, elements, bytes of an element, 'device']`. Returns false on any other text, with
// the scanner at an unspecified position.
bool take_tensor(Scanner& scan, Tensor& tensor) {
  std::uint64_t storage = 0, offset = 0;
  if (!scan.take('[') || !scan.take_number(tensor.id) || !scan.take_comma() || !scan.take_number(storage) ||
      !scan.take_comma() || !scan.take_number(offset) || !scan.take_comma() || !scan.take_number(tensor.elements) ||
      !scan.take_comma() || !scan.take_number(tensor.elem_bytes) || !scan.take_comma()) {
    return false;
  }
  return (scan.peek() == '\'' || scan.peek() == '"') && scan.skip_string() && scan.take(']');
}

// Adds a tensor to the sums. Returns false if a sum exceeds 64 bits.
bool add(Argument& argument, const Tensor& tensor) {
  std::uint64_t bytes = 0;
  return !__builtin_mul_overflow(tensor.elements, tensor.elem_bytes, &bytes) &&
         !__builtin_add_overflow(argument.bytes, bytes, &argument.bytes) &&
         !__builtin_add_overflow(argument.elements, tensor.elements, &argument.elements);
}

// Consumes a list of tensors and None, or an empty list. Returns false on any other text, with the scanner at an
// unspecified position.
bool take_tensors(Scanner& scan, Argument& argument) {
  argument.kind = Argument::Kind::list;
  return read_list(scan, [&] {
    if (scan.peek() == '\'') return scan.skip_string();
    if (scan.peek() == 'N') return scan.skip_scalar();
    Tensor tensor;
    if (!take_tensor(scan, tensor)) return false;
    if (argument.kind == Argument::Kind::list) argument.elem_bytes = tensor.elem_bytes;
    argument.kind = Argument::Kind::tensors;
    return add(argument, tensor);
  });
}

bool take_bracketed(Scanner& scan, Argument& argument) {
  Scanner attempt = scan;
  Tensor tensor;
  if (take_tensor(attempt, tensor)) {
    argument.kind = Argument::Kind::tensor;
    argument.id = tensor.id;
    argument.elem_bytes = tensor.elem_bytes;
    scan = attempt;
    return add(argument, tensor);
  }
  attempt = scan;
  if (take_tensors(attempt, argument)) {
    scan = attempt;
    return true;
  }
  argument.kind = Argument::Kind::list;
  return scan.skip_list();
}

}  // namespace

Count Shape::product(std::size_t begin, std::size_t end) const {
  Count result = 1;
  for (std::size_t i = begin; i < end; ++i) result = result * dims[i];
  return result;
}

bool Shape::read(std::string_view text) {
  Scanner scan(text);
  return read_all(scan, max_dims, rank, [&](std::size_t i) { return scan.take_number(dims[i]); });
}

bool Arguments::read(std::string_view values) {
  Scanner scan(values);
  return read_all(scan, max_arguments, size_, [&](std::size_t i) {
    Argument& argument = arguments_[i];
    const char* begin = scan.at();
    const char c = scan.peek();
    argument.elements = argument.bytes = 0;
    argument.id = argument.elem_bytes = 0;
    bool good = true;
    if (c == '[') {
      good = take_bracketed(scan, argument);
    } else {
      argument.kind = c == '\'' || c == '"' ? Argument::Kind::string : Argument::Kind::scalar;
      good = scan.skip_element();
    }
    argument.part = {begin, scan.at()};
    return good;
  });
}

bool Arguments::has_tensor(std::size_t i) const {
  return is_tensor(i) || (i < size_ && arguments_[i].kind == Argument::Kind::tensors);
}

const Argument* Arguments::first_tensor() const {
  for (std::size_t i = 0; i < size_; ++i) {
    if (has_tensor(i)) return &arguments_[i];
  }
  return nullptr;
}

bool Elements::read(std::string_view list) {
  Scanner scan(list);
  return read_all(scan, max_arguments, size_, [&](std::size_t i) {
    const char* begin = scan.at();
    if (!scan.skip_element()) return false;
    const bool quoted = *begin == '\'' || *begin == '"';
    parts_[i] = quoted ? TextPart{begin + 1, scan.at() - 1} : TextPart{begin, scan.at()};
    return true;
  });
}

}  // namespace convert
