// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "passes/estimate/estimate.h"
#include "unit/passes/estimate_texts.h"

namespace {
std::atomic<std::size_t> allocations{0};
}

// Not inlined: the compiler would see free() of memory from new. All variants that the library calls:
// AddressSanitizer checks that new and delete match.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace convert::test {
namespace {

TEST(Estimate, AllocatesNothing) {
  const Io matrices = Io().tensor(9, {5}).tensor(1, {3, 4}).tensor(2, {4, 5}).integer("1").integer("1");
  Io parameters;
  parameters.tensors(1, std::vector<Dims>(2000, {2, 3})).tensors(3001, std::vector<Dims>(2000, {2, 3})).real("0.1");
  const std::string texts[] = {matrices.values(),   matrices.shapes(),   matrices.types(),
                               parameters.values(), parameters.shapes(), parameters.types()};
  const std::size_t before = allocations;
  const auto product = estimate_cost("aten::addmm", {texts[0], texts[1], texts[2]}, {"[]", "[]", "[]"});
  const auto step = estimate_cost("aten::_foreach_add_", {texts[3], texts[4], texts[5]}, {"[]", "[]", "[]"});
  const std::size_t after = allocations;
  EXPECT_EQ(product, cost(120, 208));
  EXPECT_EQ(step, cost(12000, 144000));
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace convert::test
