// SPDX-License-Identifier: MIT
// Says by which rules a replay goes: ASTRA-sim's, oddities included, for the same cycles, or a physical model's.
#pragma once

#include <cstdint>
#include <optional>

#include "core/units.h"

namespace convert {

// Tags of native algorithms, and by ASTRA-sim's rules those of traces, count modulo this.
inline constexpr std::uint32_t tag_modulus = 500'000'000;

// Has one question for each oddity of issuing, messages and collectives; those that ask for yes or no are answered
// with yes by ASTRA-sim's rules, with no by the others.
class Rules {
 public:
  explicit constexpr Rules(bool astra) : astra_(astra) {}

  // Traces and options.
  [[nodiscard]] bool all_traces_are_workloads() const { return astra_; }  // whatever wrote them
  [[nodiscard]] bool messages_share_wires() const { return !astra_; }     // unless another model is asked for
  [[nodiscard]] bool ports_have_no_limit() const { return astra_; }       // with the model unaware
  [[nodiscard]] bool refuses_policies() const { return astra_; }          // of wires, and balanced chunks

  // Nodes.
  [[nodiscard]] bool one_communication_at_a_time() const { return astra_; }       // of an NPU
  [[nodiscard]] bool invalid_nodes_free_in_next_round() const { return astra_; }  // not at once
  [[nodiscard]] bool refuses_communication_of_cpu() const { return astra_; }      // is_cpu_op
  [[nodiscard]] bool whole_microseconds_only() const { return astra_; }           // of recorded times
  [[nodiscard]] bool broadcasts_take_recorded_time() const { return astra_; }
  [[nodiscard]] bool replayed_nodes_compute() const { return astra_; }  // replay-only: all of them count
  // With the roofline model a node that states no operations is an error, and one of no operations takes no time.
  [[nodiscard]] bool roofline_knows_every_node() const { return astra_; }
  [[nodiscard]] bool memory_wants_model() const { return astra_; }  // recorded times do not count
  // The exposed communication of an NPU is its end less its computation, whatever overlaps.
  [[nodiscard]] bool all_but_computation_is_exposed() const { return astra_; }

  // Messages.
  [[nodiscard]] bool messages_have_bytes() const { return astra_; }  // one of 0 bytes is an error
  [[nodiscard]] std::int64_t tag(std::int64_t stated) const { return astra_ ? stated % tag_modulus : stated; }

  // What a collective is.
  [[nodiscard]] bool four_collectives_only() const { return astra_; }
  [[nodiscard]] bool involved_dim_may_be_short() const { return astra_; }
  [[nodiscard]] std::uint64_t default_dims() const { return astra_ ? 0xF : ~std::uint64_t{0}; }  // a bit for each
  [[nodiscard]] bool parts_are_equal() const { return astra_; }             // sizes are rounded; else exact
  [[nodiscard]] bool refuses_collectives_of_one() const { return astra_; }  // NPU, which never end

  // How collectives run. An NPU's k-th call of a group meets the k-th of the others; else places in traces count.
  [[nodiscard]] bool collectives_meet_at_call_time() const { return astra_; }
  [[nodiscard]] bool collectives_share_queues() const { return astra_; }  // of their NPU; else each has its own
  [[nodiscard]] bool has_shared_bus() const { return astra_; }
  [[nodiscard]] bool chunks_take_one_order() const { return astra_; }  // of dimensions
  // An entry for each dimension is not wanted: dimensions beyond the list of algorithms do not take part. A group
  // smaller than the system runs a ring, unless the list has one entry, with an endpoint delay of its own.
  [[nodiscard]] bool lists_may_be_short() const { return astra_; }
  [[nodiscard]] bool groups_have_own_choice() const { return astra_; }
  [[nodiscard]] std::optional<Picoseconds> endpoint_delay_of_groups() const {
    return astra_ ? std::optional(10 * ps_per_ns) : std::nullopt;
  }
  [[nodiscard]] bool trees_always_reduce() const { return astra_; }  // double binary ones, for any collective
  // Custom algorithms: their places that only pass on are ranks, nodes are issued as hash tables have them, and
  // messages of several runs can meet.
  [[nodiscard]] bool relays_may_be_ranks() const { return astra_; }
  [[nodiscard]] bool issues_in_hash_order() const { return astra_; }
  [[nodiscard]] bool custom_runs_share_channels() const { return astra_; }

  // Where ASTRA-sim stops or waits for ever is to be told; see AstraGap.
  [[nodiscard]] bool notes_gaps() const { return astra_; }

 private:
  bool astra_;
};

}  // namespace convert
