// SPDX-License-Identifier: MIT
// Holds what is to be written until it is known that it may be, compressed: traces take a tenth of the memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/output.h"

namespace convert {

class ZstdBlocks;

class HeldOutput final : public Output {
 public:
  HeldOutput();
  ~HeldOutput() override;
  HeldOutput(const HeldOutput&) = delete;
  HeldOutput& operator=(const HeldOutput&) = delete;

  void write(std::string_view bytes) override;
  void close() override {}
  // Writes all that was held, and holds nothing from then on.
  void release(Output& to);

 private:
  struct Block {
    std::string packed;
    std::size_t size = 0;
  };

  std::unique_ptr<ZstdBlocks> codec_;
  std::vector<Block> blocks_;
  std::string last_;  // what makes no block yet
};

}  // namespace convert
