// SPDX-License-Identifier: MIT
#include "mpi/agreement.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/diagnostic.h"
#include "io/sha256.h"

namespace tools {
namespace {

using namespace convert;

// Splits a sequence of texts, each ending with NUL.
std::vector<std::string_view> texts_of(std::string_view bytes) {
  std::vector<std::string_view> parts;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    parts.push_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  return parts;
}

std::string item(std::span<const std::string_view> parts, std::size_t at) {
  if (at + 1 >= parts.size()) return "nothing";
  return std::string(parts[at]) + " " + std::string(parts[at + 1]);
}

}  // namespace

std::string encode_inputs(const ProcessInputs& inputs) {
  std::string bytes = std::filesystem::current_path().string() + '\0';
  for (const auto& [name, value] : inputs) bytes += name + '\0' + value + '\0';
  return bytes;
}

void require_same_inputs(std::span<const std::string> processes) {
  const std::vector<std::string_view> first = texts_of(processes.front());
  for (std::size_t p = 1; p < processes.size(); ++p) {
    const std::vector<std::string_view> other = texts_of(processes[p]);
    const auto differ = std::mismatch(first.begin() + 1, first.end(), other.begin() + 1, other.end()).first;
    if (differ == first.end() && first.size() == other.size()) continue;
    const std::size_t at = (static_cast<std::size_t>(differ - first.begin()) - 1) / 2 * 2 + 1;  // names are odd
    throw usage_error("process " + std::to_string(p) + " in " + std::string(other.front()) + " has " +
                      item(other, at) + "; process 0 in " + std::string(first.front()) + " has " + item(first, at) +
                      "; start all processes with the same options and inputs");
  }
}

std::string file_fingerprint(const std::string& path) {
  constexpr std::uintmax_t end_bytes = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!file || error) throw system_error(path, error ? error.value() : errno);
  std::string bytes(static_cast<std::size_t>(std::min(size, 2 * end_bytes)), '\0');
  const auto first = static_cast<std::streamsize>(std::min(size, end_bytes));
  file.read(bytes.data(), first);
  file.seekg(static_cast<std::streamoff>(size - (bytes.size() - static_cast<std::size_t>(first))));
  file.read(bytes.data() + first, static_cast<std::streamsize>(bytes.size()) - first);
  return std::to_string(size) + " bytes, SHA-256 " + sha256_hex(bytes);
}

}  // namespace tools
