// SPDX-License-Identifier: MIT
#include "core/algorithm/algorithm.h"

#include <algorithm>

#include "core/algorithm/runtime_limits.h"

namespace convert {
namespace {

constexpr std::array<std::string_view, 3> protocol_names = {"Simple", "LL", "LL128"};

template <typename Enum, std::size_t N>
std::optional<Enum> lookup(const std::array<std::string_view, N>& names, std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::optional<StepType> parse_step_type(std::string_view text) { return lookup<StepType>(step_type_names, text); }

std::string_view msccl_name(Collective c) {
  switch (c) {
    case Collective::all_reduce: return "allreduce";
    case Collective::all_gather: return "allgather";
    case Collective::all_to_all: return "alltoall";
    case Collective::all_to_allv: return "alltoallv";
    default: return name(c);
  }
}

std::optional<Protocol> parse_protocol(std::string_view text) { return lookup<Protocol>(protocol_names, text); }

std::string_view name(Protocol p) { return protocol_names[static_cast<std::size_t>(p)]; }

bool is_standard_attribute(std::string_view name) {
  static constexpr std::array<std::string_view, 10> known = {"name",     "proto",   "nchannels", "nchunksperloop",
                                                             "ngpus",    "coll",    "inplace",   "outofplace",
                                                             "minBytes", "maxBytes"};
  return std::ranges::find(known, name) != known.end();
}

std::int64_t written_max_bytes(const Algorithm& a) {
  return a.max_bytes.value_or(a.min_bytes.value_or(0) > undeclared_max_bytes ? 0 : undeclared_max_bytes);
}

std::vector<std::uint32_t> published_steps(const Algorithm& a) {
  std::vector<std::uint32_t> published(a.steps.size(), no_index);
  for (const Threadblock& tb : a.tbs) {
    std::uint32_t next = no_index;
    for (std::uint32_t i = tb.first_step + tb.step_count; i-- > tb.first_step;) {
      if (a.steps[i].hasdep && a.steps[i].type != StepType::nop) next = i;
      published[i] = next;
    }
  }
  return published;
}

std::size_t xml_elements(const Algorithm& a, const Gpu& gpu) {
  std::size_t count = 1 + a.gpus.size();
  for (const Threadblock& tb : a.threadblocks(gpu)) count += 1 + std::size_t{tb.step_count};
  return count;
}

bool is_complete(const Algorithm& a) {
  return std::ranges::all_of(a.gpus, [](const Gpu& g) { return g.complete; });
}

std::int32_t input_chunks(Collective c, std::int32_t chunks, std::int32_t ranks) {
  return c == Collective::all_gather ? chunks / ranks : chunks;
}

std::int32_t output_chunks(Collective c, std::int32_t chunks, std::int32_t ranks) {
  return c == Collective::reduce_scatter ? chunks / ranks : chunks;
}

}  // namespace convert
