// SPDX-License-Identifier: MIT
#include "simulate/system/rounds.h"

#include <bit>

namespace convert {
namespace {

constexpr std::int64_t barrier_bytes = 8;

// Returns the index `distance` ≤ n further on, or back.
std::uint32_t shifted(std::uint32_t place, std::uint64_t distance, std::uint32_t n, bool forwards) {
  const std::uint64_t at = place + (forwards ? distance : n - distance);
  return static_cast<std::uint32_t>(at < n ? at : at - n);
}

// Returns the bytes of the shards, out of 2^`bits`, whose number is `low` modulo 2^`step_bits`. Uses shifts, as
// each message would need several divisions.
std::int64_t strided_bytes(std::int64_t total, int bits, std::uint32_t low, int step_bits) {
  const std::int64_t smaller = total >> bits;
  const std::int64_t larger = total - (smaller << bits);  // shards 0 … larger-1 have one byte more
  const std::int64_t of_them = larger > low ? ((larger - low - 1) >> step_bits) + 1 : 0;
  return (smaller << (bits - step_bits)) + of_them;
}

// Round k of a reduce-scatter sends shard place-1-k; of an all-gather, shard place-k.
Round ring_round(const PhasePlan& p, std::uint32_t place, std::int64_t total, std::uint64_t k, bool forwards) {
  const std::uint32_t n = p.members;
  Round r{.to = shifted(place, 1, n, forwards), .from = shifted(place, 1, n, !forwards)};
  if (p.op == Collective::all_to_all) {
    r.out_bytes = r.in_bytes = part_bytes(total, n, 0);
    return r;
  }
  const bool scatters =
      p.op == Collective::reduce_scatter || (p.op == Collective::all_reduce && k < n - std::uint64_t{1});
  const std::uint64_t behind = scatters ? k + 1 : (p.op == Collective::all_reduce ? k - (n - 1) : k);
  r.out_bytes = part_bytes(total, n, shifted(place, behind, n, !forwards));
  r.in_bytes = part_bytes(total, n, shifted(place, behind + 1, n, !forwards));
  r.reduces = scatters;
  return r;
}

Round direct_round(const PhasePlan& p, std::uint32_t place, std::int64_t total, std::uint64_t k, bool forwards) {
  const std::uint32_t n = p.members;
  const std::uint64_t distance = 1 + k % (n - 1);
  Round r{.to = shifted(place, distance, n, forwards), .from = shifted(place, distance, n, !forwards)};
  const bool gathers =
      p.op == Collective::all_gather || (p.op == Collective::all_reduce && k >= n - std::uint64_t{1});
  r.out_bytes = part_bytes(total, n, gathers ? place : r.to);
  r.in_bytes = part_bytes(total, n, gathers ? r.from : place);
  r.reduces = !gathers && p.op != Collective::all_to_all;
  return r;
}

// Scattering, level j keeps the shards whose numbers agree with the index in bit j and sends the others; gathering
// reverses this.
Round halving_doubling_round(const PhasePlan& p, std::uint32_t place, std::int64_t total, std::uint64_t k) {
  const int bits = std::countr_zero(p.members);
  const auto levels = static_cast<std::uint64_t>(bits);
  const bool scatters = p.op == Collective::reduce_scatter || (p.op == Collective::all_reduce && k < levels);
  const std::uint64_t level = scatters ? k : p.op == Collective::all_reduce ? 2 * levels - 1 - k : levels - 1 - k;
  const std::uint32_t distance = 1U << level;
  const std::uint32_t partner = place ^ distance;
  Round r{.to = partner, .from = partner, .reduces = scatters};
  const int step_bits = static_cast<int>(level) + 1;
  const std::uint32_t below = 2 * distance - 1;  // mask of numbers modulo a step
  r.out_bytes = strided_bytes(total, bits, (scatters ? partner : place) & below, step_bits);
  r.in_bytes = strided_bytes(total, bits, (scatters ? place : partner) & below, step_bits);
  return r;
}

}  // namespace

std::uint64_t rounds(const PhasePlan& phase) {
  if (phase.algorithm != NativeAlgorithm::dissemination) return phase.steps;
  return static_cast<std::uint64_t>(std::bit_width(phase.members - 1));
}

Round round(const PhasePlan& p, std::uint32_t place, std::int64_t total, std::uint64_t number, bool anticlockwise) {
  switch (p.algorithm) {
    case NativeAlgorithm::direct: return direct_round(p, place, total, number, !anticlockwise);
    case NativeAlgorithm::halving_doubling: return halving_doubling_round(p, place, total, number);
    case NativeAlgorithm::dissemination: {
      const std::uint64_t distance = std::uint64_t{1} << number;
      return {.to = shifted(place, distance, p.members, true),
              .from = shifted(place, distance, p.members, false),
              .out_bytes = barrier_bytes,
              .in_bytes = barrier_bytes};
    }
    default: return ring_round(p, place, total, number, !anticlockwise);
  }
}

Round unequal_round(const PhasePlan& p, std::uint32_t place, std::uint64_t number, bool anticlockwise,
                    const std::function<std::int64_t(std::uint32_t)>& part) {
  Round r = round(p, place, 0, number, anticlockwise);
  if (p.algorithm == NativeAlgorithm::ring) {  // sends shard place-number
    r.out_bytes = part(shifted(place, number, p.members, anticlockwise));
    r.in_bytes = part(shifted(place, number + 1, p.members, anticlockwise));
  } else if (p.algorithm == NativeAlgorithm::direct) {
    r.out_bytes = part(place);
    r.in_bytes = part(r.from);
  } else {  // halving doubling: the shards that agree with the index in all bits up to the exchanged bit
    const std::uint32_t step = 2 * (place ^ r.to);
    const auto sum = [&](std::uint32_t first) {
      std::int64_t bytes = 0;
      for (std::uint32_t q = first % step; q < p.members; q += step) bytes += part(q);
      return bytes;
    };
    r.out_bytes = sum(place);
    r.in_bytes = sum(r.from);
  }
  return r;
}

TreePlace place_in_tree(std::uint32_t members, std::uint32_t place, bool low_root) {
  const std::uint32_t root = low_root ? 0 : members - 1;
  const auto at = [&](std::uint32_t number) { return low_root ? number : number - 1; };
  if (place == root) return {.parent = members, .left = at(members / 2), .right = members};
  // In order from 1, a node's height is the number of its trailing zeros.
  const std::uint32_t number = low_root ? place : place + 1;
  const std::uint32_t low_bit = number & (~number + 1);
  const std::uint32_t up = (number & (2 * low_bit)) != 0 ? number - low_bit : number + low_bit;
  const bool is_leaf = low_bit == 1;
  return {.parent = number == members / 2 ? root : at(up),
          .left = is_leaf ? members : at(number - low_bit / 2),
          .right = is_leaf ? members : at(number + low_bit / 2)};
}

std::uint32_t slot_in_tree(const PhasePlan& p, std::uint32_t place, std::uint32_t from, bool low_root) {
  if (p.algorithm == NativeAlgorithm::double_binary_tree) {
    const TreePlace at = place_in_tree(p.members, place, low_root);
    return from == at.left ? 0 : from == at.right ? 1 : 2;
  }
  const std::uint32_t distance = (from + p.members - p.root) % p.members - (place + p.members - p.root) % p.members;
  if (distance >= p.members) return 0;  // from the parent
  return p.algorithm == NativeAlgorithm::star ? distance - 1
                                              : static_cast<std::uint32_t>(std::countr_zero(distance));
}

std::vector<Stage> stages(const PhasePlan& p, std::uint32_t place, bool low_root) {
  const std::uint32_t n = p.members;
  if (p.algorithm == NativeAlgorithm::double_binary_tree) {
    const TreePlace at = place_in_tree(n, place, low_root);
    Stage up{.reduces = true};
    for (const std::uint32_t child : {at.left, at.right}) {
      if (child != n) up.from.push_back(child);
    }
    Stage down{.to = up.from};
    if (at.parent == n) {  // the root sends the result at once
      up.to = down.to;
      return {up};
    }
    up.to = {at.parent};
    down.from = {at.parent};
    return {up, down};
  }
  const std::uint32_t number = (place + n - p.root) % n;  // from the root
  const auto at = [&](std::uint32_t other) { return (other + p.root) % n; };
  Stage s;
  std::vector<std::uint32_t> below;
  if (p.algorithm == NativeAlgorithm::star) {
    for (std::uint32_t other = 1; number == 0 && other < n; ++other) below.push_back(at(other));
  } else {
    // A child differs from its parent in one bit below the parent's lowest; the largest subtree comes first.
    std::uint32_t bit = number == 0 ? std::bit_ceil(n) : number & (~number + 1);
    while ((bit /= 2) != 0) {
      if (number + bit < n) below.push_back(at(number + bit));
    }
  }
  std::vector<std::uint32_t> above;
  if (number != 0) above = {at(p.algorithm == NativeAlgorithm::star ? 0 : number & (number - 1))};
  if (comes_from_root(p.op)) {
    s.from = above;
    s.to = below;
  } else {
    s.from = below;
    s.to = above;
    s.reduces = p.op == Collective::reduce;
  }
  return {s};
}

}  // namespace convert
