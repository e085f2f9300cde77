// SPDX-License-Identifier: MIT
// Tracks the communication calls on a rank's threads, and the kernels that implement them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/communication.h"
#include "passes/link/operators.h"

namespace convert {

class CommCalls {
 public:
  CommCalls(const Trace& host, const Profile* device, const Operators& operators)
      : host_(host), device_(device), operators_(operators), comm_of_(operators.all.size()) {}

  // Records the start of an operator: the last one of `open`, the operators of its thread that have begun and not
  // ended.
  void begin(std::span<const std::uint32_t> open);
  // Returns the communications that a device operation launched inside `open` implements, as a range for part();
  // one kernel may implement several sends and receives. `called`: launched by a call in the profile instead of
  // matched by time. A kernel with an unknown name implements the call that launches it, unless a known kernel of
  // the call follows.
  [[nodiscard]] Range launch(std::span<const std::uint32_t> open, std::uint32_t thread, std::uint32_t operation,
                             bool called);
  [[nodiscard]] std::uint32_t part(std::size_t i) const { return parts_[i]; }  // into the facts
  // Returns whether the kernel turned out not to be communication.
  [[nodiscard]] bool is_withdrawn(std::uint32_t comm) const { return calls_[comm].withdrawn; }
  // Calls fn(operation, comm) for kernels with unknown names launched by an operator that names a collective, if no
  // kernel of that operator is known to communicate.
  template <class Fn>
  void for_each_suspect(const Fn& fn) {
    for (const Suspect& s : suspects_) {
      if (!communicating_.contains(s.op)) fn(s.operation, add({}, no_index));
    }
  }
  // Returns the facts of all communications, with their texts in `texts`. Call this last.
  [[nodiscard]] std::vector<CommFacts> take(std::vector<char>& texts);

  // Calls fn(operator, comm) for calls without a kernel, such as calls of gloo. The operator is the innermost one
  // of the call, and takes its time. Calls outside the profile are omitted.
  template <class Fn>
  void for_each_on_host(const Fn& fn) const {
    for (std::uint32_t c = 0; c < comms_.size(); ++c) {
      const CommKind kind = comms_[c].kind;
      if (calls_[c].op != no_index && !calls_[c].carried && kind != CommKind::none && kind != CommKind::group)
        fn(calls_[c].op, c);
    }
  }

  // Calls fn(operator) for operators of c10d that call a collective without a trace of it in the profile: no call
  // of a backend, no kernel, and no collective of gloo or mpi on another thread.
  template <class Fn>
  void for_each_missing(const Fn& fn) const {
    for (const auto& [what, calls] : outer_calls_) {
      const auto on_host = on_host_.find(what);
      std::size_t found = on_host == on_host_.end() ? 0 : on_host->second;
      for (const std::uint32_t op : calls) {
        if (recorded_.contains(op)) continue;
        if (found != 0) {
          --found;
        } else {
          fn(op);
        }
      }
    }
  }

 private:
  using What = std::pair<CommKind, Collective>;
  struct Call {
    std::uint32_t op = no_index;     // no_index: this is a kernel, or has no time
    bool carried = false;            // by a kernel
    bool withdrawn = false;          // this is a kernel that does not implement its call
    std::uint32_t guess = no_index;  // comm of the kernel with an unknown name that implemented it
  };
  struct Suspect {
    std::uint32_t operation;
    std::uint32_t op;
  };
  void complete_by_operator(std::span<const std::uint32_t> open, CommFacts& facts) const;
  [[nodiscard]] std::string_view name_of(std::uint32_t op) const;
  [[nodiscard]] std::optional<Collective> operator_type(std::uint32_t op) const;
  [[nodiscard]] Range one(std::uint32_t comm);
  [[nodiscard]] static std::span<const std::uint32_t> innermost(std::span<const std::uint32_t> open) {
    constexpr std::size_t levels = 8;  // between a kernel and the call of its communication
    return open.last(std::min(open.size(), levels));
  }
  std::uint32_t add(const CommFacts& facts, std::uint32_t op);
  // Records that the operators of `open` contain communication.
  void note_recorded(std::span<const std::uint32_t> open);
  // Returns 1 + the index into comms of the innermost call that has not ended; 0: none.
  [[nodiscard]] std::uint32_t under_way(std::span<const std::uint32_t> open) const;
  // Returns the calls on the thread that a group call of `group` (empty: unknown) collects, as a range for part().
  Range take_group(std::uint32_t thread, std::string_view group);

  const Trace& host_;
  const Profile* device_;
  const Operators& operators_;
  std::vector<std::uint32_t> comm_of_;  // by operator: 1 + index into comms
  std::vector<CommFacts> comms_;
  std::vector<Call> calls_;  // by comm
  std::vector<std::uint32_t> parts_;
  std::vector<Suspect> suspects_;
  std::unordered_set<std::uint32_t> communicating_;  // operators around kernels that are known to communicate
  std::map<What, std::vector<std::uint32_t>> outer_calls_;     // operators of c10d, in the order of their begins
  std::map<What, std::size_t> on_host_;                        // collectives of gloo and mpi outside such operators
  std::unordered_set<std::uint32_t> recorded_;                 // operators around communication
  std::unordered_map<std::string_view, NamedKernel> kernels_;  // by name
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      // by thread: calls that a later group call may collect
      collectable_;
};

}  // namespace convert
