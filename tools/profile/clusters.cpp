// SPDX-License-Identifier: MIT
#include "profile/clusters.h"

#include <numeric>
#include <sstream>

#include "sets/sink.h"
#include "util/log.h"
#include "util/text_table.h"

namespace tools {
namespace {

constexpr int decimals = 2;

}  // namespace

std::string cluster_tables(const convert::LearnedPool& pool, const std::vector<std::string>& names) {
  const convert::Clustering& c = pool.clustering;
  const auto silhouette_text = [&](double s) {
    return c.medoids.size() == 1 ? std::string("-") : convert::format_fixed(s, decimals);
  };
  convert::TextTable clusters({"cluster", "sets", "silhouette", "<representative"});
  for (std::size_t i = 0; i < c.medoids.size(); ++i) {
    const std::vector<std::size_t> members = c.members(i);
    const double sum = std::accumulate(members.begin(), members.end(), 0.0,
                                       [&](double s, std::size_t set) { return s + pool.silhouettes[set]; });
    clusters.add({std::to_string(i + 1), std::to_string(members.size()),
                  silhouette_text(sum / static_cast<double>(members.size())), names[c.medoids[i]]});
  }
  convert::TextTable sets({"cluster", "silhouette", "<set"});
  for (std::size_t i = 0; i < names.size(); ++i)
    sets.add({std::to_string(c.of[i] + 1), silhouette_text(pool.silhouettes[i]), names[i]});
  std::string out;
  clusters.append_to(out);
  out += '\n';
  sets.append_to(out);
  return out;
}

void tell_clusters(const convert::LearnedPool& pool, const std::vector<std::string>& names, bool as_notes) {
  const std::string text = cluster_tables(pool, names);
  if (!as_notes) return convert::write_bytes(std::nullopt, text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) convert::log_note(line);
  }
}

}  // namespace tools
