// SPDX-License-Identifier: MIT
// The input of a tool that reads it twice: kept as it came in, until the verdict is known.
#pragma once

#include <string>
#include <vector>

#include "sets/source.h"

namespace tools {

class Passing {
 public:
  // Before anything is read. Standard input is put into memory and read from there. Throws Error(usage) if some
  // other operand is a pipe. `option` is what asks for it; empty: nothing does.
  Passing(const std::string& option, const std::vector<std::string>& operands);
  // Standard input can be read again from its begin.
  void rewind() const;
  // To standard output: a stream or file unchanged, a set of files as the tar that et-convert would write.
  void copy(convert::SourceOptions input) const;

 private:
  bool from_stdin_;
};

}  // namespace tools
