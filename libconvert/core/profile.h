// SPDX-License-Identifier: MIT
// Device profiler's record of one rank: CPU operators, calls of the device's runtime, device operations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// Effect of a runtime or driver call on the order of work, derived from its name.
enum class CallKind : std::uint8_t {
  other,         // launches, queries, allocations: a launch is recognised by its correlation
  blocking,      // returns after the device operation that it starts has ended (cudaMemcpy)
  event_record,  // cudaEventRecord
  stream_wait,   // cudaStreamWaitEvent: later work of a stream waits for an event
  event_sync,    // cudaEventSynchronize: the caller waits
  stream_sync,   // cudaStreamSynchronize
  device_sync,   // cudaDeviceSynchronize
};
enum class DeviceOpKind : std::uint8_t { kernel, memcpy, memset };

// Times are nanoseconds on the profiler's clock. Ids are -1 if the profiler records none.
struct Profile {
  static constexpr std::int64_t none = -1;
  [[nodiscard]] static std::optional<std::uint64_t> given(std::int64_t id) {
    return id < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(id));
  }

  struct Event {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
    std::int64_t external_id = none;
    std::uint32_t order = 0;  // position among the events of the file
    // Notation in the file. whole_start, whole_duration: integer microseconds. exact_times: at most three decimals.
    // usual_category, usual_external_id: the spelling of current CUDA and ROCm profilers.
    bool whole_start : 1 = false;
    bool whole_duration : 1 = false;
    bool exact_times : 1 = false;
    bool usual_category : 1 = false;
    bool usual_external_id : 1 = false;
    [[nodiscard]] std::int64_t end_ns() const { return start_ns + duration_ns; }
  };
  struct CpuOp : Event {
    std::uint32_t thread = 0;      // into threads
    std::int64_t rf_id = none;     // "Record function id", the id in the host trace
    std::int64_t sequence = none;  // "Sequence number": equal in a forward operator and its backward operators
    std::int64_t forward_thread = none;  // of a backward operator: the thread's number in the host trace
    Text name{};
    Range args{};             // all args without a field here
    bool annotation = false;  // user_annotation
  };
  struct Call : Event {
    std::uint32_t thread = 0;
    std::int64_t correlation = none;  // equal to the correlation of the device operation that it starts
    Text name{};
    CallKind kind = CallKind::other;
  };
  struct DeviceOp : Event {
    std::int64_t correlation = none;  // equal to the correlation of the call that started it
    std::int64_t stream = none;
    std::int64_t device = 0;
    Text name{};
    Range args{};  // all args except the ids above
    DeviceOpKind kind = DeviceOpKind::kernel;
    bool has_stream = false;     // as "stream" among its args
    bool is_collective = false;  // its category is the one of collectives
  };
  // Bytes of an operator's tensor inputs, by position: -1 for inputs other than tensors, or of unknown type.
  struct Inputs {
    std::uint32_t order = 0;  // Event::order of the operator
    Range bytes{};            // into input_bytes
    Text texts{};             // values of text inputs, one per line; empty unless it may communicate
  };
  // A synchronisation that the profiler records in addition to the call that made it.
  struct Sync : Event {
    CallKind kind = CallKind::other;
    std::int64_t correlation = none;         // of the call
    std::int64_t stream = none;              // stream that waits, or that is waited for
    std::int64_t wait_on_stream = none;      // of events: the stream on which the event was recorded
    std::int64_t record_correlation = none;  // of events: the call that recorded it
    std::int64_t device = 0;
  };

  // One end of an arrow between a forward operator and a backward one.
  struct Arrow {
    std::int64_t id = none;  // equal at both ends
    std::int64_t start_ns = 0;
    std::uint32_t thread = 0;
    bool tail = false;  // at the forward operator
  };

  std::string file;
  std::vector<std::string> threads;  // "tid" of each CPU thread
  std::vector<std::int64_t> pids;    // processes of these operators, as far as they are numbers
  std::vector<CpuOp> cpu_ops;
  std::vector<Call> calls;
  std::vector<DeviceOp> device_ops;
  std::vector<Sync> syncs;
  std::vector<Arrow> arrows;
  std::vector<Inputs> inputs;             // of operators outside aten::, by order
  std::vector<std::int64_t> input_bytes;  // of all inputs
  AttrTable args;                         // args of cpu_ops and device_ops, and all text
  AttrTable metadata;        // of the run: schemaVersion, distributedInfo, … (JSON values as text in a string)
  std::int64_t base_ns = 0;  // nanoseconds since 1970 from which start_ns counts; 0: unknown
  std::uint64_t events = 0;  // number in all categories
  std::int64_t resolution_ns = 1;        // resolution of the times in the file, at most 1000
  std::uint64_t negative_durations = 0;  // number of negative durations, read as 0

  // Returns the bytes of each input of an operator; empty if the profile does not list them.
  [[nodiscard]] std::span<const std::int64_t> inputs_of(const CpuOp& op) const {
    const Inputs* const found = find_inputs(op);
    if (found == nullptr) return {};
    return std::span(input_bytes).subspan(found->bytes.begin, found->bytes.count);
  }
  // Returns the text inputs of an operator, one per line; empty if the profile does not list them.
  [[nodiscard]] std::string_view text_inputs_of(const CpuOp& op) const {
    const Inputs* const found = find_inputs(op);
    return found == nullptr ? std::string_view{} : args.view(found->texts);
  }
  [[nodiscard]] std::string_view name(const CpuOp& op) const { return args.view(op.name); }
  [[nodiscard]] std::string_view name(const Call& call) const { return args.view(call.name); }
  [[nodiscard]] std::string_view name(const DeviceOp& op) const { return args.view(op.name); }

 private:
  [[nodiscard]] const Inputs* find_inputs(const CpuOp& op) const {
    const auto at = std::ranges::lower_bound(inputs, op.order, {}, &Inputs::order);
    return at == inputs.end() || at->order != op.order ? nullptr : &*at;
  }
};

}  // namespace convert
