// SPDX-License-Identifier: MIT
#include "profile/learn/calls/shuffle.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "core/trace.h"
#include "util/draw.h"

namespace convert {
namespace {

constexpr std::size_t window_calls = 2;
using CallWindow = std::array<std::uint32_t, window_calls>;

// Returns the windows of a sequence, with a mark before its first call and after its last.
std::vector<CallWindow> windows_of(const CallSequence& s) {
  std::vector<std::uint32_t> padded = {no_index};
  padded.insert(padded.end(), s.classes.begin(), s.classes.end());
  padded.push_back(no_index);
  std::vector<CallWindow> out;
  for (std::size_t i = 0; i + window_calls <= padded.size(); ++i) {
    CallWindow& w = out.emplace_back();
    std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(i), window_calls, w.begin());
  }
  return out;
}

class Shuffler {
 public:
  Shuffler(std::span<const CallSequence> sequences, std::uint32_t k) : sequences_(sequences), k_(k) {
    for (const CallSequence& s : sequences_) {
      for (const CallWindow& w : windows_of(s)) ++counts_[w];
    }
  }

  std::vector<std::vector<std::uint32_t>> run(std::uint64_t& moved) {
    for (const CallSequence& s : sequences_) {
      const std::vector<bool> rare = rare_calls(s);
      moved += static_cast<std::uint64_t>(std::ranges::count(rare, true));
      if (!s.circular) join_rare(s);
    }
    permute();
    std::vector<std::vector<std::uint32_t>> out;
    for (const CallSequence& s : sequences_) out.push_back(s.circular ? by_class(s) : by_place(s));
    return out;
  }

 private:
  using Vertex = std::pair<std::pair<std::size_t, std::uint32_t>, std::uint32_t>;  // job, part; position

  [[nodiscard]] std::vector<bool> rare_calls(const CallSequence& s) const {
    std::vector<bool> rare(s.classes.size(), false);
    const std::vector<CallWindow> windows = windows_of(s);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      if (counts_.at(windows[w]) >= k_) continue;
      for (std::size_t i = std::max<std::size_t>(w, 1); i < w + window_calls && i <= rare.size(); ++i)
        rare[i - 1] = true;
    }
    return rare;
  }

  Vertex& parent(const Vertex& v) { return parents_.try_emplace(v, v).first->second; }
  Vertex root(Vertex v) {
    while (parent(v) != v) v = parent(v) = parent(parent(v));
    return v;
  }

  // The calls of a run of rare calls are permuted together; runs that share a call are permuted as one.
  void join_rare(const CallSequence& s) {
    const std::vector<bool> rare = rare_calls(s);
    for (std::size_t i = 0; i < rare.size(); ++i) {
      if (!rare[i]) continue;
      const Vertex v{{s.job, s.part}, s.places[i]};
      (void)parent(v);
      if (i > 0 && rare[i - 1]) parent(root(v)) = root({v.first, s.places[i - 1]});
    }
  }

  void permute() {
    std::map<Vertex, std::vector<std::uint32_t>> sets;
    for (const auto& [v, ignored] : parents_) sets[root(v)].push_back(v.second);
    for (const auto& [first, places] : sets) {
      std::vector<std::uint32_t> to = places;
      Draw draw(1, first.first.first, first.first.second, first.second);
      for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[draw.below(i)]);
      for (std::size_t i = 0; i < to.size(); ++i) moved_[{first.first, places[i]}] = to[i];
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> by_place(const CallSequence& s) const {
    std::vector<std::uint32_t> order(s.classes.size()), place(s.places);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint32_t& p : place) {
      const auto at = moved_.find({{s.job, s.part}, p});
      if (at != moved_.end()) p = at->second;
    }
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return place[i]; });
    return order;
  }

  [[nodiscard]] std::vector<std::uint32_t> by_class(const CallSequence& s) const {
    std::vector<std::uint32_t> order(s.classes.size());
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<bool> rare = rare_calls(s);
    for (std::size_t i = 0; i < rare.size();) {
      std::size_t end = i;
      while (end < rare.size() && rare[end]) ++end;
      std::ranges::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(i),
                               order.begin() + static_cast<std::ptrdiff_t>(end), {},
                               [&](std::uint32_t c) { return s.classes[c]; });
      i = end + 1;
    }
    return order;
  }

  std::span<const CallSequence> sequences_;
  std::uint32_t k_;
  std::map<CallWindow, std::uint64_t> counts_;
  std::map<Vertex, Vertex> parents_;
  std::map<Vertex, std::uint32_t> moved_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> shuffle_rare(std::span<const CallSequence> sequences, std::uint32_t k,
                                                     std::uint64_t& moved) {
  return Shuffler(sequences, k).run(moved);
}

}  // namespace convert
