// SPDX-License-Identifier: MIT
#include "core/run/waiting_text.h"

#include "core/units.h"

namespace convert {

std::string tag_text(std::int64_t tag, std::int64_t bytes) {
  const std::string text = "tag " + std::to_string(tag);
  return bytes < 0 ? text : text + ", " + counted(static_cast<std::uint64_t>(bytes), "byte");
}

std::string receive_text(std::string_view subject, std::string_view send, std::int64_t tag, std::int64_t bytes) {
  return std::string(subject) + " receives from " + std::string(send) + " (" + tag_text(tag, bytes) +
         "), which has not started";
}

std::string call_text(std::string_view subject, std::string_view call, std::uint64_t number,
                      std::string_view group) {
  return std::string(subject) + " calls " + std::string(call) + " (number " + std::to_string(number) + " of " +
         std::string(group) + ")";
}

std::string missing_text(Rank first, std::uint64_t missing) {
  const std::string rank = "rank " + std::to_string(first);
  if (missing < 2) return rank + " has not called";
  return rank + " and " + std::to_string(missing - 1) + (missing == 2 ? " other rank" : " other ranks") +
         " have not called";
}

std::string next_call_text(Rank rank, std::string_view node) {
  return "the next such call of rank " + std::to_string(rank) + " is " + std::string(node);
}

}  // namespace convert
