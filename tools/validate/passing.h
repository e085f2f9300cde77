// SPDX-License-Identifier: MIT
// Keeps a tool's input as it came in, so that it is read again and passed on once the verdict is known.
#pragma once

#include <string>
#include <vector>

#include "sets/source.h"

namespace tools {

class Passing {
 public:
  // Has to be made before anything is read. Puts standard input into memory, to be read from there. Throws
  // Error(usage) if some other operand is a pipe. `option` is what asks for this; empty: nothing does.
  Passing(const std::string& option, const std::vector<std::string>& operands);
  // Makes standard input readable again from its start.
  void rewind() const;
  // Writes to standard output: a stream or file unchanged, a set of files as the tar that et-convert would write.
  void copy(convert::SourceOptions input) const;

 private:
  bool from_stdin_;
};

}  // namespace tools
