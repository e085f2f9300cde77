// SPDX-License-Identifier: MIT
// Fidelity of a trace set B to a set A, in metrics that are 0 if both agree.
//
//   metric              definition
//   classes             total variation of the frequencies of node classes: class_distance() in node_class.h
//   durations, sizes,   Kolmogorov-Smirnov distance: ks_distance() in distribution.h
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

// Returns b / a - 1; 0 if both are 0, nothing if only a is 0.
[[nodiscard]] std::optional<double> relative_change(double a, double b);

// Metrics of two ranks or of two trace sets.
struct FeatureFidelity {
  // Distance of the durations of the nodes of a type in a lane.
  struct Durations {
    std::string lane;  // "stream 7", "stream 7 = 20" if B has another number, "thread #1"
    NodeType type = NodeType::invalid;
    std::uint64_t a = 0, b = 0;  // nodes with a duration
    double distance = 0;
  };
  // Total time of the nodes of a lane that have a duration.
  struct Work {
    std::string lane;
    Picoseconds a_ps = 0, b_ps = 0;
    [[nodiscard]] std::optional<double> change() const;
  };
  struct Sizes {
    NodeType type = NodeType::invalid;
    std::uint64_t a = 0, b = 0;  // nodes with a size
    double distance = 0;
  };

  std::uint64_t nodes_a = 0, nodes_b = 0;
  ClassDistance classes{};
  std::vector<Durations> durations{};
  std::vector<Work> work{};
  std::vector<Sizes> sizes{};
  double in_degree = 0, out_degree = 0;
  std::optional<double> calls{};  // nothing if a side has too few calls
  // Time of the rank that ends last if each rank is replayed alone as recorded. Nothing if a rank never ends, or if
  // this replay was not requested.
  std::optional<Picoseconds> span_a_ps{}, span_b_ps{};

  [[nodiscard]] std::optional<double> span_change() const;
  [[nodiscard]] double most_of_durations() const;  // the largest of the distances
  [[nodiscard]] double most_of_sizes() const;
  [[nodiscard]] bool same() const;
};

// Compares the features of two sides. Lanes are paired by number; lanes that only one side has are paired within
// their kind by number of nodes. Names are compared with and without iteration numbers; the smaller distance
// counts.
[[nodiscard]] FeatureFidelity compare_features(const Features& a, const Features& b);

// Time of a run, and what it is spent on.
struct RunOutline {
  std::string failure{};               // why the run did not complete, as a sentence; empty if it did
  Picoseconds span_ps = 0;             // if the run is complete
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

// Bytes that one NPU sends to another.
struct SentBytes {
  Rank src = 0;
  Rank dst = 0;
  std::int64_t bytes = 0;
};
struct TrafficFidelity {
  std::string network;
  std::int64_t a_bytes = 0, b_bytes = 0;
  std::optional<double> distance{};  // nothing if a replay did not end or if only B sends bytes
};
// Returns the distance of two lists, each ascending by source, then by destination.
[[nodiscard]] TrafficFidelity compare_traffic(const std::vector<SentBytes>& a, const std::vector<SentBytes>& b);

struct Fidelity {
  struct OfRank {
    Rank rank = 0;
    FeatureFidelity figures{};
  };
  bool of_runs = false;  // compares slices of runs, not nodes
  std::uint64_t ranks_a = 0, ranks_b = 0;
  FeatureFidelity set{};
  std::vector<OfRank> ranks{};             // ranks of both sides if both have the same ranks, else empty
  std::vector<RunFidelity> simulated{};    // by network and bandwidth; a single entry if two runs are compared
  std::vector<TrafficFidelity> traffic{};  // by network
  std::vector<std::string> notes{};

  // Returns whether all metrics agree; names may differ.
  [[nodiscard]] bool same() const;
  // Returns one sentence: that B equals A, or the metrics that differ.
  [[nodiscard]] std::string sentence() const;
  [[nodiscard]] Statistics sections() const;
};

// Compares two runs by their slices. The slices of an NPU with a representative are the slices of the
// representative. Classes of communication omit groups, and dependencies are not compared.
[[nodiscard]] Fidelity compare_run_statistics(const Run& a, const Run& b);

// Returns the sentence, then tables of at most `top` rows (0: all).
[[nodiscard]] std::string fidelity_text(const Fidelity& fidelity, std::size_t top);
// Returns {"same":…,"summary":…,"fidelity":{…}}; ends with a line break.
[[nodiscard]] std::string fidelity_json(const Fidelity& fidelity, std::size_t top);

}  // namespace convert
