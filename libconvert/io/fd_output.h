// SPDX-License-Identifier: MIT
// Writes to open file descriptors.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/output.h"

namespace convert {

// Writes all bytes, and continues after interruptions. Returns 0, or errno of the write that failed.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

enum class FdOwner : std::uint8_t { caller, output };
// Returns a buffered Output to `fd`. Its close() or destruction closes `fd` if the output is the owner; else the
// caller must keep `fd` open until then.
[[nodiscard]] std::unique_ptr<Output> fd_output(std::string name, int fd, FdOwner owner);

}  // namespace convert
