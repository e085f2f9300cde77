// SPDX-License-Identifier: MIT
// Time of NPUs by kernels of a recording, or by operations of a simulated run.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

// Returns the name with * instead of each number: "forward layer * iteration *".
std::string without_numbers(std::string_view name) {
  std::string out;
  bool in_number = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    // Digits after a letter are part of the name: "qkv2", "fp16".
    const bool begins = digit && (out.empty() || !((out.back() | 0x20) >= 'a' && (out.back() | 0x20) <= 'z'));
    if (digit && (begins || in_number)) {
      if (!in_number) out += '*';
      in_number = true;
      continue;
    }
    in_number = false;
    out += c;
  }
  return out;
}

// Returns "send, recv" for a kernel that carries out messages in both directions.
std::string kinds_text(std::uint32_t lanes) {
  std::string out;
  for (std::size_t i = 0; i < lane_names.size(); ++i) {
    if ((lanes >> i & 1U) != 0) out += (out.empty() ? "" : ", ") + std::string(lane_names[i]);
  }
  return out;
}

struct Operation {
  std::uint64_t count = 0;
  Sum time;
  Picoseconds least = 0, most = 0;
};

}  // namespace

Table operation_table(const Run& run) {
  std::map<std::pair<std::string, std::uint32_t>, Operation> operations;  // by title and set of lanes
  std::map<std::uint32_t, std::string> titles;                            // by name
  Sum all;
  const SlicesByNpu slices(run);
  const CommunicationWaits until(run);
  for (const SlicesByNpu::Npu& npu : slices.npus()) {
    for_each_operation(run, npu, [&](std::span<const std::uint32_t> slices_of) {
      const Slice& s = run.timeline.slices[slices_of.front()];
      if (s.lane == Lane::cpu || s.end_ps < s.begin_ps) return;
      std::uint32_t lanes = 0;
      for (const std::uint32_t i : slices_of) lanes |= 1U << static_cast<unsigned>(run.timeline.slices[i].lane);
      const auto [title, is_new] = titles.try_emplace(s.name);
      if (is_new) {
        const std::string_view name = run.timeline.names[s.name];
        title->second = run.recorded ? std::string(name) : without_numbers(name);
      }
      // A kernel counts for its whole time; a simulated node counts without its waits for other NPUs.
      const bool waits = !run.recorded && communicates(s.lane);
      const Picoseconds time = s.end_ps - (waits ? until.until(s) : s.begin_ps);
      Operation& o = operations[{title->second, lanes}];
      o.least = o.count == 0 ? time : std::min(o.least, time);
      o.most = std::max(o.most, time);
      o.count += static_cast<std::uint64_t>(npu.stands_for);
      o.time.add(Sum(time), static_cast<std::uint64_t>(npu.stands_for));
      all.add(Sum(time), static_cast<std::uint64_t>(npu.stands_for));
    });
  }
  Table t{.key = "operations",
          .title = run.recorded ? "kernels of the device, longest total first (share: of the sum of all times)"
                                : "operations of the NPUs without waiting for others, longest total first "
                                  "(share: of the sum of all times)",
          .columns = {{"operation", run.recorded ? "kernel" : "operation", Unit::text},
                      {"kind", "kind", Unit::text},
                      {"count", "count", Unit::count},
                      {"total", "total", Unit::time},
                      {"mean", "mean", Unit::time},
                      {"time", "share", Unit::share},
                      {"min", "min", Unit::time},
                      {"max", "max", Unit::time}},
          .more = run.recorded ? "kernels" : "operations"};
  for (const auto& [key, o] : operations) {
    t.rows.push_back({key.first.empty() ? std::string("(no name)") : key.first, kinds_text(key.second),
                      value_of(o.count), value_of(o.time), o.time.number() / static_cast<double>(o.count),
                      share_of(o.time, all), o.least, o.most});
  }
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[3] > b[3]; });
  return t;
}

Section operations_section(const Run& run, const RunWishes&) {
  Section s{.name = "operations"};
  s.tables.push_back(operation_table(run));
  s.figures = {{"kinds", run.recorded ? "kernels by name" : "operations by name", Unit::count,
                value_of(s.tables.front().rows.size())}};
  return s;
}

}  // namespace convert
