// SPDX-License-Identifier: MIT
#include "sets/written_format.h"

namespace convert {

const Format* suffix_format(const std::optional<std::string>& path) {
  return path && *path != "-" ? format_by_suffix(*path, Direction::write) : nullptr;
}

FormatChoice written_format(const std::optional<std::string>& to, const std::optional<std::string>& path) {
  if (to) return parse_format_choice(*to, Direction::write);
  const Format* const by_suffix = suffix_format(path);
  FormatChoice choice{.format = by_suffix != nullptr ? by_suffix : &find_format("chakra"), .options = {}};
  if (!choice.format->can_write())
    throw usage_error("format '" + std::string(choice.format->name) + "' can only be read");
  return choice;
}

}  // namespace convert
