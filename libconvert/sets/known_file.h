// SPDX-License-Identifier: MIT
// Recognises the kind of a file, to report files given for the wrong purpose: traces, networks, settings, results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "formats/format.h"
#include "io/input.h"

namespace convert {

// Kinds of files. The order matters: only kinds up to `algorithm` are inputs of tools.
enum class FileKind : std::uint8_t {
  trace,
  run,
  algorithm,
  network,
  system,
  memory,
  groups,
  sweep,
  result,
  link_report
};

// Returns the kind of a file by the beginning of its contents and its name; nothing if it is unknown. A JSON object
// that is not a configuration is a trace only if it looks like one.
[[nodiscard]] std::optional<FileKind> known_file(std::string_view head, const std::string& name);
inline constexpr std::size_t known_file_bytes = 4096;  // size of the beginning that identifies most files
// Returns the beginning of a file: known_file_bytes, or 1 MiB of a JSON object, because Kineto traces may have long
// user metadata before their events. Valid until the input is read.
[[nodiscard]] std::string_view head_of(Input& input);

// Returns "is a trace; give it as INPUT".
[[nodiscard]] std::string describe(FileKind kind);

// Describes a file that no tool reads, such as "is the output of nvidia-smi …", and the input to use instead; empty
// if its beginning is not recognised, or if known_file() recognises it.
[[nodiscard]] std::string foreign_file(std::string_view head, const std::string& name);

// Returns a message about a file that could not be read as `format`: its kind and the next step; empty if its
// beginning is not recognised. `asked`: the user named the format, or an option that implies it.
[[nodiscard]] std::string other_kind(const Format& format, bool asked, std::string_view head,
                                     const std::string& name);

// Returns the result of parse(). Replaces its Error(input) by the message of other_kind(), if there is one.
template <typename Parse>
auto parse_as(const Format& format, bool asked, std::string_view head, const std::string& name,
              const Parse& parse) {
  try {
    return parse();
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input) throw;
    const std::string other = other_kind(format, asked, head, name);
    if (other.empty()) throw;
    throw input_error({.file = name}, other, e.rule());
  }
}

// The same for configuration files: replaces the error by describe() of a file that is not of kind `wanted`.
template <typename Parse>
auto parse_known(FileKind wanted, std::string_view head, const std::string& name, const Parse& parse) {
  try {
    return parse();
  } catch (const Error& e) {
    const std::optional<FileKind> kind = known_file(head.substr(0, known_file_bytes), name);
    if (e.kind() != Error::Kind::input || !kind || *kind == wanted) throw;
    throw input_error({.file = name}, describe(*kind));
  }
}

}  // namespace convert
