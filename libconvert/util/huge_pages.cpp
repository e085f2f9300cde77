// SPDX-License-Identifier: MIT
#include "util/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <new>

namespace convert {
namespace {

constexpr std::size_t huge_page = huge_page_bytes;

// Pieces are stored consecutively in a slab, which is reset when its last piece is freed. A slab is aligned to its
// size, so that the address of a piece yields its slab. Memory that is never touched is not used.
struct Slab {
  std::size_t live = 0;  // pieces in use
  std::size_t used = 0;  // bytes, this header included
};
constexpr std::size_t slab_size = 8 * huge_page;
constexpr std::size_t large = huge_page;  // pieces from this size on have pages of their own
constexpr std::size_t cache_line = 64;
constexpr std::size_t header = cache_line;
static_assert(sizeof(Slab) <= header);

std::mutex mutex;
Slab* filling = nullptr;

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

Slab* slab_of(void* p) {
  return reinterpret_cast<Slab*>(static_cast<char*>(p) - (address(p) & std::uintptr_t{slab_size - 1}));
}

std::size_t in_pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  return (bytes + page - 1) / page * page;
}

// Allocates pages directly from the system, which gets them back at once. In a heap, growing arrays would leave
// holes.
void* new_pages(std::size_t bytes, std::size_t alignment) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  const std::size_t size = in_pages(bytes);
  void* const all = mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  const std::size_t before = (alignment - address(all) % alignment) % alignment;
  char* const p = static_cast<char*>(all) + before;
  if (before != 0) munmap(all, before);
  if (before != alignment) munmap(p + size, alignment - before);
  advise_huge(p, bytes);
  return p;
}
void free_pages(void* p, std::size_t bytes) { munmap(p, in_pages(bytes)); }

}  // namespace

void* allocate_huge(std::size_t bytes, std::size_t least) {
  if (bytes < least) return ::operator new (bytes, std::align_val_t{cache_line});
  if (bytes >= large) return new_pages(bytes, huge_page);
  const std::size_t size = (bytes + cache_line - 1) / cache_line * cache_line;
  const std::scoped_lock lock(mutex);
  if (filling == nullptr || filling->used + size > slab_size) {
    filling = new (new_pages(slab_size, slab_size)) Slab{0, header};
  }
  void* const p = reinterpret_cast<char*>(filling) + filling->used;
  filling->used += size;
  ++filling->live;
  return p;
}

// Errors are ignored: without huge pages, everything is only slower.
void advise_huge(void* p, std::size_t bytes) noexcept {
  const std::size_t before = (huge_page - address(p) % huge_page) % huge_page;
  if (before + huge_page > bytes) return;
  madvise(static_cast<char*>(p) + before, (bytes - before) / huge_page * huge_page, MADV_HUGEPAGE);
}

void free_huge(void* p, std::size_t bytes, std::size_t least) noexcept {
  if (bytes < least) return ::operator delete (p, std::align_val_t{cache_line});
  if (bytes >= large) return free_pages(p, bytes);
  const std::scoped_lock lock(mutex);
  Slab* const slab = slab_of(p);
  if (--slab->live != 0) return;
  if (slab == filling) {
    slab->used = header;  // kept: the next replay needs a slab too
  } else {
    free_pages(slab, slab_size);
  }
}

}  // namespace convert
