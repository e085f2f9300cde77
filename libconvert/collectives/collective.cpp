// SPDX-License-Identifier: MIT
#include "collectives/collective.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "collectives/families.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

#define UNPACK(...) \
  { __VA_ARGS__ }

const std::vector<CollectiveAlgorithm>& table() {
  using namespace collectives;
  using enum Collective;
  static const std::vector<CollectiveAlgorithm> all = {
#define ALGORITHM(id, builder, offered, ranks, summary, source, dims) \
  {#id, UNPACK offered, ranks, summary, source, dims, builder},
#include "collectives/collectives.def"
#undef ALGORITHM
  };
  return all;
}

constexpr std::int32_t max_ranks = 1 << 16;
constexpr std::int32_t max_size_of_dim = 1 << 24;
constexpr std::size_t max_dims = 64;

// Returns the algorithm with the given name in any spelling; null if the name is unknown.
const CollectiveAlgorithm* named(std::string_view name) {
  const auto at = std::ranges::find_if(table(), [&](const auto& a) { return same_name(a.name, name); });
  return at == table().end() ? nullptr : &*at;
}

// Returns the algorithm for a request. Throws Error(usage) if the collective has no such algorithm.
const CollectiveAlgorithm& find(const CollectiveRequest& r) {
  const CollectiveAlgorithm* const known = named(r.algorithm);
  if (known != nullptr && known->offers(r.collective)) return *known;
  std::vector<std::string> offered;
  for (const CollectiveAlgorithm& a : table()) {
    if (a.offers(r.collective)) offered.emplace_back(a.name);
  }
  const std::string collective(name(r.collective));
  if (offered.empty()) throw usage_error("there is no algorithm for the collective " + collective);
  throw usage_error((known != nullptr
                         ? "algorithm " + std::string(known->name) + " does not support " + collective
                         : "unknown algorithm '" + r.algorithm + "'" + did_you_mean(r.algorithm, offered)) +
                    "; the algorithms for " + collective + " are " + join(offered));
}

void check_numbers(const CollectiveRequest& r) {
  if (r.ranks < 2) throw usage_error("a collective requires at least 2 ranks, not " + std::to_string(r.ranks));
  if (r.ranks > max_ranks)
    throw usage_error(counted(r.ranks, "rank") + " are too many for a program; the limit is " +
                      std::to_string(max_ranks));
  if (r.chunks < 1) throw usage_error("chunks must be at least 1, not " + std::to_string(r.chunks));
  const bool rooted = r.collective == Collective::broadcast || r.collective == Collective::reduce;
  if (r.root && !rooted) throw usage_error(std::string(name(r.collective)) + " has no root");
  if (r.root && (*r.root < 0 || *r.root >= r.ranks))
    throw usage_error("root " + std::to_string(*r.root) + " is not one of the " + counted(r.ranks, "rank"));
}

void check(const CollectiveRequest& r, const CollectiveAlgorithm& a) {
  check_numbers(r);
  if (!a.takes_dims && (!r.dims.empty() || !r.dim_algorithms.empty()))
    throw usage_error("algorithm " + std::string(a.name) + " takes no dimensions; use hierarchical");
}

// Parses "NAME,chunks=4,dims=2x4"; the collective and its ranks stay unset.
CollectiveRequest parse_builtin(std::string_view text) {
  const std::vector<std::string> pieces = split(text, ',');
  CollectiveRequest request{.algorithm = pieces[0]};
  std::set<std::string> given;
  for (const std::string& piece : std::span(pieces).subspan(1)) {
    const std::string key = piece.substr(0, piece.find('='));
    const std::string value = piece.substr(std::min(key.size() + 1, piece.size()));
    const auto number = [&] {
      const auto n = parse_int(value);
      if (!n || *n < 0 || *n > INT32_MAX) throw usage_error("'" + value + "' is not a valid number for " + key);
      return static_cast<std::int32_t>(*n);
    };
    if (!given.insert(key).second) throw usage_error("key '" + key + "' is given twice");
    if (key == "chunks") {
      request.chunks = number();
    } else if (key == "root") {
      request.root = number();
    } else if (key == "dims") {
      request.dims = parse_dims(value);
    } else if (key == "dim-algorithms") {
      request.dim_algorithms = split(value, '+');
      for (std::string& name : request.dim_algorithms) name = collectives::find_scheme(name).name;
    } else {
      throw usage_error("unknown key '" + key + "'; the keys are chunks, dims, dim-algorithms, root");
    }
  }
  return request;
}

}  // namespace

bool CollectiveAlgorithm::offers(Collective collective) const {
  return std::find(collectives.begin(), collectives.end(), collective) != collectives.end();
}

std::span<const CollectiveAlgorithm> collective_algorithms() { return table(); }

std::span<const Collective> offered_collectives() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> offered;
    for (const CollectiveAlgorithm& a : table()) {
      std::ranges::copy_if(a.collectives, std::back_inserter(offered),
                           [&](Collective c) { return std::ranges::find(offered, c) == offered.end(); });
    }
    return offered;
  }();
  return all;
}

std::string_view default_collective_algorithm(Collective collective) {
  if (collective == Collective::all_to_all) return "direct";
  return collective == Collective::broadcast || collective == Collective::reduce ? "binomial_tree" : "ring";
}

Algorithm build_collective(const CollectiveRequest& request) {
  CollectiveRequest r = request;
  if (r.algorithm.empty()) r.algorithm = default_collective_algorithm(r.collective);
  const CollectiveAlgorithm& a = find(r);
  r.algorithm = a.name;  // canonical spelling
  check(r, a);
  return a.build(r);
}

Algorithm build_on_rings(const CollectiveRequest& request, std::span<const std::vector<std::int32_t>> rings) {
  using namespace collectives;
  using enum Collective;
  check_numbers(request);
  if (rings.size() > max_channels)
    throw usage_error("the rings use " + counted(rings.size(), "channel") + "; the limit is " +
                      std::to_string(max_channels));
  switch (request.collective) {
    case all_reduce:
    case all_gather:
    case reduce_scatter: return build_rings(request, rings);
    case broadcast:
    case reduce: return build_along_rings(request, rings);
    default:
      throw usage_error("rings are for all_reduce, all_gather, reduce_scatter, broadcast, reduce, not for " +
                        std::string(name(request.collective)));
  }
}

std::vector<std::int32_t> parse_dims(std::string_view text) {
  const std::vector<std::string> pieces = split(text, 'x');
  if (pieces.size() > max_dims)
    throw usage_error("dims have " + counted(pieces.size(), "size") + "; the limit is " + std::to_string(max_dims));
  std::vector<std::int32_t> dims;
  for (const std::string& piece : pieces) {
    const auto size = parse_int(piece);
    if (!size || *size < 1 || *size > max_size_of_dim)
      throw usage_error("dims '" + std::string(text) + "': expected sizes such as 2x4x8");
    dims.push_back(static_cast<std::int32_t>(*size));
  }
  return dims;
}

bool names_library_algorithm(std::string_view text) { return named(text.substr(0, text.find(','))) != nullptr; }

std::string usual_builtin(std::string_view text, std::optional<Collective> collective) {
  CollectiveRequest request = parse_builtin(text);
  if (request.algorithm.empty()) return std::string(text);
  const CollectiveAlgorithm* const known = named(request.algorithm);
  request.collective = without_block(collective.value_or(Collective::all_reduce));
  if (collective || known == nullptr) (void)find(request);
  std::string usual(known->name);
  const std::vector<std::string> pieces = split(text, ',');
  for (const std::string& piece : std::span(pieces).subspan(1))
    usual += ',' + (piece.starts_with("dim-") ? "dim-algorithms=" + join(request.dim_algorithms, "+") : piece);
  return usual;
}

CollectiveRequest request_of(std::string_view text, Collective collective, std::uint32_t ranks,
                             std::optional<std::uint32_t> root) {
  CollectiveRequest request = parse_builtin(text);
  request.collective = without_block(collective);
  request.ranks = static_cast<std::int32_t>(ranks);
  // The root of the collective applies unless the text gives one.
  if (!request.root && root) request.root = static_cast<std::int32_t>(*root);
  return request;
}

}  // namespace convert
