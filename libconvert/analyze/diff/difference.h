// SPDX-License-Identifier: MIT
// Differences between two trace sets or two runs, as data, sentence and tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/diff/times.h"
#include "analyze/figures/figures.h"
#include "core/run.h"
#include "core/trace.h"

namespace convert {

struct DiffWishes {
  bool structure = false;                       // ignore times
  bool times = false;                           // compare times only
  double tolerance_part = 0;                    // times are equal up to this share of the time in A
  Picoseconds tolerance_ps = 0;                 // or up to this difference
  std::set<std::string, std::less<>> ignore{};  // attributes, and values of Difference::Change::what
  std::map<Rank, Rank> ranks{};                 // rank of A to rank of B; empty: equal numbers
  // Name in B of each process group of A if rank numbers differ; see groups_in_b().
  std::map<std::string, std::string, std::less<>> groups{};

  [[nodiscard]] bool ignores(std::string_view attribute) const { return ignore.find(attribute) != ignore.end(); }
  [[nodiscard]] Rank in_b(Rank a) const;
  [[nodiscard]] std::string_view group_in_b(std::string_view a) const;
  [[nodiscard]] bool tolerates() const { return tolerance_part > 0 || tolerance_ps > 0; }
  [[nodiscard]] bool same_time(Picoseconds a, Picoseconds b) const;
};

// Maps the ranks of A to ranks of B.
class Partners {
 public:
  explicit Partners(const DiffWishes& wishes) : wishes_(wishes) {}
  // Returns the rank in B of a rank of A. Throws Error(usage) if an earlier rank maps to the same rank.
  [[nodiscard]] Rank in_b(Rank a);

 private:
  const DiffWishes& wishes_;
  std::unordered_map<Rank, Rank> taken_;  // rank of B to rank of A
};

struct Difference {
  struct NodeRef {
    Rank rank = 0;
    NodeId node = 0;
    std::string name;
    std::string type;
  };
  // One property that differs in a pair of matched nodes.
  struct Change {
    NodeRef node;  // in A
    NodeId in_b = 0;
    std::string what;  // an attribute, or "name", "duration", "start", "inputs", "outputs"
    std::string old_value, new_value;
  };
  // A dependency between matched nodes; the ids are ids of the side that has the dependency.
  struct Edge {
    Rank rank = 0;
    NodeId node = 0;
    NodeId on = 0;
    std::string kind;
  };
  // A process group whose members differ. Members are in rank numbers of B, or "(none)".
  struct Group {
    std::int64_t id = 0;
    std::string a, b;
  };
  // Counts all items and keeps the first `most`.
  template <class T>
  struct List {
    static constexpr std::size_t most = 100'000;
    std::uint64_t count = 0;
    std::vector<T> kept{};
    void add(T&& item) {
      if (++count <= most) kept.push_back(std::move(item));
    }
    // Calls `make` only if the item is kept.
    template <class Make>
    void add_made(const Make& make) {
      if (++count <= most) kept.push_back(make());
    }
    void append(List&& other) {
      count += other.count;
      for (T& item : other.kept) {
        if (kept.size() < most) kept.push_back(std::move(item));
      }
    }
  };

  bool structure = false;  // times were not compared
  bool times = false;      // nothing else was compared
  bool tolerant = false;   // times could differ a little
  std::uint64_t ranks = 0, nodes_a = 0, nodes_b = 0, matched = 0;
  std::uint64_t other_ids = 0;  // matched nodes whose ids differ; not counted as a difference
  List<NodeRef> only_a, only_b;
  List<Change> changes;
  std::uint64_t changed_nodes = 0;
  std::map<std::string, std::uint64_t> changes_by_what{};
  List<Edge> edges_only_a, edges_only_b;
  List<Group> groups;
  std::uint64_t groups_only_a = 0, groups_only_b = 0;  // included in `groups`
  std::vector<Rank> ranks_only_a{}, ranks_only_b{};
  std::vector<std::string> notes{};  // what was not compared

  NameTimes names{};
  // Set if runs are compared.
  std::optional<Picoseconds> total_a{}, total_b{};
  bool totals_differ = false;
  // A total of a run that is not complete ends where the run stopped.
  RunStatus status_a = RunStatus::complete, status_b = RunStatus::complete;
  bool paths = false;  // both have a critical path
  // Time by name of a path part: "computing", "all_reduce", "waiting for NPU 5", each with the names of its nodes.
  // Covers the critical paths if both runs have one, else the time of the mean NPU. Adds up to the runs.
  struct PathTimes {
    Sum a_ps, b_ps;
    [[nodiscard]] Picoseconds change() const { return b_ps.get() - a_ps.get(); }
    void add(Side side, Picoseconds time) { (side == Side::a ? a_ps : b_ps).add(time); }
  };
  struct OnPath : PathTimes {
    std::map<std::string, PathTimes, std::less<>> names{};
  };
  std::map<std::string, OnPath> path_parts{};

  [[nodiscard]] bool same() const;
  // Returns one sentence with the largest differences. For runs: which run is faster, and by which path parts. The
  // listed parts and the rest add up to the difference.
  [[nodiscard]] std::string sentence() const;
  // Returns all differences as tables, without the sentence.
  [[nodiscard]] Statistics sections() const;
  // Adds the differences of another rank.
  void append(Difference&& other);
};

// Returns the sentence, then tables of at most `top` rows (0: all) unless both are the same.
[[nodiscard]] std::string difference_text(const Difference& difference, std::size_t top);
// Returns {"same":…,"summary":…,"difference":{…}}; ends with a line break.
[[nodiscard]] std::string difference_json(const Difference& difference, std::size_t top);

// Returns the differences between a rank of A and its partner in B.
[[nodiscard]] Difference compare_traces(const Trace& a, const Trace& b, const DiffWishes& wishes);

// Returns the differences between two runs; slices are compared like nodes. An NPU with a representative is
// compared by the slices of the representative.
[[nodiscard]] Difference compare_runs(const Run& a, const Run& b, const DiffWishes& wishes);

}  // namespace convert
