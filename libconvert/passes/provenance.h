// SPDX-License-Identifier: MIT
// Reads the provenance of an algorithm from its traces: metadata under "msccl.", and chunks, step types and
// threadblocks of nodes (et-formats(5)). Lowering writes the provenance; proof and export read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/link_way.h"
#include "core/diagnostic.h"
#include "core/name.h"
#include "core/trace.h"

namespace convert {

enum class Provenance : std::uint8_t {
  none,    // no chunk provenance: neither proof nor export is possible
  chunks,  // buffers, offsets and step types: can be proved and packed into threadblocks
  full,    // threadblocks, positions and dependencies too: the same program can be restored
};
// Returns whether the metadata has the attributes that any provenance requires.
[[nodiscard]] bool may_have_provenance(const Metadata& metadata);
// Returns the provenance that the metadata and all nodes of a trace have.
[[nodiscard]] Provenance provenance_of(const Trace& trace);

// Throws Error(input) [provenance] if the metadata states a number of ranks other than the number of traces.
void require_all_ranks(std::span<const Trace> traces);

// Sets the algorithm's fields and the rank's buffer sizes from a trace's metadata. Returns false if they are
// absent. Throws Error(input) [provenance] if they are invalid.
bool read_header(const Trace& trace, Algorithm& out, Gpu& gpu);

// Throws Error(input) [provenance] unless the relays of a trace's header are ascending and a proper subset of
// `ranks` ranks.
void check_relays(const Trace& trace, const Algorithm& header, std::size_t ranks);

// Returns the step that a node belongs to, without position and dependencies. Throws Error(input) [provenance].
[[nodiscard]] Step parse_step(const Trace& trace, std::size_t index);

// Return, in this order: an Error(input) [provenance] at a trace, and at a node; an integer attribute, or nullopt
// if it does not fit int32; an int32_list attribute, or an empty list.
[[nodiscard]] Error provenance_error(const Trace& trace, const std::string& message);
[[nodiscard]] Error provenance_error(const Trace& trace, std::size_t index, const std::string& message);
[[nodiscard]] std::optional<std::int32_t> int32_value(std::span<const Attr> attrs, Name name);
[[nodiscard]] std::vector<std::int32_t> int32_list(const AttrTable& table, std::span<const Attr> attrs, Name name);

}  // namespace convert

namespace convert::msccl {

inline constexpr std::string_view prefix = "msccl.";
inline constexpr std::string_view gpu_prefix = "msccl.gpu.";  // further attributes of <gpu>

// step_type of a node for a <copy> element, which is not a step of a threadblock.
inline constexpr std::string_view copy_step = "copy";

inline const Name algo_name{std::string_view("msccl.name")};
inline const Name proto{std::string_view("msccl.proto")};
inline const Name nchannels{std::string_view("msccl.nchannels")};
inline const Name nchunksperloop{std::string_view("msccl.nchunksperloop")};
inline const Name ngpus{std::string_view("msccl.ngpus")};
inline const Name coll{std::string_view("msccl.coll")};
inline const Name inplace{std::string_view("msccl.inplace")};
inline const Name outofplace{std::string_view("msccl.outofplace")};
inline const Name min_bytes{std::string_view("msccl.minBytes")};
inline const Name max_bytes{std::string_view("msccl.maxBytes")};
inline const Name i_chunks{std::string_view("msccl.i_chunks")};
inline const Name o_chunks{std::string_view("msccl.o_chunks")};
inline const Name s_chunks{std::string_view("msccl.s_chunks")};
inline const Name tb_send{std::string_view("msccl.tb_send")};
inline const Name tb_recv{std::string_view("msccl.tb_recv")};
inline const Name tb_chan{std::string_view("msccl.tb_chan")};
inline const Name copy_i_off{std::string_view("msccl.copy_i_off")};
inline const Name copy_o_off{std::string_view("msccl.copy_o_off")};

}  // namespace convert::msccl

// Metadata of traces made from a schedule.
namespace convert::ten {

inline const Name schedule_name{std::string_view("ten.name")};
inline const Name relays{std::string_view("ten.relays")};
inline const Name collective_time_ps{std::string_view("ten.collective_time_ps")};
inline const Name& network = scheduled_network;
inline const Name occupancy{std::string_view("ten.occupancy")};
inline const Name& forwarding = scheduled_forwarding;

}  // namespace convert::ten

// Names that et-merge writes. The first node of a merged collective has the collective's attributes under the
// prefix. The metadata has, for program K under "merged.K.", `place`, `steps` and the msccl.* attributes that a
// proof requires.
namespace convert::merged {

inline constexpr std::string_view prefix = "merged.";
inline const Name start_time_micros{std::string_view("merged.start_time_micros")};
inline const Name duration_micros{std::string_view("merged.duration_micros")};
inline const Name comm_src{std::string_view("merged.comm_src")};
inline const Name comm_dst{std::string_view("merged.comm_dst")};
inline const Name pg_name{std::string_view("merged.pg_name")};
inline const Name program{std::string_view("merged_program")};  // of the first node: K
inline constexpr std::string_view place = "place";              // the rank of the algorithm that the trace runs
inline constexpr std::string_view steps = "steps";              // six numbers per node: step type (-1: none), …
inline constexpr std::size_t step_numbers = 6;  // … source buffer, offset, destination buffer, offset, chunks
[[nodiscard]] inline Name name_of(Name attribute) {
  return Name(std::string(prefix) + std::string(attribute.view()));
}
[[nodiscard]] inline Name name_of(std::int64_t number, std::string_view attribute) {
  return Name(std::string(prefix) + std::to_string(number) + "." + std::string(attribute));
}
// Returns the K of a metadata attribute, and in `rest` the name after "merged.K."; -1 if it is of no program.
[[nodiscard]] std::int64_t program_of(Name attribute, std::string_view* rest = nullptr);

}  // namespace convert::merged
