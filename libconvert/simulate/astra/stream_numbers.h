// SPDX-License-Identifier: MIT
// Checks whether ASTRA-sim would give the streams of a collective of all ranks the same numbers on all ranks. Only
// then do their messages match in ASTRA-sim.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulate/system/plan.h"

namespace convert {

// Numbers streams as an NPU does: it counts the chunks of all its collectives, including group collectives.
class StreamNumbers {
 public:
  StreamNumbers(const SystemModel& model, std::size_t npus) : dims_(model.dims), chunks_(npus) {}

  // Records that NPU `npu` calls `run`.
  void call(Rank npu, std::uint32_t run, const CollectivePlan& plan) {
    const std::uint64_t first = chunks_[npu];
    chunks_[npu] += plan.chunks;
    if (plan.call.group != 0 || plan.call.custom != 0) return;
    const auto [known, is_new] = first_of_.try_emplace({run, others(npu, plan.call.dims)}, first);
    if (!is_new && known->second != first) differ_ = true;
  }
  [[nodiscard]] bool differ() const { return differ_; }

 private:
  using Key = std::pair<std::uint32_t, Rank>;
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return (std::uint64_t{k.first} << 32U | k.second) * 0x9e3779b97f4a7c15U;
    }
  };

  // Returns the NPU's index in the dimensions that do not take part; the NPU shares it with its partners.
  [[nodiscard]] Rank others(Rank npu, std::uint64_t involved) const {
    Rank place = 0;
    Rank stride = 1;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (d >= 64 || (involved >> d & 1U) == 0) place += npu % dims_[d] * stride;
      npu /= dims_[d];
      stride *= dims_[d];
    }
    return place;
  }

  const std::vector<std::uint32_t>& dims_;
  std::vector<std::uint64_t> chunks_;                      // by NPU
  std::unordered_map<Key, std::uint64_t, Hash> first_of_;  // by run and index: number of its first stream
  bool differ_ = false;
};

}  // namespace convert
