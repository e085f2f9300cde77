// SPDX-License-Identifier: MIT
// Field numbers and values of the Perfetto messages that etkit writes (protos/perfetto/trace/ of google/perfetto).
#pragma once

#include <cstdint>

namespace convert::perfetto {

inline constexpr std::uint32_t trace_packet = 1;
namespace packet {
inline constexpr std::uint32_t clock_snapshot = 6, timestamp = 8, sequence_id = 10, track_event = 11,
                               interned_data = 12, sequence_flags = 13, defaults = 59, track_descriptor = 60;
inline constexpr std::uint32_t state_cleared = 1, needs_state = 2;
inline constexpr std::uint32_t defaults_clock = 58;
inline constexpr std::uint32_t snapshot_clocks = 1, clock_id = 1, clock_time = 2, clock_incremental = 3;
inline constexpr std::uint32_t boot_clock = 6, own_clock = 64;  // etkit's clock is relative to the previous packet
}  // namespace packet
namespace interned {
inline constexpr std::uint32_t names = 2, annotations = 3;
inline constexpr std::uint32_t iid = 1, text = 2;
}  // namespace interned
namespace descriptor {
inline constexpr std::uint32_t uuid = 1, name = 2, process = 3, parent = 5, counter = 8, children_order = 11,
                               place = 12, processes_order = 19;
inline constexpr std::uint32_t pid = 1, process_name = 6;
inline constexpr std::uint32_t counter_unit = 3, counter_unit_name = 6, bytes = 3;
inline constexpr std::uint32_t explicit_children = 3, explicit_processes = 1;
}  // namespace descriptor
namespace event {
inline constexpr std::uint32_t annotation = 4, type = 9, name = 10, track = 11, counter_value = 30, flow = 47,
                               last_flow = 48, correlation = 52;
inline constexpr std::uint32_t begin = 1, end = 2, counter = 4;
inline constexpr std::uint32_t annotation_name = 1, annotation_uint = 3, annotation_int = 4;
}  // namespace event

}  // namespace convert::perfetto
