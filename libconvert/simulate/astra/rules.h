// SPDX-License-Identifier: MIT
// Rules of a replay: ASTRA-sim's rules, including its quirks, which give the same cycles, or the rules of a
// physical model.
#pragma once

#include <cstdint>
#include <optional>

#include "core/units.h"

namespace convert {

// Tags are counted modulo this: tags of native algorithms, and by ASTRA-sim's rules also the tags of traces.
inline constexpr std::uint32_t tag_modulus = 500'000'000;

// One predicate for each quirk of issuing, messages and collectives. Each bool is true by ASTRA-sim's rules and
// false by the others.
class Rules {
 public:
  explicit constexpr Rules(bool astra) : astra_(astra) {}

  // Traces and options.
  [[nodiscard]] bool all_traces_are_workloads() const { return astra_; }  // independent of the writing program
  [[nodiscard]] bool messages_share_wires() const { return !astra_; }     // unless another model is chosen
  [[nodiscard]] bool ports_have_no_limit() const { return astra_; }       // with the model unaware
  [[nodiscard]] bool refuses_policies() const { return astra_; }          // link policies and balanced chunks

  // Nodes.
  [[nodiscard]] bool one_communication_at_a_time() const { return astra_; }       // per NPU
  [[nodiscard]] bool invalid_nodes_free_in_next_round() const { return astra_; }  // not at once
  [[nodiscard]] bool refuses_communication_of_cpu() const { return astra_; }      // is_cpu_op
  [[nodiscard]] bool whole_microseconds_only() const { return astra_; }           // of recorded times
  [[nodiscard]] bool broadcasts_take_recorded_time() const { return astra_; }
  [[nodiscard]] bool replayed_nodes_compute() const { return astra_; }  // replay-only: all nodes count
  // The roofline model has a time for every node. Otherwise a node without an operation count is an error, and a
  // node of 0 operations takes no time.
  [[nodiscard]] bool roofline_knows_every_node() const { return astra_; }
  [[nodiscard]] bool memory_wants_model() const { return astra_; }  // recorded times are ignored
  // The exposed communication of an NPU is its end minus its computation, independent of overlaps.
  [[nodiscard]] bool all_but_computation_is_exposed() const { return astra_; }

  // Messages.
  [[nodiscard]] bool messages_have_bytes() const { return astra_; }  // a message of 0 bytes is an error
  [[nodiscard]] std::int64_t tag(std::int64_t stated) const { return astra_ ? stated % tag_modulus : stated; }

  // Supported collectives.
  [[nodiscard]] bool four_collectives_only() const { return astra_; }
  [[nodiscard]] bool involved_dim_may_be_short() const { return astra_; }
  [[nodiscard]] std::uint64_t default_dims() const {
    return astra_ ? 0xF : ~std::uint64_t{0};
  }                                                              // a bit for each dimension
  [[nodiscard]] bool parts_are_equal() const { return astra_; }  // shard sizes are rounded; otherwise exact
  [[nodiscard]] bool refuses_collectives_of_one() const { return astra_; }  // collectives of one NPU never end

  // Running of collectives. The k-th call of a group on an NPU matches the k-th call on the others. Otherwise
  // positions in the traces count.
  [[nodiscard]] bool collectives_meet_at_call_time() const { return astra_; }
  [[nodiscard]] bool collectives_share_queues() const {
    return astra_;
  }  // one set of queues per NPU; otherwise each collective has its own queues
  [[nodiscard]] bool has_shared_bus() const { return astra_; }
  [[nodiscard]] bool chunks_take_one_order() const { return astra_; }  // all chunks use one order of dimensions
  // The list of algorithms may omit dimensions; these do not take part. A group smaller than the system runs a
  // ring, unless the list has one entry, with a separate endpoint delay.
  [[nodiscard]] bool lists_may_be_short() const { return astra_; }
  [[nodiscard]] bool groups_have_own_choice() const { return astra_; }
  [[nodiscard]] std::optional<Picoseconds> endpoint_delay_of_groups() const {
    return astra_ ? std::optional(10 * ps_per_ns) : std::nullopt;
  }
  [[nodiscard]] bool trees_always_reduce() const { return astra_; }  // double binary trees, for any collective
  // Custom algorithms: relay-only participants are ranks, nodes are issued in hash-table order, and messages of
  // several runs can match each other.
  [[nodiscard]] bool relays_may_be_ranks() const { return astra_; }
  [[nodiscard]] bool issues_in_hash_order() const { return astra_; }
  [[nodiscard]] bool custom_runs_share_channels() const { return astra_; }

  // Whether to report cases in which ASTRA-sim stops or waits forever; see AstraGap.
  [[nodiscard]] bool notes_gaps() const { return astra_; }

 private:
  bool astra_;
};

}  // namespace convert
