// SPDX-License-Identifier: MIT
#include "analyze/fidelity/node_class.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/iteration_name.h"

namespace convert {
namespace {

// Frequencies of classes whose names are unknown to the other side, by type and device.
struct Unknown {
  std::vector<double> a, b;
};
using UnknownByPlace = std::map<std::pair<NodeType, bool>, Unknown>;

double nodes_of(const ClassCounts& counts) {
  double sum = 0;
  for (const auto& [key, times] : counts) sum += static_cast<double>(times);
  return std::max(sum, 1.0);
}

// Returns the sum of the differences if classes are paired by frequency.
double renamed_difference(Unknown& u) {
  std::ranges::sort(u.a, std::greater<>());
  std::ranges::sort(u.b, std::greater<>());
  double sum = 0;
  for (std::size_t i = 0; i < std::max(u.a.size(), u.b.size()); ++i)
    sum += std::abs((i < u.a.size() ? u.a[i] : 0) - (i < u.b.size() ? u.b[i] : 0));
  return sum;
}

}  // namespace

std::uint64_t number_of_name(std::string_view name, IterationNumbers numbers) {
  const auto number = numbers == IterationNumbers::with ? std::nullopt : iteration_in_name(name);
  std::uint64_t hash = std::hash<std::string_view>()(name);
  if (number) {
    std::string without(name);
    without.replace(number->at, number->digits, "#");
    hash = std::hash<std::string>()(without);
  }
  return hash == 0 ? 1 : hash;
}

ClassDistance class_distance(const ClassCounts& a, const ClassCounts& b) {
  const double nodes_a = nodes_of(a), nodes_b = nodes_of(b);
  UnknownByPlace unknown;
  ClassDistance out;
  double sum = 0;
  for (const auto& [key, times] : a) {
    const double frequency = static_cast<double>(times) / nodes_a;
    if (const auto other = b.find(key); other != b.end()) {
      sum += std::abs(frequency - static_cast<double>(other->second) / nodes_b);
    } else if (key.communicates()) {
      sum += frequency;
    } else {
      unknown[{key.type, key.on_cpu}].a.push_back(frequency);
      ++out.unknown_a;
    }
  }
  for (const auto& [key, times] : b) {
    if (a.contains(key)) continue;
    const double frequency = static_cast<double>(times) / nodes_b;
    if (key.communicates()) {
      sum += frequency;
    } else {
      unknown[{key.type, key.on_cpu}].b.push_back(frequency);
      ++out.unknown_b;
    }
  }
  for (auto& [place, u] : unknown) {
    sum += renamed_difference(u);
    out.renamed += std::min(u.a.size(), u.b.size());
  }
  out.total_variation = sum / 2;
  return out;
}

}  // namespace convert
