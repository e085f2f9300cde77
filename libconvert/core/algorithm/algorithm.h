// SPDX-License-Identifier: MIT
// Collective algorithms in the form of MSCCL-IR: each rank has threadblocks of steps over buffers of chunks.
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

// The letters of a step's name are its actions: r receives, a second r reduces with src, c copies to dst, s sends.
// cpy copies src to dst, re reduces src into dst, nop only waits.
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
// Returns whether a step of this type sends, receives, reads src, writes dst, or reduces.
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
// Returns whether a step computes on the NPU; it is a COMP node in a trace.
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

// Returns the collective's name in MSCCL-IR, such as "alltoall".
[[nodiscard]] std::string_view msccl_name(Collective c);

enum class Protocol : std::uint8_t { simple, ll, ll128 };
[[nodiscard]] std::optional<Protocol> parse_protocol(std::string_view text);
[[nodiscard]] std::string_view name(Protocol p);  // "Simple"
// Returns the number of messages that a connection always buffers: 2 for Simple, 8 for LL and LL128.
[[nodiscard]] constexpr int fifo_slots(Protocol p) { return p == Protocol::simple ? 2 : 8; }

struct Step {
  StepType type = StepType::nop;
  Buffer src_buf = Buffer::input;
  Buffer dst_buf = Buffer::output;
  bool hasdep = false;        // publishes its completion
  bool unreadable = false;    // placeholder for a step that could not be read (already reported)
  std::int32_t src_off = -1;  // chunk index
  std::int32_t dst_off = -1;
  std::int32_t cnt = 0;     // chunks
  std::int32_t depid = -1;  // threadblock of the same rank, -1: none
  std::int32_t deps = -1;   // step position in it
  std::uint32_t line = 0;   // in the source text, from 1; 0: unknown
  std::uint32_t column = 0;
  std::uint32_t transfer = no_index;  // index into Algorithm::transfers; no_index unless the algorithm is scheduled
};

// One link of the route of a scheduled message.
struct TransferHop {
  std::uint32_t to = 0;   // device at the end of the link: NPU or switch of the schedule's network
  std::int64_t turn = 0;  // sequence number among the messages on the link; messages follow in ascending order
};

// Data of a scheduled message beside its steps (core/algorithm/schedule.h). The times are advisory.
struct ScheduledTransfer {
  std::int32_t tag = 0;
  std::int64_t chunk = 0;               // chunk id in the schedule
  std::optional<std::int64_t> bytes{};  // nothing if the schedule does not record it
  std::int64_t start_ps = -1;           // -1: not recorded
  std::int64_t end_ps = -1;
  std::int64_t wire = 0;  // index of the link in the schedule
  Range hops{};           // into Algorithm::hops; empty if not recorded
};

// Network and model that a schedule was made for; its link order is followed only there. Empty: not recorded.
struct ScheduledFor {
  std::string network;     // network_id()
  std::string occupancy;   // "alpha_beta", "beta"
  std::string forwarding;  // "store"
};

// Attributes of an element as written, in document order.
using OtherAttributes = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::int32_t max_step_chunks = 71;  // the most that one step can move in the runtimes
inline constexpr std::int32_t max_channels = 32;

struct Threadblock {
  std::int32_t send = -1;  // peer rank, -1: none
  std::int32_t recv = -1;
  std::int32_t chan = 0;
  std::uint32_t first_step = 0;  // into Algorithm::steps
  std::uint32_t step_count = 0;
  std::uint32_t line = 0;
};

struct Copy {  // <copy>: before the first step, output[o_off] := input[i_off]
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
  bool complete = true;  // everything in it was read, and each threadblock id is its position
};

// Invariants of a well-formed algorithm (established or reported by read_msccl): gpus.size() == ranks ≥ 1; peers
// are in range; depid and deps name an existing step of the same rank; offsets and counts are inside the buffers.
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
  // Whether it was made from a time-expanded-network schedule. Then a threadblock is one end of a link, sends keep
  // their link order, receives are posted at the start and wait for nothing, and reductions into one chunk may
  // happen in any order.
  bool scheduled = false;
  std::int64_t element_bytes = 4;            // bytes per operation of a reduction
  std::vector<ScheduledTransfer> transfers;  // each before the transfers that wait for it
  std::vector<TransferHop> hops;
  ScheduledFor scheduled_for;
  std::optional<Picoseconds> claimed_ps;  // duration according to the schedule
  // Ranks of a schedule that only forward chunks, ascending. If there are any, the buffers have a layout of their
  // own: `collective` is custom, and `among_others` is the collective of all other ranks.
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

// Returns whether an attribute of <algo> has a member above. Other attributes are only read and written back.
[[nodiscard]] bool is_standard_attribute(std::string_view name);
// Returns the collective of all ranks except the relays.
[[nodiscard]] inline Collective claimed_collective(const Algorithm& a) {
  return a.relays.empty() ? a.collective : a.among_others;
}
// Returns whether input and output may be different buffers: `outofplace` if it is set, else not `inplace`.
[[nodiscard]] inline bool runs_outofplace(const Algorithm& a) { return a.outofplace.value_or(!a.inplace); }
// Returns the maxBytes to write: the algorithm's own value, else 128 MiB, the MSCCL runtime's default, or 0 (no
// limit) if its minBytes exceeds this default.
[[nodiscard]] std::int64_t written_max_bytes(const Algorithm& a);
// Returns, for every step, the index of the first step that releases its waiters: the step itself or a later one of
// its threadblock, with hasdep and not a nop. no_index if no step does.
[[nodiscard]] std::vector<std::uint32_t> published_steps(const Algorithm& a);
// Returns the number of XML elements that the runtime of a GPU keeps: <algo>, each <gpu>, its own <tb> and <step>.
[[nodiscard]] std::size_t xml_elements(const Algorithm& a, const Gpu& gpu);
// Returns whether all elements could be read, which execution requires.
[[nodiscard]] bool is_complete(const Algorithm& a);

// Return the number of chunks of a rank's input or output buffer: `chunks`, or chunks / ranks if the buffer holds
// one rank's shard.
[[nodiscard]] std::int32_t input_chunks(Collective c, std::int32_t chunks, std::int32_t ranks);
[[nodiscard]] std::int32_t output_chunks(Collective c, std::int32_t chunks, std::int32_t ranks);

}  // namespace convert
