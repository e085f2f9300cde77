// SPDX-License-Identifier: MIT
#include "analyze/diff/lcs.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <vector>

namespace convert {
namespace {

using Sequence = std::span<const std::uint32_t>;
using Word = std::uint64_t;

// Positions of each element in one window of b.
class Places {
 public:
  explicit Places(Sequence b) {
    for (std::uint32_t j = 0; j < b.size(); ++j) of_[b[j]].push_back(j);
  }
  // Returns the positions of an element within [begin, end), ascending.
  [[nodiscard]] std::span<const std::uint32_t> find(std::uint32_t element, std::size_t begin,
                                                    std::size_t end) const {
    const auto at = of_.find(element);
    if (at == of_.end()) return {};
    const auto first = std::lower_bound(at->second.begin(), at->second.end(), begin);
    const auto last = std::lower_bound(first, at->second.end(), end);
    return {first, last};
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_;
};

// Rows of the table of lengths, one bit for each element of b: a zero if the length grows. With `backward` both
// sequences are read from their ends.
class Row {
 public:
  Row(const Places& places, std::size_t begin, std::size_t end, bool backward)
      : places_(places), begin_(begin), end_(end), backward_(backward), bits_((end - begin + 63) / 64, ~Word{0}) {}

  void add(std::uint32_t element) {
    const auto found = places_.find(element, begin_, end_);
    Word carry = 0;
    std::size_t word = 0;
    const auto step = [&](Word matches) {
      const Word v = bits_[word], u = v & matches;
      const Word sum = v + u, all = sum + carry;
      carry = (sum < v ? 1U : 0U) | (all < sum ? 1U : 0U);
      bits_[word] = all | (v - u);
      ++word;
    };
    for (std::size_t k = 0; k < found.size();) {
      const std::size_t at = place(found, k) / 64;
      while (word < at && carry != 0) step(0);
      word = std::max(word, at);
      Word matches = 0;
      for (; k < found.size() && place(found, k) / 64 == word; ++k) matches |= Word{1} << (place(found, k) % 64);
      step(matches);
    }
    while (carry != 0 && word < bits_.size()) step(0);
  }

  // Returns the lengths for the first 0, 1, … elements of b.
  [[nodiscard]] std::vector<std::uint32_t> lengths() const {
    std::vector<std::uint32_t> out{0};
    for (std::size_t j = 0; j < end_ - begin_; ++j)
      out.push_back(out.back() + static_cast<std::uint32_t>(~(bits_[j / 64] >> (j % 64)) & 1U));
    return out;
  }

 private:
  [[nodiscard]] std::size_t place(std::span<const std::uint32_t> found, std::size_t k) const {
    return backward_ ? end_ - 1 - found[found.size() - 1 - k] : found[k] - begin_;
  }

  const Places& places_;
  std::size_t begin_, end_;
  bool backward_;
  std::vector<Word> bits_;
};

// Halves a window of `a` recursively until one element is left (Hirschberg).
class Common {
 public:
  Common(Sequence a, Sequence b) : a_(a), b_(b), places_(b) {}

  template <class Pair>
  void find(std::size_t a0, std::size_t a1, std::size_t b0, std::size_t b1, const Pair& pair) const {
    while (a0 < a1 && b0 < b1 && a_[a0] == b_[b0]) pair(a0++, b0++);
    if (a0 == a1 || b0 == b1) return;
    if (a1 - a0 == 1) {
      const auto found = places_.find(a_[a0], b0, b1);
      if (!found.empty()) pair(a0, found.front());
      return;
    }
    const std::size_t middle = a0 + (a1 - a0) / 2;
    Row before(places_, b0, b1, false), behind(places_, b0, b1, true);
    for (std::size_t i = a0; i < middle; ++i) before.add(a_[i]);
    for (std::size_t i = a1; i > middle; --i) behind.add(a_[i - 1]);
    const auto first = before.lengths(), second = behind.lengths();
    std::size_t best = 0;
    for (std::size_t j = 1; j < first.size(); ++j) {
      if (first[j] + second[b1 - b0 - j] > first[best] + second[b1 - b0 - best]) best = j;
    }
    find(a0, middle, b0, b0 + best, pair);
    find(middle, a1, b0 + best, b1, pair);
  }

 private:
  Sequence a_, b_;
  Places places_;
};

}  // namespace

void for_each_common(Sequence a, Sequence b, const std::function<void(std::size_t i, std::size_t j)>& pair) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const Sequence wa = a.subspan(i, std::min(lcs_window, a.size() - i));
    const Sequence wb = b.subspan(j, std::min(lcs_window, b.size() - j));
    std::size_t behind_a = 0, behind_b = 0;
    Common(wa, wb).find(0, wa.size(), 0, wb.size(), [&](std::size_t x, std::size_t y) {
      pair(i + x, j + y);
      behind_a = x + 1;
      behind_b = y + 1;
    });
    i += std::max(behind_a, lcs_window / 2);
    j += std::max(behind_b, lcs_window / 2);
  }
}

}  // namespace convert
