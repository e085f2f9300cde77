// SPDX-License-Identifier: MIT
// Keeps the input of a tool unchanged, so that it can be read again and passed on after the verdict.
#pragma once

#include <string>
#include <vector>

#include "sets/source.h"

namespace tools {

class Passing {
 public:
  // Must be constructed before anything is read. Copies standard input to memory, from which it is read. Throws
  // Error(usage) if another operand is a pipe. `option` requires this, and is named in messages; empty: nothing
  // requires it.
  Passing(const std::string& option, const std::vector<std::string>& operands);
  // Makes standard input readable again from its start.
  void rewind() const;
  // Writes the input to standard output: a stream or file unchanged, a set of files as the tar that et-convert
  // would write.
  void copy(convert::SourceOptions input) const;

 private:
  bool from_stdin_;
};

}  // namespace tools
