// SPDX-License-Identifier: MIT
// Makes algorithms ready to take the place of collectives, for rules of merging.
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

// Returns how many messages between two places differ in their tags, at most: channels of threadblocks, or
// transfers of a wire.
[[nodiscard]] std::uint32_t tags_of(const Algorithm& algorithm);

// Returns a function that returns what `make` returns, which it calls once, when it is first called.
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

// Makes an algorithm whose places are lowered when they are asked for.
[[nodiscard]] MergeAlgorithm merge_algorithm_of(std::string source, Algorithm algorithm, Diagnostics& diagnostics);

// Returns work(). Where that throws, names the place of the rule's algorithm in a map; else puts `prefix` before.
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
