// SPDX-License-Identifier: MIT
#include "sets/known_file.h"

#include <algorithm>
#include <array>

#include "config/network/imports/import.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::string_view spaces = " \t\r\n";

// Returns the first key of a JSON object.
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
  if (key == "ranks" && has_key(text, "profile_events")) return FileKind::link_report;
  if (key == "total_ns" && has_key(text, "steps")) return FileKind::result;  // of --explain
  if (key.find_first_not_of("0123456789") == std::string_view::npos) return FileKind::groups;
  if (has_key(text, "memory-type")) return FileKind::memory;
  constexpr std::array<const char*, 9> system_keys = {"scheduling-policy",
                                                      "endpoint-delay",
                                                      "preferred-dataset-splits",
                                                      "collective-optimization",
                                                      "active-chunks-per-dimension",
                                                      "local-mem-bw",
                                                      "all-reduce-implementation",
                                                      "peak-perf",
                                                      "roofline-enabled"};
  if (std::any_of(system_keys.begin(), system_keys.end(), [&](const char* k) { return has_key(text, k); }))
    return FileKind::system;
  return std::nullopt;
}

// Returns whether YAML text has one of these keys at the beginning of a line.
template <std::size_t n>
bool has_line(std::string_view text, const std::array<std::string_view, n>& keys) {
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
    const std::size_t at = text.find(key);
    return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n');
  });
}

// Recognises the output of et-replay other than JSON: CSV tables, tables of sweeps, text reports, ASTRA-sim's
// lines.
bool is_result(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  constexpr std::array<std::string_view, 5> begins = {"npu,finish_ns,", "collective,group,number,op,",
                                                      "from,to,bytes,messages,busy_ns,",
                                                      "begin_ns,time_ns,npu,node,", "[workload] [info] sys["};
  if (std::any_of(begins.begin(), begins.end(), [&](std::string_view b) { return line.starts_with(b); }))
    return true;
  const auto has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
  return (line.starts_with("run,") && has(",status,total_ns,")) ||
         (line.starts_with("total ") && has(" NPU") && has("--issue ")) ||
         line.starts_with("the replay ends at ") ||
         (line.starts_with("node ") && has(" of rank ") && has(" starts at "));
}

// Returns whether all bytes are printable, which excludes all binary formats.
bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || spaces.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::optional<FileKind> known_file(std::string_view head, const std::string& name) {
  head = without_mark(head);
  const std::string_view text = head.substr(std::min(head.size(), head.find_first_not_of(spaces)));
  if (text.empty()) return std::nullopt;
  const std::string_view begin = text.substr(0, known_file_bytes);
  if (const NetworkImport* import = find_import(begin); import != nullptr && import->refusal == nullptr)
    return FileKind::network;
  if (const std::optional<FileKind> kind = known_json(begin)) return kind;
  if (is_result(begin)) return FileKind::result;
  if (has_line<3>(begin, {"topology:", "npus_count:", "npus:"})) return FileKind::network;
  if (has_line<1>(begin, {"sweep:"})) return FileKind::sweep;
  const bool is_json = text.starts_with('{') || text.starts_with('[');
  if (is_json && !has_key(text, "nodes") && !has_key(text, "rank") && !has_key(text, "traceEvents"))
    return std::nullopt;
  const Format* const format = detect_format(head, name);
  if (format == nullptr) return std::nullopt;
  if (is_text(begin) && format->sniff != nullptr && !format->sniff(head)) return std::nullopt;  // name only
  if (!format->reads_traces()) return FileKind::run;
  return format->describes_set() && format->name != "master" ? FileKind::algorithm : FileKind::trace;
}

std::string_view head_of(Input& input) {
  constexpr std::size_t json_bytes = std::size_t{1} << 20U;
  const std::string_view head = input.peek(known_file_bytes).substr(0, known_file_bytes);
  const std::string_view text = without_mark(head);
  const std::size_t first = text.find_first_not_of(spaces);
  if (head.size() < known_file_bytes || first == std::string_view::npos || text[first] != '{') return head;
  return input.peek(json_bytes).substr(0, json_bytes);
}

std::string foreign_file(std::string_view head, const std::string& name) {
  if (known_file(head, name)) return {};
  const std::string_view marked = without_mark(head);
  const std::string_view text = marked.substr(std::min(marked.size(), marked.find_first_not_of(spaces)));
  const NetworkImport* const import = find_import(text);
  return import != nullptr && import->refusal != nullptr ? import->refusal(text) : std::string();
}

std::string describe(FileKind kind) {
  switch (kind) {
    case FileKind::trace: return "is a trace; use it as INPUT";
    case FileKind::run: return "is a run, for et-report, et-stats and et-timeline";
    case FileKind::algorithm: return "is a collective algorithm; use it as INPUT, or with -a for collectives";
    case FileKind::network: return "is a network, for et-replay's -n";
    case FileKind::system: return "is an ASTRA-sim system file, for et-replay's --system";
    case FileKind::memory: return "is an ASTRA-sim remote memory file, for et-replay's --memory";
    case FileKind::groups: return "contains process groups, for et-replay's --groups";
    case FileKind::sweep: return "is a sweep, for et-replay's --sweep";
    case FileKind::result:
      return "is a result of et-replay, which no tool reads; write a run with et-replay -o NAME.run";
    case FileKind::link_report: return "is a report of et-link, which no tool reads";
  }
  return "";
}

std::string other_kind(const Format& format, bool asked, std::string_view head, const std::string& name) {
  if (const auto kind = known_file(head, name); kind && *kind > FileKind::algorithm)
    return "not a trace: the file " + describe(*kind);
  head = without_mark(head);
  const Format* const is = detect_format(head, name);
  // Any XML looks like MSCCL-IR at first.
  const bool other_xml = is != nullptr && is->name == "msccl" && head.find("<algo") == std::string_view::npos;
  if (is == nullptr || is->sniff == nullptr || !is->sniff(head) || other_xml) {
    // Readers of text formats report their own errors with locations.
    const bool binary = format.name == "chakra" && !format.sniff(head);
    return binary && is_text(head) ? "is a text of unknown kind; a Chakra trace (.et) is binary" : "";
  }
  const bool both_json = is->peek_groups != nullptr && is->peek_groups == format.peek_groups;
  const bool same = is == &format || both_json || (is->linked && format.linked);
  if (same) return "";
  const std::string from = "-f " + std::string(is->name);
  std::string what = "is read as " + std::string(format.name) +
                     (asked ? ", as requested" : ", as the first input is") + ", but contains " +
                     std::string(is->summary) + "; ";
  if (asked) return what + "et-convert " + from + " reads it";
  if (!is->describes_set()) return what + "convert the inputs to one format with et-convert";
  what += "et-convert " + from + " converts it to traces";
  return is->read_set != nullptr ? what : what + ", et-merge -a merges it into a workload";
}

}  // namespace convert
