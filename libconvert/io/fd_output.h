// SPDX-License-Identifier: MIT
// An Output over an open file descriptor.
#pragma once

#include <memory>
#include <string>

#include "io/output.h"

namespace convert {

// Owned descriptors are closed at close() or destruction. Errors carry `name`.
enum class FdOwner : std::uint8_t { caller, output };
[[nodiscard]] std::unique_ptr<Output> fd_output(std::string name, int fd, FdOwner owner);

}  // namespace convert
