// SPDX-License-Identifier: MIT
#include "common/form.h"

#include <algorithm>
#include <array>

#include "core/diagnostic.h"
#include "io/output.h"
#include "io/set_path.h"

namespace tools {
namespace {

constexpr std::array<std::string_view, 11> known_suffixes = {
    "csv", "dot", "et", "html", "json", "pdf", "perfetto-trace", "pftrace", "png", "run", "svg"};

}  // namespace

std::string form_of_suffix(const std::optional<std::string>& output,
                           std::initializer_list<std::string_view> forms) {
  if (!output) return "text";
  const std::string_view path = convert::without_compression_suffix(*output);
  const std::string_view name = convert::file_name_part(path);
  const std::size_t dot = name.find_last_of('.');
  const std::string_view suffix = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  if (std::ranges::find(forms, suffix) != forms.end()) return std::string(suffix);
  if (std::ranges::find(known_suffixes, suffix) == known_suffixes.end()) return "text";
  std::string others;
  for (const std::string_view form : forms) others += ", ." + std::string(form);
  throw convert::usage_error("-o " + *output + ": what is written is text, or by suffix" + others.substr(1) +
                             "; not ." + std::string(suffix));
}

}  // namespace tools
