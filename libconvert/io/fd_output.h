// SPDX-License-Identifier: MIT
// Writes to open file descriptors.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/output.h"

namespace convert {

// Writes all bytes, also after interruptions. Returns 0, or errno of the write that failed.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

enum class FdOwner : std::uint8_t { caller, output };
// Returns an Output that writes to `fd` through a buffer. Its close() or destruction closes `fd` if it is the
// owner; else `fd` must stay open for as long.
[[nodiscard]] std::unique_ptr<Output> fd_output(std::string name, int fd, FdOwner owner);

}  // namespace convert
