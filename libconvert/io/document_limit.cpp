// SPDX-License-Identifier: MIT
#include "io/document_limit.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "core/diagnostic.h"
#include "core/units.h"
#include "io/input.h"

namespace convert {
namespace {

constexpr std::uint64_t always_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t largest_document_bytes = std::uint64_t{16} << 30;
constexpr std::uint64_t most_factor = 1000;
constexpr std::uint64_t parsed_factor = 3;
constexpr std::uint64_t always_streamed_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t most_written_factor = 800;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> asked_bytes;

// Returns the number after `key` in a file of the system, or the first number without a key; `unlimited` for "max".
std::uint64_t number_in(const char* file, const std::string& key) {
  std::ifstream in(file);
  std::string word;
  if (!key.empty()) {
    while (in >> word && word != key) {
    }
  }
  std::uint64_t number = 0;
  return in >> number ? number : unlimited;
}

// Returns the available memory of the machine or the container.
std::uint64_t available_bytes() {
  const std::uint64_t free_kib = number_in("/proc/meminfo", "MemAvailable:");
  const std::uint64_t most = number_in("/sys/fs/cgroup/memory.max", "");
  const std::uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
  const std::uint64_t left = most == unlimited || used == unlimited ? unlimited : most - std::min(most, used);
  return std::min(free_kib == unlimited ? unlimited : free_kib * 1024, left);
}

[[noreturn]] void fail(const Input& input, const std::string& what) {
  throw input_error({.file = input.name()}, what + "; if the data is trusted, allow more with --max-expand SIZE",
                    "memory");
}

std::string size_text(std::uint64_t bytes) { return format_bytes(static_cast<std::int64_t>(bytes)); }

void check_expansion(const Input& input, std::uint64_t compressed, std::uint64_t memory_bytes) {
  const std::uint64_t limit =
      asked_bytes.value_or(most_factor * std::min(compressed, largest_document_bytes) + always_bytes);
  if (memory_bytes <= limit) return;
  fail(input, size_text(compressed) + " of compressed data require more than " + size_text(limit) + " of memory" +
                  (asked_bytes ? "" : ", the limit of 1,000 times their size plus 64 MiB"));
}

}  // namespace

void set_document_limit(std::optional<std::uint64_t> bytes) { asked_bytes = bytes; }

std::uint64_t most_document_bytes() {
  static const std::uint64_t by_default = std::min(largest_document_bytes, available_bytes());
  return asked_bytes.value_or(by_default);
}

void check_document(const Input& input, std::uint64_t text_bytes, Held as) {
  if (text_bytes <= always_bytes / parsed_factor && !asked_bytes) return;
  if (text_bytes > most_document_bytes()) {
    fail(input, "one document or message is larger than " + size_text(most_document_bytes()) +
                    (asked_bytes ? "" : ", the available memory"));
  }
  check_expansion(input, as == Held::parsed ? text_bytes * parsed_factor : text_bytes);
}

void check_expansion(const Input& input, std::uint64_t memory_bytes) {
  if (const auto compressed = input.compressed_bytes()) check_expansion(input, *compressed, memory_bytes);
}

void check_blocks(const Input& input, std::uint64_t end, std::uint64_t memory_bytes) {
  const std::uint64_t whole = input.size().value_or(end);
  check_expansion(input, input.compressed_bytes().value_or(whole), memory_bytes);
}

void check_stream(const Input& input, std::uint64_t text_bytes) {
  if (text_bytes <= always_streamed_bytes) return;
  const std::uint64_t compressed = input.compressed_bytes().value_or(text_bytes);
  const std::uint64_t by_default =
      most_factor * std::min(compressed, largest_document_bytes) + always_streamed_bytes;
  if (text_bytes <= std::max(by_default, asked_bytes.value_or(0))) return;
  fail(input, size_text(compressed) + " of compressed data expand to " + size_text(text_bytes) +
                  ", more than 1,000 times their size plus 1 GiB");
}

bool is_too_dense(std::uint64_t text_bytes, std::uint64_t compressed_bytes) {
  return text_bytes > always_bytes / 2 && text_bytes / most_written_factor > compressed_bytes;
}

}  // namespace convert
