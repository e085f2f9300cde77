// SPDX-License-Identifier: MIT
#include "io/zstd/block.h"

#include <zstd.h>

#include <new>
#include <stdexcept>

namespace convert {

struct ZstdBlocks::State {
  int level = 0;
  ZSTD_CCtx* packing = nullptr;
  ZSTD_DCtx* unpacking = nullptr;
  std::string buffer;
  ~State() {
    ZSTD_freeCCtx(packing);
    ZSTD_freeDCtx(unpacking);
  }
};

ZstdBlocks::ZstdBlocks(int level) : state_(std::make_unique<State>()) { state_->level = level; }
ZstdBlocks::~ZstdBlocks() = default;

std::string_view ZstdBlocks::pack(std::string_view block) {
  State& s = *state_;
  if (s.packing == nullptr) {
    s.packing = ZSTD_createCCtx();
    if (s.packing == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(s.packing, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(s.packing, ZSTD_c_compressionLevel, s.level);
  }
  s.buffer.resize(ZSTD_compressBound(block.size()));
  const std::size_t size = ZSTD_compress2(s.packing, s.buffer.data(), s.buffer.size(), block.data(), block.size());
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  return std::string_view(s.buffer).substr(0, size);
}

std::optional<std::string_view> ZstdBlocks::unpack(std::string_view packed, std::size_t size) {
  State& s = *state_;
  if (s.unpacking == nullptr) {
    s.unpacking = ZSTD_createDCtx();
    if (s.unpacking == nullptr) throw std::bad_alloc();
  }
  s.buffer.resize(size);
  const std::size_t got = ZSTD_decompressDCtx(s.unpacking, s.buffer.data(), size, packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
  return std::string_view(s.buffer);
}

}  // namespace convert
