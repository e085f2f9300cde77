// SPDX-License-Identifier: MIT
// Serialises summaries of traces, for processes of one program on machines of one kind.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/diagnostic.h"
#include "passes/trace_summary.h"

namespace convert {

// Writes values, texts and arrays consecutively. Functions that visit parts with it also accept a ByteReader.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  // Writes the number of elements, then visits each.
  template <typename T, typename Visit>
  void each(const std::vector<T>& list, const Visit& visit) {
    put(list.size());
    for (const T& element : list) visit(element);
  }
  template <typename T, typename Visit>
  void each(const std::optional<T>& value, const Visit& visit) {
    put(value.has_value());
    if (value) visit(*value);
  }

 private:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(std::string_view text) {
    put(text.size());
    out_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const std::vector<T>& values) {
    put(values.size());
    if (!values.empty()) out_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  std::string& out_;
};

// Reads the output of a ByteWriter. Throws Error(system) if the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  template <typename... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  template <typename T, typename Visit>
  void each(std::vector<T>& list, const Visit& visit) {
    std::size_t n = 0;
    for (get(n); n > 0; --n) visit(list.emplace_back());
  }
  template <typename T, typename Visit>
  void each(std::optional<T>& value, const Visit& visit) {
    bool is_there = false;
    get(is_there);
    if (is_there) visit(value.emplace());
  }

 private:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) { std::memcpy(&value, take(sizeof value).data(), sizeof value); }
  void get(std::string& text) {
    std::size_t n = 0;
    get(n);
    text = take(n);
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void get(std::vector<T>& values) {
    std::size_t n = 0;
    get(n);
    if (n > rest_.size() / sizeof(T)) fail();
    const std::string_view bytes = take(n * sizeof(T));
    values.resize(n);
    if (n != 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  std::string_view take(std::size_t n) {
    if (n > rest_.size()) fail();
    const std::string_view bytes = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return bytes;
  }
  [[noreturn]] static void fail() {
    throw Error(Error::Kind::system, {}, "another process sent fewer bytes than announced");
  }
  std::string_view rest_;
};

void visit(ByteWriter& to, const TraceSummary& summary);
void visit(ByteReader& from, TraceSummary& summary);

}  // namespace convert
