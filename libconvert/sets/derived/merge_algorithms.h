// SPDX-License-Identifier: MIT
// Prepares algorithms that replace collectives by merge rules.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "config/collective_rules.h"
#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "passes/merge/algorithm.h"

namespace convert {

// Returns the maximum number of tags between two ranks: channels of threadblocks, or transfers on a link.
[[nodiscard]] std::uint32_t tags_of(const Algorithm& algorithm);

// Returns a function that returns the result of `make`, which it calls once, on the first call.
template <class Make>
auto lazily(Make make) {
  using Made = std::invoke_result_t<Make>;
  struct Lazy {
    std::once_flag once;
    Made made;
  };
  return [make = std::move(make), lazy = std::make_shared<Lazy>()]() -> const Made& {
    std::call_once(lazy->once, [&] { lazy->made = make(); });
    return lazy->made;
  };
}
template <class Make>
auto lazy_flow(Make make) {
  return [flow = lazily(std::move(make))] { return flow() ? &*flow() : nullptr; };
}

// Makes an algorithm whose ranks are lowered on demand.
[[nodiscard]] MergeAlgorithm merge_algorithm_of(std::string source, Algorithm algorithm, Diagnostics& diagnostics);

// Returns work(). Its errors get the location of the rule's algorithm in a map, otherwise `prefix`.
template <class Work>
auto at_rule(const CollectiveRule& rule, const std::string& prefix, const Work& work) {
  try {
    return work();
  } catch (const Error& e) {
    if (rule.where.file.empty()) throw Error(e.kind(), e.where(), prefix + e.what(), std::string(e.rule()));
    throw input_error(rule.where, e.what(), "merge");
  }
}

}  // namespace convert
