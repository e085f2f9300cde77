// SPDX-License-Identifier: MIT
// Holds how faithful a set of traces B is to a set A, in figures that are 0 where both agree.
//
//   figure              what it is
//   classes             total variation of the frequencies of classes of nodes: class_distance() in node_class.h
//   durations, sizes,   distance of Kolmogorov and Smirnov: ks_distance() in distribution.h
//   degrees
//   work, spans,        relative change, B / A - 1
//   exposed time
//   calls               largest difference of the autocorrelation at lags 1 to 16: autocorrelation.h
//   traffic             sum over pairs of NPUs of |bytes of A - bytes of B|, relative to the bytes of A
//   path                shares of computing, communication and waiting: analyze/diff/path_parts.h
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/diff/path_parts.h"
#include "analyze/fidelity/rank_features.h"
#include "analyze/figures/figures.h"

namespace convert {

// Returns b / a - 1; 0 if both are 0, nothing if only a is.
[[nodiscard]] std::optional<double> relative_change(double a, double b);

// Of two ranks, or of two sets.
struct FeatureFidelity {
  // Nodes of a type in a lane, and how far the distributions of their durations are apart.
  struct Durations {
    std::string lane;  // "stream 7", "stream 7 = 20" if B calls it otherwise, "thread #1"
    NodeType type = NodeType::invalid;
    std::uint64_t a = 0, b = 0;  // nodes that tell how long they took
    double distance = 0;
  };
  // What nodes in a lane take together, where they tell.
  struct Work {
    std::string lane;
    Picoseconds a_ps = 0, b_ps = 0;
    [[nodiscard]] std::optional<double> change() const;
  };
  struct Sizes {
    NodeType type = NodeType::invalid;
    std::uint64_t a = 0, b = 0;  // nodes that tell one
    double distance = 0;
  };

  std::uint64_t nodes_a = 0, nodes_b = 0;
  ClassDistance classes{};
  std::vector<Durations> durations{};
  std::vector<Work> work{};
  std::vector<Sizes> sizes{};
  double in_degree = 0, out_degree = 0;
  std::optional<double> calls{};  // nothing: one has too few of them to tell
  // Replayed as recorded, each rank by itself: how long the one takes that ends last; nothing: one never ends, or
  // that was not asked for.
  std::optional<Picoseconds> span_a_ps{}, span_b_ps{};

  [[nodiscard]] std::optional<double> span_change() const;
  [[nodiscard]] double most_of_durations() const;  // the largest of the distances
  [[nodiscard]] double most_of_sizes() const;
  [[nodiscard]] bool same() const;
};

// Compares what was counted. Lanes are the same by their number, and those that only one side has, of one kind, by
// the order of how many nodes they have. Of names with and without numbers of iterations those that are closer
// count.
[[nodiscard]] FeatureFidelity compare_features(const Features& a, const Features& b);

// How long a run takes, and what for.
struct RunOutline {
  std::string failure{};               // why it did not run to its end, as a sentence; empty: it did
  Picoseconds span_ps = 0;             // where it did
  double exposed_ps = 0;               // communication that is not hidden by computing, mean of the NPUs
  std::optional<double> waiting_ps{};  // all nodes under way wait for other NPUs: see Part::waiting
  std::optional<PathShares> path{};
  [[nodiscard]] bool complete() const { return failure.empty(); }
};
// Two runs on one network.
struct RunFidelity {
  std::string network;
  RunOutline a{}, b{};
  [[nodiscard]] std::optional<double> span_change() const;
  [[nodiscard]] std::optional<double> exposed_change() const;
  [[nodiscard]] std::optional<double> waiting_change() const;
  [[nodiscard]] bool same() const;
};

// Bytes that one NPU sends another.
struct SentBytes {
  Rank src = 0;
  Rank dst = 0;
  std::int64_t bytes = 0;
};
struct TrafficFidelity {
  std::string network;
  std::int64_t a_bytes = 0, b_bytes = 0;
  std::optional<double> distance{};  // nothing: a replay did not end, or only B sends anything
};
// Returns the distance of two lists that are ascending by source, then by destination.
[[nodiscard]] TrafficFidelity compare_traffic(const std::vector<SentBytes>& a, const std::vector<SentBytes>& b);

struct Fidelity {
  struct OfRank {
    Rank rank = 0;
    FeatureFidelity figures{};
  };
  bool of_runs = false;  // of slices that ran, not of nodes
  std::uint64_t ranks_a = 0, ranks_b = 0;
  FeatureFidelity set{};
  std::vector<OfRank> ranks{};             // of ranks that both have, if they have the same ones; else none
  std::vector<RunFidelity> simulated{};    // by network and bandwidth; of two runs themselves one
  std::vector<TrafficFidelity> traffic{};  // by network
  std::vector<std::string> notes{};

  // Returns whether all figures agree; names may differ.
  [[nodiscard]] bool same() const;
  // Returns one sentence: the same, or the figures that differ.
  [[nodiscard]] std::string sentence() const;
  [[nodiscard]] Statistics sections() const;
};

// Compares two runs by their slices; those of NPUs for which another stands count as that one's. Classes of
// communication are without groups, and dependencies are not compared.
[[nodiscard]] Fidelity compare_run_statistics(const Run& a, const Run& b);

// Returns the sentence, then tables of at most `top` rows (0: all).
[[nodiscard]] std::string fidelity_text(const Fidelity& fidelity, std::size_t top);
// Returns {"same":…,"summary":…,"fidelity":{…}}; ends with a line break.
[[nodiscard]] std::string fidelity_json(const Fidelity& fidelity, std::size_t top);

}  // namespace convert
