// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "passes/compat/device.h"
#include "passes/compat/failure.h"

namespace convert::compat {
namespace {

constexpr std::array<std::string_view, 15> launch_names = {
    "cudaLaunchKernel",      "cudaLaunchKernelExC", "cuLaunchKernel",
    "cuLaunchKernelEx",      "cudaMemcpyAsync",     "cudaMemcpy",
    "cudaMemcpyFromSymbol",  "cudaMemcpyToSymbol",  "cudaLaunchCooperativeKernel",
    "hipLaunchKernel",       "hipExtLaunchKernel",  "hipExtModuleLaunchKernel",
    "hipModuleLaunchKernel", "hipMemcpyWithStream", "hipMemcpyAsync",
};
constexpr std::string_view coalesced = "nccl:coalesced";
constexpr int usual_distance = 64;  // operators to look back over before the index is built

bool is_launch(const Profile& profile, const Profile::Call& call) {
  return call.usual_category && std::ranges::find(launch_names, profile.name(call)) != launch_names.end();
}

IdLookup launches(const Profile& profile) {
  IdLookup index(profile.calls.size(), [&](std::size_t i) -> std::optional<std::uint64_t> {
    if (!is_launch(profile, profile.calls[i])) return std::nullopt;
    return static_cast<std::uint64_t>(profile.calls[i].correlation);
  });
  if (const auto twice = index.repeated()) {
    throw reference_fails(
        profile.file, {},
        "has more than one launch with correlation " + std::to_string(static_cast<std::int64_t>(*twice)),
        "ValueError");
  }
  return index;
}

bool contains_nccl(std::string_view name) {
  constexpr std::string_view nccl = "nccl";
  return std::search(name.begin(), name.end(), nccl.begin(), nccl.end(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
         }) != name.end();
}

// Finds the operator that launched something. Candidates belong to the same thread and started before the launch;
// the last one with the same External id is preferred, else the last one.
class Launchers {
 public:
  Launchers(const std::vector<CpuOp>& ops, const Threads& threads, const Profile& profile)
      : ops_(ops), threads_(threads), starts_(ops.size()), passed_(ops.size()) {
    for (std::uint32_t t = 0; t < threads.begin.size(); ++t) {
      std::uint32_t kept = no_index;
      for (std::uint32_t i = threads.begin[t]; i < threads.end[t]; ++i) {
        const CpuOp& op = ops[threads.ops[i]];
        starts_[i] = op.start.value;
        if (profile.name(profile.cpu_ops[op.op]) != coalesced) kept = i;
        passed_[i] = kept;
      }
    }
  }

  // Returns an index into ops, or none. `nccl`: for a communication kernel, for which nccl:coalesced is skipped.
  [[nodiscard]] std::uint32_t find(std::uint32_t thread, double start, std::int64_t external_id, bool nccl) {
    const std::uint32_t begin = threads_.begin[thread];
    const auto first = starts_.begin() + begin;
    const auto found = std::lower_bound(first, starts_.begin() + threads_.end[thread], start);
    if (found == first) return no_index;
    const auto last = static_cast<std::uint32_t>(found - starts_.begin() - 1);
    std::uint32_t at = last;
    std::uint32_t nearest = no_index;
    for (int step = 0; step < usual_distance; ++step) {
      if (nccl) at = passed_[at];
      if (at == no_index) return nearest == no_index ? no_index : threads_.ops[nearest];
      if (nearest == no_index) nearest = at;
      if (ops_[threads_.ops[at]].external_id == external_id) return threads_.ops[at];
      if (at-- == begin) return threads_.ops[nearest];
    }
    const std::uint32_t far = find_far(thread, last, external_id, nccl);
    return threads_.ops[far == no_index ? nearest : far];
  }

 private:
  struct Key {
    std::uint32_t thread;
    std::int64_t external_id;
    std::uint32_t at;  // index into threads_.ops
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.thread, a.external_id, a.at) < std::tie(b.thread, b.external_id, b.at);
    }
  };

  std::uint32_t find_far(std::uint32_t thread, std::uint32_t last, std::int64_t external_id, bool nccl) {
    std::vector<Key>& index = index_[nccl ? 1 : 0];
    if (index.empty()) {
      for (std::uint32_t i = 0; i < threads_.ops.size(); ++i) {
        const CpuOp& op = ops_[threads_.ops[i]];
        if (!nccl || passed_[i] == i) index.push_back({op.thread, op.external_id, i});
      }
      std::sort(index.begin(), index.end());
    }
    const auto at = std::upper_bound(index.begin(), index.end(), Key{thread, external_id, last});
    if (at == index.begin()) return no_index;
    const Key& key = *std::prev(at);
    return key.thread == thread && key.external_id == external_id ? key.at : no_index;
  }

  const std::vector<CpuOp>& ops_;
  const Threads& threads_;
  std::vector<double> starts_;         // parallel to threads_.ops
  std::vector<std::uint32_t> passed_;  // the last position up to here that is not nccl:coalesced
  std::array<std::vector<Key>, 2> index_;
};

std::vector<std::uint32_t> device_ops_by_start(const Profile& profile) {
  std::vector<double> starts;
  starts.reserve(profile.device_ops.size());
  for (const Profile::DeviceOp& op : profile.device_ops)
    starts.push_back(microseconds(op.start_ns, op.whole_start).value);
  std::vector<std::uint32_t> order = order_by_start(starts);
  std::erase_if(order, [&](std::uint32_t i) {
    const Profile::DeviceOp& op = profile.device_ops[i];
    return !op.usual_category || op.kind == DeviceOpKind::memset;
  });
  return order;
}

}  // namespace

std::vector<DeviceTrace::Launched> match_launches(const std::vector<CpuOp>& ops, const Threads& threads,
                                                  const Profile& profile) {
  const IdLookup launch_of = launches(profile);
  Launchers launchers(ops, threads, profile);
  std::vector<DeviceTrace::Launched> launched;
  for (const std::uint32_t i : device_ops_by_start(profile)) {
    const Profile::DeviceOp& op = profile.device_ops[i];
    const std::uint32_t at = launch_of.find(static_cast<std::uint64_t>(op.correlation));
    if (at == no_index) continue;
    const Profile::Call& launch = profile.calls[at];
    const std::string& thread = profile.threads[launch.thread];
    if (thread == "0" || thread.empty()) {
      throw input_error({.file = profile.file}, "event " + std::to_string(launch.order) +
                                                    " is a launch on thread 0, where the reference program adds "
                                                    "operators of its own; omit --compat chakra");
    }
    const std::uint32_t launcher =
        launchers.find(launch.thread, microseconds(launch.start_ns, launch.whole_start).value,
                       op.usual_external_id ? op.external_id : Profile::none, contains_nccl(profile.name(op)));
    if (launcher != no_index) launched.push_back({static_cast<std::uint64_t>(ops[launcher].external_id), i});
  }
  const auto by_external_id = [](const DeviceTrace::Launched& a, const DeviceTrace::Launched& b) {
    return a.external_id < b.external_id;
  };
  if (!std::ranges::is_sorted(launched, by_external_id)) std::ranges::stable_sort(launched, by_external_id);
  return launched;
}

}  // namespace convert::compat
