// SPDX-License-Identifier: MIT
#include "load/known_file.h"

#include <algorithm>
#include <array>

#include "formats/format.h"

namespace convert {
namespace {

constexpr std::string_view spaces = " \t\r\n";

// The first key of a JSON object.
std::string_view first_key(std::string_view text) {
  if (text.empty() || text.front() != '{') return {};
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(spaces, 1)));
  if (text.empty() || text.front() != '"') return {};
  return text.substr(1, std::min(text.size(), text.find('"', 1)) - 1);
}

bool has_key(std::string_view text, const std::string& key) {
  return text.find('"' + key + '"') != std::string_view::npos;
}

std::optional<FileKind> known_json(std::string_view text) {
  const std::string_view key = first_key(text);
  if (key.empty()) return std::nullopt;
  if (key == "model" && has_key(text, "issue") && has_key(text, "total_ns")) return FileKind::result;
  if (key.find_first_not_of("0123456789") == std::string_view::npos) return FileKind::groups;
  if (has_key(text, "memory-type")) return FileKind::memory;
  constexpr std::array<const char*, 6> system_keys = {"scheduling-policy",        "endpoint-delay",
                                                      "preferred-dataset-splits", "all-reduce-implementation",
                                                      "collective-optimization",  "active-chunks-per-dimension"};
  if (std::any_of(system_keys.begin(), system_keys.end(), [&](const char* k) { return has_key(text, k); }))
    return FileKind::system;
  return std::nullopt;
}

// A network in YAML has one of these keys at the beginning of a line.
bool is_network(std::string_view text) {
  constexpr std::array<std::string_view, 3> keys = {"topology:", "npus_count:", "npus:"};
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
    const std::size_t at = text.find(key);
    return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n');
  });
}

}  // namespace

std::optional<FileKind> known_file(std::string_view head, const std::string& name) {
  const std::string_view text = head.substr(std::min(head.size(), head.find_first_not_of(spaces)));
  if (text.empty()) return std::nullopt;
  if (const std::optional<FileKind> kind = known_json(text)) return kind;
  if (is_network(text)) return FileKind::network;
  const bool is_json = text.starts_with('{') || text.starts_with('[');
  if (is_json && !has_key(text, "nodes") && !has_key(text, "rank") && !has_key(text, "traceEvents"))
    return std::nullopt;
  const Format* const format = detect_format(head, name);
  if (format == nullptr) return std::nullopt;
  return format->describes_set() ? FileKind::algorithm : FileKind::trace;
}

std::string describe(FileKind kind) {
  switch (kind) {
    case FileKind::trace: return "is a trace; give it as INPUT";
    case FileKind::algorithm:
      return "is a collective algorithm; give it as INPUT, or to --collective in place of collectives";
    case FileKind::network: return "is a network; give it with -n";
    case FileKind::system: return "is a system file of ASTRA-sim; give it with --system";
    case FileKind::memory: return "is a remote memory of ASTRA-sim; give it with --memory";
    case FileKind::groups: return "holds process groups; give it with --groups";
    case FileKind::result: return "is a result of et-replay, which is for reading";
  }
  return "";
}

}  // namespace convert
