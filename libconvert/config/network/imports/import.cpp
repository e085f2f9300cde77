// SPDX-License-Identifier: MIT
#include "config/network/imports/import.h"

#include <array>

namespace convert {

#define IMPORT(name) extern const NetworkImport name##_import;
#include "config/network/imports/imports.def"
#undef IMPORT

namespace {

constexpr std::string_view import_blanks = " \t\r\n";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(import_blanks)));
}

// Skips a part with this beginning, through `end`; returns whether the text began with it.
bool skip_part(std::string_view& text, std::string_view begin, std::string_view end) {
  if (!text.starts_with(begin)) return false;
  const std::size_t at = text.find(end, begin.size());
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  return true;
}

// Skips a document type, which ends with '>' after its optional declarations in brackets.
bool skip_doctype(std::string_view& text) {
  const std::size_t stop = text.find_first_of("[>");
  if (!text.starts_with("<!")) return false;
  if (stop == std::string_view::npos || text[stop] == '>') return skip_part(text, "<!", ">");
  text.remove_prefix(stop);
  return skip_part(text, "[", "]") && skip_part(text, "", ">");
}

}  // namespace

const NetworkImport* find_import(std::string_view text) {
#define IMPORT(name) &name##_import,
  static const std::array all = {
#include "config/network/imports/imports.def"
  };
#undef IMPORT
  const auto found = std::find_if(all.begin(), all.end(), [&](const NetworkImport* i) { return i->sniff(text); });
  return found == all.end() ? nullptr : *found;
}

std::string_view first_element(std::string_view text) {
  do {
    skip_blanks(text);
  } while (skip_part(text, "<?", "?>") || skip_part(text, "<!--", "-->") || skip_doctype(text));
  if (!text.starts_with('<')) return {};
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

bool mentions_key(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    std::string_view before = text.substr(0, at);
    std::string_view behind = text.substr(at + key.size());
    const bool quoted = before.ends_with('"') && behind.starts_with('"');
    if (quoted) behind.remove_prefix(1);
    if (!quoted) {
      before = before.substr(0, before.find_last_not_of(" -") + 1);
      if (!before.empty() && !before.ends_with('\n')) continue;
    }
    skip_blanks(behind);
    if (behind.starts_with(':')) return true;
  }
  return false;
}

}  // namespace convert
