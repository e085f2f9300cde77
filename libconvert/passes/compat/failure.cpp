// SPDX-License-Identifier: MIT
#include "passes/compat/failure.h"

namespace convert::compat {

Error reference_fails(const std::string& file, std::optional<NodeId> node, std::string_view what,
                      std::string_view how) {
  std::string message;
  if (node) message = "node " + std::to_string(*node) + ' ';
  message += what;
  message += ": the reference program fails here (";
  message += how;
  message += "); leave out --compat chakra";
  return input_error({.file = file, .node = node ? static_cast<std::int64_t>(*node) : -1}, message);
}

}  // namespace convert::compat
