// SPDX-License-Identifier: MIT
#include "passes/lower/split_steps.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace convert {
namespace {

struct ChunkPlace {
  Buffer buffer;
  std::int32_t offset;
  bool operator==(const ChunkPlace&) const = default;
};

bool is_fused(const Step& s) { return receives(s.type) && s.type != StepType::recv; }

// Appends the steps that replace a fused step. `spare`: the first of cnt free chunks of scratch.
void append_parts(const Step& s, std::int32_t spare, std::vector<Step>& out) {
  const std::size_t first = out.size();
  const auto add = [&](StepType type, ChunkPlace from, ChunkPlace to) {
    Step part = s;
    part.type = type;
    part.src_buf = from.buffer;
    part.src_off = from.offset;
    part.dst_buf = to.buffer;
    part.dst_off = to.offset;
    part.depid = part.deps = -1;
    part.hasdep = false;
    out.push_back(part);
  };
  const ChunkPlace src{s.src_buf, s.src_off};
  const ChunkPlace dst{s.dst_buf, s.dst_off};
  const ChunkPlace kept{Buffer::scratch, spare};
  ChunkPlace result = dst;
  if (!reduces(s.type)) {
    add(StepType::recv, dst, dst);
  } else if (writes_dst(s.type) && src == dst) {
    add(StepType::recv, kept, kept);
    add(StepType::re, kept, dst);
  } else {
    result = kept;
    add(StepType::recv, kept, kept);
    add(StepType::re, src, kept);
    if (writes_dst(s.type)) add(StepType::cpy, kept, dst);
  }
  if (sends(s.type)) add(StepType::send, result, result);
  out[first].depid = s.depid;
  out[first].deps = s.deps;
  out.back().hasdep = s.hasdep;
}

// Returns the largest number of chunks in a fused reducing step of a threadblock.
std::int32_t most_added(std::span<const Step> steps) {
  std::int32_t most = 0;
  for (const Step& s : steps) most = std::max(most, is_fused(s) && reduces(s.type) ? s.cnt : 0);
  return most;
}

}  // namespace

std::uint32_t split_count(const Step& step) {
  if (!is_fused(step)) return 1;
  std::vector<Step> parts;
  append_parts(step, 0, parts);
  return static_cast<std::uint32_t>(parts.size());
}

Algorithm split_steps(const Algorithm& a) {
  Algorithm out = a;
  out.tbs.clear();
  out.steps.clear();
  for (Gpu& gpu : out.gpus) {
    // by threadblock and step: position of the last step that replaces it
    std::vector<std::vector<std::int32_t>> place;
    const std::size_t first_step = out.steps.size();
    const auto tbs = a.threadblocks(gpu);
    gpu.first_tb = static_cast<std::uint32_t>(out.tbs.size());
    for (Threadblock tb : tbs) {
      const auto steps = a.steps_of(tb);
      std::vector<std::int32_t>& own = place.emplace_back();
      tb.first_step = static_cast<std::uint32_t>(out.steps.size());
      for (const Step& s : steps) {
        if (is_fused(s)) {
          append_parts(s, gpu.s_chunks, out.steps);
        } else {
          out.steps.push_back(s);
        }
        own.push_back(static_cast<std::int32_t>(out.steps.size() - tb.first_step) - 1);
      }
      tb.step_count = static_cast<std::uint32_t>(out.steps.size()) - tb.first_step;
      gpu.s_chunks += most_added(steps);
      out.tbs.push_back(tb);
    }
    for (Step& s : std::span(out.steps).subspan(first_step)) {
      if (s.depid >= 0) s.deps = place[static_cast<std::size_t>(s.depid)][static_cast<std::size_t>(s.deps)];
    }
  }
  return out;
}

}  // namespace convert
