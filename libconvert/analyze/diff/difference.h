// SPDX-License-Identifier: MIT
// Holds what differs between two sets or two runs, and tells it.
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
  bool structure = false;                       // times do not count
  bool times = false;                           // nothing else counts
  double tolerance_part = 0;                    // of the time in A up to which a time is the same
  Picoseconds tolerance_ps = 0;                 // or up to this
  std::set<std::string, std::less<>> ignore{};  // attributes, and what Difference::Change calls so
  std::map<Rank, Rank> ranks{};                 // rank in B of a rank in A; empty: the same
  // What B calls a process group of A, where its ranks have other numbers; see groups_in_b().
  std::map<std::string, std::string, std::less<>> groups{};

  [[nodiscard]] bool ignores(std::string_view attribute) const { return ignore.find(attribute) != ignore.end(); }
  [[nodiscard]] Rank in_b(Rank a) const;
  [[nodiscard]] std::string_view group_in_b(std::string_view a) const;
  [[nodiscard]] bool tolerates() const { return tolerance_part > 0 || tolerance_ps > 0; }
  [[nodiscard]] bool same_time(Picoseconds a, Picoseconds b) const;
};

// Finds the partners of A's ranks in B.
class Partners {
 public:
  explicit Partners(const DiffWishes& wishes) : wishes_(wishes) {}
  // Returns the rank in B of a rank of A. Throws Error(usage) if a rank before has the same.
  [[nodiscard]] Rank in_b(Rank a);

 private:
  const DiffWishes& wishes_;
  std::unordered_map<Rank, Rank> taken_;  // ranks of A by those of B
};

struct Difference {
  struct NodeRef {
    Rank rank = 0;
    NodeId node = 0;
    std::string name;
    std::string type;
  };
  // One property of a node that both sides have.
  struct Change {
    NodeRef node;  // in A
    NodeId in_b = 0;
    std::string what;  // an attribute, or "name", "duration", "start", "inputs", "outputs"
    std::string old_value, new_value;
  };
  // A dependency between nodes that both sides have; the ids are those of the side.
  struct Edge {
    Rank rank = 0;
    NodeId node = 0;
    NodeId on = 0;
    std::string kind;
  };
  // A process group whose members differ; those as B calls them, or "(none)".
  struct Group {
    std::int64_t id = 0;
    std::string a, b;
  };
  // Counts all, and keeps the first.
  template <class T>
  struct List {
    static constexpr std::size_t most = 100'000;
    std::uint64_t count = 0;
    std::vector<T> kept{};
    void add(T&& item) {
      if (++count <= most) kept.push_back(std::move(item));
    }
    // Adds what is made only if it is kept.
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
  std::uint64_t other_ids = 0;  // matched nodes whose ids differ, which is no difference
  List<NodeRef> only_a, only_b;
  List<Change> changes;
  std::uint64_t changed_nodes = 0;
  std::map<std::string, std::uint64_t> changes_by_what{};
  List<Edge> edges_only_a, edges_only_b;
  List<Group> groups;
  std::uint64_t groups_only_a = 0, groups_only_b = 0;  // of them
  std::vector<Rank> ranks_only_a{}, ranks_only_b{};
  std::vector<std::string> notes{};  // of what was not compared

  NameTimes names{};
  // These are set where runs are compared.
  std::optional<Picoseconds> total_a{}, total_b{};
  bool totals_differ = false;
  RunStatus status_a = RunStatus::complete, status_b = RunStatus::complete;  // totals of others end where time did
  bool paths = false;                                                        // both have a critical path
  // What the critical paths are made of: "computing", "all_reduce", "waiting for NPU 5", each with the names of its
  // nodes; where they do not both have one, how the mean NPU spent its time. Adds up to the runs.
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
  // Returns one sentence: what differs most. Of two runs, which is faster, and what that is made of; the parts that
  // it names and the rest add up to the difference.
  [[nodiscard]] std::string sentence() const;
  // Returns all of it, without the sentence.
  [[nodiscard]] Statistics sections() const;
  // Adds what differs on a further rank.
  void append(Difference&& other);
};

// Returns the sentence, then tables of at most `top` rows (0: all) unless both are the same.
[[nodiscard]] std::string difference_text(const Difference& difference, std::size_t top);
// Returns {"same":…,"summary":…,"difference":{…}}; ends with a line break.
[[nodiscard]] std::string difference_json(const Difference& difference, std::size_t top);

// Returns what differs between a rank of A and the same of B.
[[nodiscard]] Difference compare_traces(const Trace& a, const Trace& b, const DiffWishes& wishes);

// Returns what differs between two runs, slice by slice as between nodes. An NPU that another stands for is
// compared by the slices of that one.
[[nodiscard]] Difference compare_runs(const Run& a, const Run& b, const DiffWishes& wishes);

}  // namespace convert
