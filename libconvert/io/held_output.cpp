// SPDX-License-Identifier: MIT
#include "io/held_output.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "io/zstd/block.h"

namespace convert {
namespace {

constexpr std::size_t held_block = std::size_t{1} << 20U;
constexpr int fastest = 1;

}  // namespace

HeldOutput::HeldOutput() : Output("<held>"), codec_(std::make_unique<ZstdBlocks>(fastest)) {}
HeldOutput::~HeldOutput() = default;

void HeldOutput::write(std::string_view bytes) {
  while (last_.size() + bytes.size() > held_block) {
    const std::size_t part = held_block - last_.size();
    last_ += bytes.substr(0, part);
    bytes.remove_prefix(part);
    blocks_.push_back({std::string(codec_->pack(last_)), last_.size()});
    last_.clear();
  }
  last_ += bytes;
}

void HeldOutput::release(Output& to) {
  for (Block& block : blocks_) {
    const std::string packed = std::exchange(block.packed, {});
    const auto bytes = codec_->unpack(packed, block.size);
    if (!bytes) throw std::logic_error("a held block is damaged");
    to.write(*bytes);
  }
  blocks_.clear();
  to.write(std::exchange(last_, {}));
}

}  // namespace convert
