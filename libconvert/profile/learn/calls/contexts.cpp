// SPDX-License-Identifier: MIT
#include "profile/learn/calls/contexts.h"

namespace convert {
namespace {

constexpr std::uint32_t sequence_key = 0, window_key = 1;
constexpr std::uint32_t no_call = no_index - 1;  // before the first call, after the last

}  // namespace

template <class Number>
std::vector<GapContexts::Of> GapContexts::contexts(std::span<const std::uint32_t> calls,
                                                   const Number& number) const {
  constexpr std::array<int, levels - 1> reach = {3, 2, 1, 1, 1, 1, 1};
  Key sequence = {sequence_key};
  sequence.insert(sequence.end(), calls.begin(), calls.end());
  const std::uint32_t of_sequence = number(sequence);
  const auto call = [&](std::int64_t i, std::size_t level) {
    const std::uint32_t c = calls[static_cast<std::size_t>(i)];
    return level <= pair ? c : messages_[c];
  };
  std::map<Key, std::uint32_t> met;
  std::vector<Of> out;
  const auto n = static_cast<std::int64_t>(calls.size());
  for (std::int64_t gap = 0; gap <= n; ++gap) {
    Of& of = out.emplace_back();
    of[0] = number({sequence_key, of_sequence, static_cast<std::uint32_t>(gap), no_call});
    for (std::size_t level = 1; level < levels; ++level) {
      Key key = {window_key, static_cast<std::uint32_t>(level)};
      const std::int64_t first = gap - (level == places ? 0 : reach.at(level - 1));
      const std::int64_t end = gap + (level == places + 1 ? 0 : reach.at(level - 1));
      for (std::int64_t i = first; i < end; ++i) key.push_back(i < 0 || i >= n ? no_call : call(i, level));
      if (level < pair) key.push_back(met[key]++);
      of.at(level) = number(key);
    }
  }
  return out;
}

std::vector<GapContexts::Of> GapContexts::add(std::span<const std::uint32_t> calls) {
  return contexts(calls, [&](const Key& key) { return numbers_.try_emplace(key, size()).first->second; });
}

std::vector<GapContexts::Of> GapContexts::find(std::span<const std::uint32_t> calls) const {
  return contexts(calls, [&](const Key& key) {
    const auto at = numbers_.find(key);
    return at == numbers_.end() ? no_index : at->second;
  });
}

}  // namespace convert
