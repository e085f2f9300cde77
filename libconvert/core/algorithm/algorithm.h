// SPDX-License-Identifier: MIT
// Holds a collective algorithm as MSCCL-IR does: threadblocks of steps over buffers of chunks for each rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// A step does what its letters say: r receives, a second r reduces with src, c copies to dst, s sends. cpy copies
// src to dst, re reduces src into dst, nop only waits.
enum class StepType : std::uint8_t { send, recv, rcs, rrs, rrc, rrcs, cpy, re, nop };
inline constexpr std::array<std::string_view, 9> step_type_names = {"s",    "r",   "rcs", "rrs", "rrc",
                                                                    "rrcs", "cpy", "re",  "nop"};
[[nodiscard]] std::optional<StepType> parse_step_type(std::string_view text);
[[nodiscard]] constexpr std::string_view name(StepType t) { return step_type_names[static_cast<std::size_t>(t)]; }

namespace detail {
[[nodiscard]] constexpr bool in_set(StepType t, unsigned set) {
  return ((set >> static_cast<unsigned>(t)) & 1U) != 0;
}
[[nodiscard]] constexpr unsigned bit(StepType t) { return 1U << static_cast<unsigned>(t); }
}  // namespace detail
// Return whether a step of this type sends, receives, reads src, writes dst, reduces.
[[nodiscard]] constexpr bool sends(StepType t) {
  using enum StepType;
  return detail::in_set(t, detail::bit(send) | detail::bit(rcs) | detail::bit(rrs) | detail::bit(rrcs));
}
[[nodiscard]] constexpr bool receives(StepType t) {
  using enum StepType;
  return detail::in_set(
      t, detail::bit(recv) | detail::bit(rcs) | detail::bit(rrs) | detail::bit(rrc) | detail::bit(rrcs));
}
[[nodiscard]] constexpr bool reads_src(StepType t) {
  using enum StepType;
  return detail::in_set(t, detail::bit(send) | detail::bit(rrs) | detail::bit(rrc) | detail::bit(rrcs) |
                               detail::bit(cpy) | detail::bit(re));
}
[[nodiscard]] constexpr bool writes_dst(StepType t) {
  using enum StepType;
  return detail::in_set(t, detail::bit(recv) | detail::bit(rcs) | detail::bit(rrc) | detail::bit(rrcs) |
                               detail::bit(cpy) | detail::bit(re));
}
[[nodiscard]] constexpr bool reduces(StepType t) {
  using enum StepType;
  return detail::in_set(t, detail::bit(rrs) | detail::bit(rrc) | detail::bit(rrcs) | detail::bit(re));
}
// Returns whether a step computes on the NPU, which is a COMP node in a trace.
[[nodiscard]] constexpr bool computes(StepType t) { return reduces(t) || t == StepType::cpy; }

enum class Buffer : std::uint8_t { input, output, scratch };
[[nodiscard]] constexpr char letter(Buffer b) { return "ios"[static_cast<std::size_t>(b)]; }
// Returns the buffer of a letter; nothing if `text` is not one of the three.
[[nodiscard]] constexpr std::optional<Buffer> parse_buffer(std::string_view text) {
  for (const Buffer b : {Buffer::input, Buffer::output, Buffer::scratch}) {
    if (text.size() == 1 && text[0] == letter(b)) return b;
  }
  return std::nullopt;
}

// Returns the collective's name as MSCCL-IR spells it, "alltoall".
[[nodiscard]] std::string_view msccl_name(Collective c);

enum class Protocol : std::uint8_t { simple, ll, ll128 };
[[nodiscard]] std::optional<Protocol> parse_protocol(std::string_view text);
[[nodiscard]] std::string_view name(Protocol p);  // "Simple"
// Returns how many messages in flight always fit a connection: 2 for Simple, 8 for LL and LL128.
[[nodiscard]] constexpr int fifo_slots(Protocol p) { return p == Protocol::simple ? 2 : 8; }

struct Step {
  StepType type = StepType::nop;
  Buffer src_buf = Buffer::input;
  Buffer dst_buf = Buffer::output;
  bool hasdep = false;        // publishes its completion
  bool unreadable = false;    // in place of a step that could not be read, which was reported
  std::int32_t src_off = -1;  // chunk index
  std::int32_t dst_off = -1;
  std::int32_t cnt = 0;     // chunks
  std::int32_t depid = -1;  // threadblock of the same rank, -1: none
  std::int32_t deps = -1;   // step position in it
  std::uint32_t line = 0;   // in the source text; 0: unknown
  std::uint32_t column = 0;
  std::uint32_t transfer = no_index;  // into Algorithm::transfers, of an algorithm that is scheduled
};

// Holds one link on the way of a scheduled message.
struct TransferHop {
  std::uint32_t to = 0;   // the device at its end: NPU or switch of the network that the schedule is for
  std::int64_t turn = 0;  // among the messages on that link: the one with the next higher number goes behind it
};

// Holds what a schedule says of a message beside its steps (core/algorithm/schedule.h). The times are advisory.
struct ScheduledTransfer {
  std::int32_t tag = 0;
  std::int64_t chunk = 0;               // its id in the schedule
  std::optional<std::int64_t> bytes{};  // none: the schedule does not tell
  std::int64_t start_ps = -1;           // -1: not told
  std::int64_t end_ps = -1;
  std::int64_t wire = 0;  // index in the schedule
  Range hops{};           // into Algorithm::hops; empty: the schedule does not tell
};

// Names what a schedule was made for, so that its order of links is followed there only; empty: not told.
struct ScheduledFor {
  std::string network;     // network_id()
  std::string occupancy;   // "alpha_beta", "beta"
  std::string forwarding;  // "store"
};

// Attributes of an element as written, in document order.
using OtherAttributes = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::int32_t max_step_chunks = 71;  // what one step can move in the runtimes
inline constexpr std::int32_t max_channels = 32;

struct Threadblock {
  std::int32_t send = -1;  // peer rank, -1: none
  std::int32_t recv = -1;
  std::int32_t chan = 0;
  std::uint32_t first_step = 0;  // into Algorithm::steps
  std::uint32_t step_count = 0;
  std::uint32_t line = 0;
};

struct Copy {  // <copy>: before anything else, output[o_off] := input[i_off]
  std::int32_t i_off = 0;
  std::int32_t o_off = 0;
};

struct Gpu {
  std::int32_t i_chunks = 0;
  std::int32_t o_chunks = 0;
  std::int32_t s_chunks = 0;
  std::uint32_t first_tb = 0;  // into Algorithm::tbs; the threadblock's id is its position here
  std::uint32_t tb_count = 0;
  std::vector<Copy> copies;
  OtherAttributes other;
  std::uint32_t line = 0;
  bool complete = true;  // everything in it was understood, and threadblock ids are their positions
};

// Invariants of a well-formed algorithm (what read_msccl establishes or reports): gpus.size() == ranks ≥ 1;
// peers in range; depid and deps name an existing step of the same rank; offsets and counts inside the buffers.
struct Algorithm {
  std::string file;  // for messages
  std::string name;
  Collective collective = Collective::custom;
  std::string collective_text;  // as written ("reducescatter")
  Protocol protocol = Protocol::simple;
  std::int32_t channels = 1;  // nchannels
  std::int32_t chunks = 1;    // nchunksperloop: total size / chunks = chunk size
  bool inplace = false;
  std::optional<bool> outofplace;
  std::optional<std::int64_t> min_bytes;
  std::optional<std::int64_t> max_bytes;
  OtherAttributes attributes;  // every attribute of <algo>, as written, in document order
  std::vector<Gpu> gpus;       // by rank
  std::vector<Threadblock> tbs;
  std::vector<Step> steps;
  // Made from a time-expanded-network schedule: a threadblock is one end of a wire, sends keep the order of their
  // wire, receives are posted at the start and wait for nothing, and sums into one chunk may come in any order.
  bool scheduled = false;
  std::int64_t element_bytes = 4;            // a reduction is an operation for so many bytes
  std::vector<ScheduledTransfer> transfers;  // each before those that wait for it
  std::vector<TransferHop> hops;
  ScheduledFor scheduled_for;
  std::optional<Picoseconds> claimed_ps;  // how long it takes, by the schedule
  // Ranks of a schedule that only pass chunks on, ascending. Where there are any, the buffers have a layout of
  // their own, so `collective` is custom, and `among_others` is the collective of all other ranks.
  std::vector<std::int32_t> relays;
  Collective among_others = Collective::custom;

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(gpus.size()); }
  [[nodiscard]] std::span<const Threadblock> threadblocks(const Gpu& g) const {
    return {tbs.data() + g.first_tb, g.tb_count};
  }
  [[nodiscard]] std::span<const Step> steps_of(const Threadblock& t) const {
    return {steps.data() + t.first_step, t.step_count};
  }
};

// Returns whether an attribute of <algo> has a member above; others are only read and written back.
[[nodiscard]] bool is_standard_attribute(std::string_view name);
// Returns the collective that all ranks but the relays take part in.
[[nodiscard]] inline Collective claimed_collective(const Algorithm& a) {
  return a.relays.empty() ? a.collective : a.among_others;
}
// Returns whether input and output may be different buffers: `outofplace` if it is given, else not `inplace`.
[[nodiscard]] inline bool runs_outofplace(const Algorithm& a) { return a.outofplace.value_or(!a.inplace); }
// Returns the maxBytes to write: the algorithm's own, else the MSCCL runtime's default, 128 MiB; but 0, no limit,
// if its minBytes is above that.
[[nodiscard]] std::int64_t written_max_bytes(const Algorithm& a);
// Returns, for every step, the index of the first step from it on in its threadblock that releases the steps that
// wait for it: one with hasdep that is no nop; no_index if there is none.
[[nodiscard]] std::vector<std::uint32_t> published_steps(const Algorithm& a);
// Returns how many XML elements the runtime of a GPU keeps: <algo>, each <gpu>, its own <tb> and <step>.
[[nodiscard]] std::size_t xml_elements(const Algorithm& a, const Gpu& gpu);
// Returns whether all elements could be read: only then can the algorithm be executed.
[[nodiscard]] bool is_complete(const Algorithm& a);

// Return how many chunks a rank's input and output buffer has: `chunks`, but chunks / ranks where it holds a part.
[[nodiscard]] std::int32_t input_chunks(Collective c, std::int32_t chunks, std::int32_t ranks);
[[nodiscard]] std::int32_t output_chunks(Collective c, std::int32_t chunks, std::int32_t ranks);

}  // namespace convert
