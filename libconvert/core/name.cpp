// SPDX-License-Identifier: MIT
#include "core/name.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "core/attr_names.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

constexpr std::uint32_t max_names = 1'000'000;
constexpr std::uint32_t block_size = 4096;

// Entries live in fixed blocks, so view() needs no lock: a handle is only seen after its entry was written.
class Pool {
 public:
  Pool() {
    add("");
#define X(id) add(#id);
    CONVERT_ATTRIBUTE_NAMES(X)
#undef X
  }

  std::uint32_t intern(std::string_view text) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = index_.find(text); found != index_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    if (const auto found = index_.find(text); found != index_.end()) return found->second;
    if (size_ >= max_names) throw input_error({}, "more than 1000000 distinct attribute names");
    return add(text);
  }

  [[nodiscard]] std::string_view view(std::uint32_t i) const {
    return (*blocks_[i / block_size].load(std::memory_order_acquire))[i % block_size];
  }

 private:
  using Block = std::array<std::string, block_size>;

  std::uint32_t add(std::string_view text) {
    if (size_ % block_size == 0) {
      owned_[size_ / block_size] = std::make_unique<Block>();
      blocks_[size_ / block_size].store(owned_[size_ / block_size].get(), std::memory_order_release);
    }
    std::string& entry = (*owned_[size_ / block_size])[size_ % block_size];
    entry = text;
    index_.emplace(entry, size_);
    return size_++;
  }

  std::shared_mutex mutex_;
  std::array<std::unique_ptr<Block>, max_names / block_size + 1> owned_;
  std::array<std::atomic<Block*>, max_names / block_size + 1> blocks_{};
  std::unordered_map<std::string_view, std::uint32_t> index_;
  std::uint32_t size_ = 0;
};

Pool& pool() {
  static Pool the_pool;
  return the_pool;
}

}  // namespace

Name::Name(std::string_view text) : index_(pool().intern(text)) {}

std::string_view Name::view() const { return pool().view(index_); }

}  // namespace convert
