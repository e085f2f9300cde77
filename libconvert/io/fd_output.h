// SPDX-License-Identifier: MIT
// An Output over an open file descriptor.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/output.h"

namespace convert {

// Writes all bytes. Returns 0 or errno.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

enum class FdOwner : std::uint8_t { caller, output };
// Returns an Output that writes to `fd`, and closes it, if it owns it, at close() or destruction.
[[nodiscard]] std::unique_ptr<Output> fd_output(std::string name, int fd, FdOwner owner);

}  // namespace convert
