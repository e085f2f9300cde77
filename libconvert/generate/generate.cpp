// SPDX-License-Identifier: MIT
#include "generate/generate.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/collective.h"
#include "core/units.h"
#include "core/words.h"
#include "core/world_size.h"
#include "generate/kinds.h"

namespace convert {
namespace {

using namespace generate;
using Maker = void (*)(const GenerateRequest&, TraceBuilder&);

constexpr std::int64_t max_nodes = 10'000'000;  // of a rank, which is in memory: about 2 GB
constexpr std::uint64_t max_ns = std::uint64_t{1} << 53;

constexpr auto kinds = [] {
  using enum GenerateOption;
  return std::to_array<TraceKind>({
#define KIND(name, reference, maker, options, summary) {name, reference, options, summary},
#include "generate/kinds.def"
#undef KIND
  });
}();

constexpr Maker makers[] = {
#define KIND(name, reference, maker, options, summary) maker,
#include "generate/kinds.def"
#undef KIND
};

// Returns the number of nodes of a case of Chakra's generator.
std::uint64_t reference_nodes(const TraceKind& kind) { return kind.reference_case.starts_with("two_") ? 2 : 1; }

NodeId reference_first_id(const TraceKind& kind, Rank rank, Rank ranks) {
  NodeId id = rank * reference_nodes(kind);
  for (const TraceKind* k = kinds.data(); k != &kind; ++k) id += ranks * reference_nodes(*k);
  return id;
}

void check_options(const GenerateRequest& r, const TraceKind& kind) {
  using enum GenerateOption;
  const auto check = [&](bool given, GenerateOption option, const char* what) {
    if (given && !kind.takes(option)) throw usage_error("kind " + std::string(kind.name) + " has no " + what);
  };
  check(r.compute_ns.has_value(), compute, "compute time");
  check(r.backward_ns.has_value(), backward, "time of the backward pass");
  check(r.size.has_value(), size, "size");
  check(!r.comm.empty(), comm, "choice of collectives");
  check(r.layers.has_value(), layers, "number of layers");
  check(r.iterations.has_value(), iterations, "number of iterations");
  check(r.count.has_value(), count, "count");
  check(r.chained.has_value(), chained, "order");
  check(r.seed.has_value() && !r.noise, seed, "seed");
  check(r.noise.has_value(), compute, "compute time, so noise does not apply");
  check(r.noise && r.noise->layer > 0, layers, "layers, so noise of layers does not apply");
}

void check_range(std::string_view what, std::optional<std::int64_t> value, std::int64_t low, std::int64_t high) {
  if (!value || (*value >= low && *value <= high)) return;
  throw usage_error(std::string(what) + " " + std::to_string(*value) + ": expected " + std::to_string(low) +
                    " to " + std::to_string(high));
}

void check_values(const GenerateRequest& r, const TraceKind& kind) {
  if (r.ranks < 1) throw usage_error("a set requires at least one rank");
  const bool messages = kind.name == "node:comm_send" || kind.name == "node:comm_recv" || kind.name == "send_ring";
  if (messages && r.ranks < 2 && !r.like_reference)
    throw usage_error("kind " + std::string(kind.name) +
                      " requires at least two ranks: messages go to another rank");
  check_range("count", r.count, 1, max_nodes / 2);
  check_range("layers", r.layers, 1, max_nodes);
  check_range("iterations", r.iterations, 1, max_nodes);
  check_range("size", r.size, 1, std::int64_t{1} << 62);
  for (const auto& ns : {r.compute_ns, r.backward_ns}) {
    if (ns && *ns > max_ns) throw usage_error("a compute time of more than 104 days");
  }
  if (kind.name == "node:comm_coll" && r.comm.size() > 1)
    throw usage_error("kind node:comm_coll has one collective; use kind collectives for several");
  const auto per_unit = static_cast<std::int64_t>(std::max<std::size_t>(r.comm.size(), 1));
  const std::int64_t layer_nodes = r.layers.value_or(8) * (2 + per_unit);
  if (layer_nodes > max_nodes / r.iterations.value_or(1) || r.count.value_or(1) > max_nodes / per_unit)
    throw usage_error("a rank would have more than " + std::to_string(max_nodes) + " nodes");
}

}  // namespace

std::span<const TraceKind> trace_kinds() { return kinds; }

const TraceKind* find_trace_kind(std::string_view name) {
  for (const TraceKind& k : kinds) {
    if (same_name(k.name, name) || (!k.reference_case.empty() && k.reference_case == name)) return &k;
  }
  return nullptr;
}

GeneratedCollective parse_generated_collective(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view type_text = text.substr(0, colon);
  const auto type = parse_collective(type_text, in_traces);
  if (!type) {
    throw usage_error(
        "unknown collective '" + std::string(type_text) + "'" +
        did_you_mean(type_text, names_of(in_traces), "; expected TYPE:SIZE, such as all_reduce:64MiB"));
  }
  if (*type == Collective::barrier) {
    if (colon != std::string_view::npos) throw usage_error("'" + std::string(text) + "': a barrier has no size");
    return {*type, 0};
  }
  const auto bytes = colon == std::string_view::npos ? std::nullopt : parse_bytes(text.substr(colon + 1));
  if (!bytes || *bytes < 1)
    throw usage_error("'" + std::string(text) + "': expected TYPE:SIZE, such as all_reduce:64MiB");
  return {*type, *bytes};
}

MakeTrace trace_generator(const GenerateRequest& request) {
  const TraceKind* kind = find_trace_kind(request.kind);
  if (kind == nullptr) {
    std::vector<std::string> names;
    for (const TraceKind& k : kinds) names.emplace_back(k.name);
    throw usage_error("unknown kind '" + request.kind + "'" + did_you_mean(request.kind, names));
  }
  if (request.like_reference && kind->reference_case.empty())
    throw usage_error("kind " + std::string(kind->name) + " is not a case of Chakra's generator");
  if (request.like_reference && request.noise) throw usage_error("Chakra's generator has no noise");
  check_options(request, *kind);
  check_values(request, *kind);
  const Maker maker = makers[kind - kinds.data()];
  return [request, kind, maker](Rank rank) {
    TraceBuilder builder(rank, request.like_reference ? reference_first_id(*kind, rank, request.ranks) : 0);
    if (request.like_reference) {
      builder.trace().metadata.version = "1.0.0";
    } else {
      set_world_size(builder.trace().metadata, request.ranks);
    }
    if (request.noise) builder.set_noise(*request.noise);
    maker(request, builder);
    return builder.finish();
  };
}

}  // namespace convert
