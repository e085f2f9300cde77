// SPDX-License-Identifier: MIT
#include "sets/derived/builtin_request.h"

#include <algorithm>
#include <string>

#include "core/collective_type.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {

CollectiveRequest request_of(const MergeRule& rule, CollectiveType type, std::uint32_t members, std::int64_t root) {
  const auto wrong = [&](const std::string& what) {
    return usage_error(rule.where.file.empty() ? "'" + rule.text + "': " + what : what);
  };
  const bool block = type == CollectiveType::reduce_scatter_block;
  const auto collective = parse_collective(name(block ? CollectiveType::reduce_scatter : type));
  if (!collective) throw wrong("there is no builtin algorithm for " + std::string(name(type)));
  CollectiveRequest request{.collective = *collective, .ranks = static_cast<std::int32_t>(members)};
  std::string_view rest = rule.algorithm;
  const auto next = [&](char separator, std::string_view& from) {
    const std::size_t end = std::min(from.find(separator), from.size());
    const std::string_view part = from.substr(0, end);
    from.remove_prefix(std::min(end + 1, from.size()));
    return part;
  };
  request.algorithm = next(',', rest);
  while (!rest.empty()) {
    std::string_view value = next(',', rest);
    const std::string_view key = next('=', value);
    const auto number = [&](std::string_view text) {
      const auto n = parse_int(text);
      if (!n || *n < 0 || *n > INT32_MAX)
        throw wrong("'" + std::string(text) + "' is no number for " + std::string(key));
      return static_cast<std::int32_t>(*n);
    };
    if (key == "chunks") {
      request.chunks = number(value);
    } else if (key == "root") {
      request.root = number(value);
    } else if (key == "dims") {
      while (!value.empty()) request.dims.push_back(number(next('x', value)));
    } else if (key == "dim-algorithms") {
      while (!value.empty()) request.dim_algorithms.emplace_back(next('+', value));
    } else {
      throw wrong("unknown key '" + std::string(key) + "'; known: chunks, dims, dim-algorithms, root");
    }
  }
  // What the collective says counts, unless the rule says something, too: then a misfit is found where they differ.
  if (!request.root && root >= 0) request.root = static_cast<std::int32_t>(root);
  return request;
}

}  // namespace convert
