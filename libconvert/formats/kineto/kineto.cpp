// SPDX-License-Identifier: MIT
#include "formats/kineto/kineto.h"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/rank_list.h"
#include "formats/json/head.h"
#include "formats/json/stream.h"
#include "formats/json/values.h"
#include "formats/kineto/input_bytes.h"
#include "formats/kineto/names.h"
#include "formats/kineto/times.h"
#include "formats/pytorch/pytorch.h"
#include "util/huge_pages.h"
#include "util/utf8.h"

namespace convert {
namespace {

// Lookup of a text with a cache of the last one: consecutive events mostly have the same text in the same position.
template <class T>
class Predicted {
 public:
  template <class Find>
  T& get(std::string_view text, const Find& find) {
    if (text != text_) {
      value_ = find(text);
      text_ = text;
    }
    return value_;
  }

 private:
  std::string text_{'\0'};  // not a valid JSON text
  T value_{};
};

class KinetoItems final : public JsonItems {
 public:
  KinetoItems(Profile& to, JsonStream& stream) : to_(to), stream_(stream) {}

  void member(std::string_view key, JsonCursor& in) override {
    if (key == "nodes" && in.peek() == '[') {
      throw BadJson{in.here(),
                    "is a PyTorch execution trace of the host, not a Kineto trace; pass it as the host trace"};
    }
    if (key == "baseTimeNanoseconds") {
      const std::string_view text = in.scalar();
      const auto base = lenient_integer(text);
      if (!base || *base < 0) throw BadJson{text.data(), "'baseTimeNanoseconds' must be a number of nanoseconds"};
      to_.base_ns = *base;
      return;
    }
    const AttrMark mark(to_.metadata);
    try {
      add_json_attr(to_.metadata, Name(key), in);
    } catch (...) {
      mark.restore(to_.metadata);
      throw;
    }
  }

  void element(JsonCursor& in) override {
    using enum KinetoCategory;
    mark_ = AttrMark(to_.args);
    strange_before_ = strange_ids;
    Fields f;
    read_fields(in, f);
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (to_.events >= most || to_.args.attrs.size() >= most)
      throw input_error({}, "more than 4294967295 events or args");
    if (f.category == arrow) {
      read_arrow(f);
    } else if (f.category == unused) {
      if (!f.known && f.place != nullptr && f.phase == "X" && f.has_args) note_unknown(f);
    } else if (is_wait(f)) {
      // A stream that waits for an event is idle. CUDA streams are idle too then, and have no device operation.
    } else if (f.phase != "X" || f.ts.empty()) {
      // An instant event, or one half of a duration; profilers write no such events of these categories.
      if (incomplete++ == 0) first_incomplete_line = stream_.line_of(f.place);
    } else {
      const bool device = is_device(f);
      const bool cpu = f.category == cpu_op || f.category == annotation;
      const Args args = f.has_args ? read_args(f.args, device || cpu) : Args{};
      Profile::Event event;
      fill(event, f, args);
      if (device) {
        const auto kind = f.category == memcpy   ? DeviceOpKind::memcpy
                          : f.category == memset ? DeviceOpKind::memset
                                                 : DeviceOpKind::kernel;
        // Without an argument for the stream, the thread of the device is the stream.
        const std::int64_t stream =
            args.stream != Profile::none ? args.stream : lenient_integer(f.tid).value_or(Profile::none);
        to_.device_ops.push_back({event, args.correlation, stream, std::max<std::int64_t>(args.device, 0),
                                  text(f.name), args.carried, kind, args.has_stream, f.category == collective});
      } else if (cpu) {
        if (f.pid != process_) note_process(f.pid);
        if (f.category == cpu_op && f.pid != operators_process_) note_operators_of(f.pid);
        to_.cpu_ops.push_back({event, thread(f.tid), args.rf_id, args.sequence, args.forward_thread, text(f.name),
                               args.carried, f.category == annotation});
        if (!f.name.starts_with("aten::")) add_inputs(f.name, args);
      } else if (f.category == call) {
        const CallKind kind = call_kind_.get(
            f.name, [&](std::string_view name) { return kineto_call_kind(unescaped(name, scratch_)); });
        to_.calls.push_back({event, thread(f.tid), args.correlation, text(f.name), kind});
      } else {
        to_.syncs.push_back({event, kineto_sync_kind(args.sync_kind.empty() ? f.name : args.sync_kind),
                             args.correlation, args.stream, args.wait_on_stream, args.record_correlation,
                             std::max<std::int64_t>(args.device, 0)});
      }
    }
    ++to_.events;
  }

  void undo() override {
    mark_.restore(to_.args);
    strange_ids = strange_before_;
  }

  std::uint64_t first_negative_line = 0;
  std::uint64_t incomplete = 0;
  std::uint64_t first_incomplete_line = 0;
  KinetoTimes times;
  std::uint64_t without_duration = 0;  // number of device operations
  std::uint64_t first_without_duration_line = 0;
  std::uint64_t of_unknown_category = 0;  // number of device operations
  std::uint64_t first_of_unknown_category_line = 0;
  std::string unknown_category;        // category of the first one
  std::vector<std::string> processes;  // processes with operators: "pid", up to a limit
  std::uint64_t strange_ids = 0;
  std::uint64_t first_strange_line = 0;

 private:
  static constexpr std::size_t most_processes = 64;  // limit for files that were merged from many
  struct Fields : KinetoCategoryName {
    std::string_view text;  // name of the category
    std::string_view name, id, tid = "0", pid, ts, dur, phase;
    const char* place = nullptr;  // position of the category
    bool has_args = false;
    JsonCursor args;
  };
  struct ArgKey {
    KinetoArg arg = KinetoArg::carried;
    std::string text;
    Name name;  // set once the argument was carried
  };
  struct Args {
    std::int64_t external_id = Profile::none, correlation = Profile::none, rf_id = Profile::none;
    std::int64_t sequence = Profile::none, forward_thread = Profile::none;
    std::int64_t stream = Profile::none, device = Profile::none;
    std::int64_t wait_on_stream = Profile::none, record_correlation = Profile::none;
    std::string_view sync_kind, input_dims, input_types, inputs;  // input* are JSON
    bool usual_external_id = false, has_stream = false;
    Range carried;
  };

  void read_fields(JsonCursor& in, Fields& f) {
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      if (read_field(key, in, f)) return;
      if (key.find('\\') != std::string_view::npos && read_field(unescaped(key, scratch_), in, f)) return;
      (void)in.skip();
    });
  }

  // Returns false if the field is unused.
  bool read_field(std::string_view key, JsonCursor& in, Fields& f) {
    if (key == "args") {
      f.has_args = in.peek() == '{';
      f.args = in;
      (void)in.skip();
    } else if (key == "cat") {
      const std::string_view name = in.string();
      f.place = name.data();
      f.text = name;
      static_cast<KinetoCategoryName&>(f) =
          category_.get(name, [&](std::string_view text) { return kineto_category(unescaped(text, scratch_)); });
    } else if (key == "name") {
      f.name = in.peek() == '"' ? in.string() : in.skip();
    } else if (key == "id") {
      f.id = in.skip();
    } else if (key == "tid") {
      f.tid = in.skip();
    } else if (key == "pid") {
      f.pid = in.skip();
    } else if (key == "ts") {
      f.ts = in.skip();
    } else if (key == "dur") {
      f.dur = in.skip();
    } else if (key == "ph") {
      f.phase = in.string();
    } else {
      return false;
    }
    return true;
  }

  Args read_args(JsonCursor in, bool carry) {
    Args args;
    args.carried.begin = static_cast<std::uint32_t>(to_.args.attrs.size());
    std::size_t position = 0;
    in.object([&] {
      const std::string_view raw = in.string();
      in.expect(':');
      ArgKey& key = arg_keys_[position++ % arg_keys_.size()].get(raw, [&](std::string_view text) {
        const std::string_view name = unescaped(text, scratch_);
        const KinetoArg arg = kineto_arg(name);
        return ArgKey{arg, arg == KinetoArg::carried ? std::string(name) : std::string(), {}};
      });
      read_arg(key, in, args, carry);
    });
    args.carried.count = static_cast<std::uint32_t>(to_.args.attrs.size() - args.carried.begin);
    return args;
  }

  void read_arg(ArgKey& key, JsonCursor& in, Args& args, bool carry) {
    using enum KinetoArg;
    switch (key.arg) {
      case external_id:
      case external_id_old:
        args.external_id = integer(in.skip());
        args.usual_external_id = key.arg == external_id;
        break;
      case correlation: args.correlation = integer(in.skip()); break;
      case rf_id: args.rf_id = integer(in.skip()); break;
      case sequence: args.sequence = integer(in.skip()); break;
      case forward_thread: args.forward_thread = integer(in.skip()); break;
      case stream:
      case queue: {
        // For calls, ROCm records the handle of the stream, not its number.
        const std::string_view value = in.skip();
        args.stream = value.starts_with("\"0x") ? Profile::none : integer(value);
        args.has_stream = key.arg == stream && args.stream != Profile::none;
        break;
      }
      case device: args.device = integer(in.skip()); break;
      case wait_on_stream: args.wait_on_stream = integer(in.skip()); break;
      case record_correlation: args.record_correlation = integer(in.skip()); break;
      case sync_kind: args.sync_kind = in.peek() == '"' ? in.string() : in.skip(); break;
      case input_dims: args.input_dims = in.skip(); break;
      case input_types: args.input_types = in.skip(); break;
      case inputs: args.inputs = in.skip(); break;
      case dropped: (void)in.skip(); break;
      case carried:
        if (carry) {
          carry_arg(key, in, args);
        } else {
          (void)in.skip();
        }
    }
  }

  void carry_arg(ArgKey& key, JsonCursor& in, const Args& args) {
    if (key.name.index() == 0) key.name = Name(key.text);
    add_json_attr(to_.args, key.name, in);
    if (key.name.index() >= carried_in_.size()) carried_in_.resize(key.name.index() + 1);
    if (std::exchange(carried_in_[key.name.index()], to_.events + 1) != to_.events + 1) return;
    // If an argument is given twice, the last one counts.
    std::vector<Attr>& attrs = to_.args.attrs;
    const auto begin = attrs.begin() + args.carried.begin;
    *std::find_if(begin, attrs.end(), [&](const Attr& a) { return a.name == key.name; }) = attrs.back();
    attrs.pop_back();
  }

  static Microseconds time(std::string_view token, const char* what) {
    if (token.empty()) return {};
    const auto us = parse_microseconds(token);
    if (!us) throw BadJson{token.data(), std::string("'") + what + "' is not a time in microseconds"};
    return *us;
  }

  void add_inputs(std::string_view name, const Args& args) {
    const auto begin = static_cast<std::uint32_t>(to_.input_bytes.size());
    append_input_bytes(args.input_dims, args.input_types, to_.input_bytes);
    const auto count = static_cast<std::uint32_t>(to_.input_bytes.size() - begin);
    if (count == 0) return;
    to_.inputs.push_back({static_cast<std::uint32_t>(to_.events), {begin, count}, {}});
    // Only operators that may communicate: all_reduce, AllGather, reduce_scatter, all_to_all and others.
    const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
    if (!has("all") && !has("All") && !has("educe")) return;
    const std::string texts = text_inputs(args.inputs, args.input_types);
    if (!texts.empty()) to_.inputs.back().texts = to_.args.add_text(texts);
  }

  // Reads one end of an arrow; ignores it without an id or a time.
  void read_arrow(const Fields& f) {
    const auto id = lenient_integer(f.id);
    if (!id || f.ts.empty() || (f.phase != "s" && f.phase != "f")) return;
    to_.arrows.push_back({*id, time(f.ts, "ts").ns, thread(f.tid), f.phase == "s"});
  }

  void fill(Profile::Event& to, const Fields& f, const Args& args) {
    const Microseconds start = time(f.ts, "ts");
    Microseconds duration = time(f.dur, "dur");
    if (start.ns < 0) throw BadJson{f.ts.data(), "'ts' is negative"};
    times.add(start.ns, duration.ns, [&] { return stream_.line_of(f.ts.data()); });
    if (is_device(f) && f.dur.empty() && without_duration++ == 0)
      first_without_duration_line = stream_.line_of(f.ts.data());
    if (duration.ns < 0) {
      if (to_.negative_durations++ == 0) first_negative_line = stream_.line_of(f.dur.data());
      duration = {};
    }
    if (duration.ns > std::numeric_limits<std::int64_t>::max() - start.ns) {
      throw BadJson{f.dur.data(), "'dur': the end of the event exceeds 292 years"};
    }
    to = {.start_ns = start.ns,
          .duration_ns = duration.ns,
          .external_id = args.external_id,
          .order = static_cast<std::uint32_t>(to_.events),
          .whole_start = start.whole,
          .whole_duration = duration.whole,
          .exact_times = start.exact && duration.exact,
          .usual_category = f.usual,
          .usual_external_id = args.usual_external_id};
  }

  // Returns the index of the thread; it does not depend on whether the thread number is quoted.
  std::uint32_t thread(std::string_view tid) {
    return thread_.get(tid, [&](std::string_view text) {
      if (json_token(text.front()) >= JsonTokenKind::string) check_json_scalar(text);
      if (is_json_string(text)) text = unescaped(text.substr(1, text.size() - 2), scratch_);
      const auto [at, added] =
          thread_index_.try_emplace(std::string(text), static_cast<std::uint32_t>(to_.threads.size()));
      if (added) to_.threads.emplace_back(text);
      return at->second;
    });
  }

  static bool is_device(const Fields& f) {
    using enum KinetoCategory;
    return f.category == kernel || f.category == memcpy || f.category == memset || f.category == collective;
  }

  // Returns whether a device operation is a stream's wait for an event, as MTIA records it.
  static bool is_wait(const Fields& f) {
    return f.category == KinetoCategory::kernel && !f.usual && f.name == "event_wait";
  }

  // Counts a device operation of an unknown category, recognised by its stream and launch.
  void note_unknown(const Fields& f) {
    bool has_stream = false, has_launch = false;
    JsonCursor in = f.args;
    in.object([&] {
      const KinetoArg arg = kineto_arg(unescaped(in.string(), scratch_));
      in.expect(':');
      (void)in.skip();
      has_stream = has_stream || arg == KinetoArg::stream || arg == KinetoArg::queue;
      has_launch = has_launch || arg == KinetoArg::correlation;
    });
    if (!has_stream || !has_launch || of_unknown_category++ != 0) return;
    first_of_unknown_category_line = stream_.line_of(f.place);
    unknown_category = unescaped(f.text, scratch_);
  }

  void note_operators_of(std::string_view pid) {
    operators_process_ = pid;
    if (processes.size() != most_processes && std::ranges::find(processes, pid) == processes.end())
      processes.emplace_back(pid);
  }

  void note_process(std::string_view pid) {
    process_ = pid;
    const std::int64_t number = lenient_integer(pid).value_or(Profile::none);
    if (number <= 0 || to_.pids.size() == most_processes) return;
    if (std::ranges::find(to_.pids, number) == to_.pids.end()) to_.pids.push_back(number);
  }
  Text text(std::string_view raw) { return to_.args.add_text(unescaped(raw, scratch_)); }
  // Returns an id; Profile::none if `value` is not an integer.
  std::int64_t integer(std::string_view value) {
    const auto id = lenient_integer(value);
    if (!id) [[unlikely]]
      note_strange_id(value);
    return id.value_or(Profile::none);
  }

  void note_strange_id(std::string_view value) {
    if (json_token(value.front()) >= JsonTokenKind::string) check_json_scalar(value);
    if (value == "null" || value == "\"\"") return;
    if (strange_ids++ == 0) first_strange_line = stream_.line_of(value.data());
  }

  Profile& to_;
  JsonStream& stream_;
  AttrMark mark_;
  std::uint64_t strange_before_ = 0;
  Predicted<KinetoCategoryName> category_;
  std::array<Predicted<ArgKey>, 32> arg_keys_;
  Predicted<std::uint32_t> thread_;
  std::string process_;            // last process
  std::string operators_process_;  // last process with operators
  Predicted<CallKind> call_kind_;
  std::unordered_map<std::string, std::uint32_t> thread_index_;
  std::vector<std::uint64_t> carried_in_;  // by name: 1 + the last event with such an argument
  std::string scratch_;
};

// Warns if the file contains operators of several processes.
void warn_of_processes(const std::string& file, const std::vector<std::string>& processes,
                       Diagnostics& diagnostics) {
  if (processes.size() < 2) return;
  constexpr std::size_t most_listed = 8;
  std::string pids;
  for (std::size_t i = 0; i < std::min(processes.size(), most_listed); ++i)
    pids += (i == 0 ? "" : ", ") + processes[i];
  if (processes.size() > most_listed) pids += ", ...";
  diagnostics.warning({.file = file}, "ranks",
                      "contains the operators of " + std::to_string(processes.size()) + " processes (pid " + pids +
                          ") and is read as one rank",
                      {"hint: convert a separate file per process, with the events of its pid and its device"});
}

// Reserves room for the usual maximum of a file of that size; untouched memory costs nothing.
void reserve_tables(Profile& profile, std::size_t bytes) {
  try {
    reserve_huge(profile.cpu_ops, bytes / 256);
    reserve_huge(profile.calls, bytes / 512);
    reserve_huge(profile.device_ops, bytes / 512);
    reserve_huge(profile.args.attrs, bytes / 64);
    reserve_huge(profile.args.numbers, bytes / 64);
    reserve_huge(profile.args.text, bytes / 2);
  } catch (const std::bad_alloc&) {  // a sparse file
  } catch (const std::length_error&) {
  }
}

}  // namespace

Profile read_kineto(Input& input, Diagnostics& diagnostics, std::size_t window_bytes) {
  if (sniff_pytorch(input.peek(4096))) {
    throw input_error({.file = input.name()},
                      "is a PyTorch execution trace of the host, not a Kineto trace; pass it as the host trace");
  }
  Profile profile;
  profile.file = input.name();
  if (input.size()) reserve_tables(profile, static_cast<std::size_t>(*input.size()));
  JsonStream stream(input, "traceEvents", true, window_bytes);
  KinetoItems items(profile, stream);
  stream.read_all_repaired(items, diagnostics);
  if (!stream.seen_array()) {
    throw input_error({.file = input.name()}, "has no 'traceEvents': it is not a Kineto trace");
  }
  const auto warn = [&](std::uint64_t count, std::uint64_t line, const char* rule, const char* what) {
    if (count == 0) return;
    diagnostics.warning({.file = input.name(), .line = static_cast<std::uint32_t>(line)}, rule,
                        what + std::string(": ") + std::to_string(count) + "; this is the first");
  };
  warn(profile.negative_durations, items.first_negative_line, "times", "negative durations are set to 0");
  profile.resolution_ns = items.times.resolution_ns();
  if (const KinetoTimes::Absent absent = items.times.drop_absent(profile); absent.events != 0) {
    warn(absent.events, absent.first_line, "times",
         absent.all_empty ? "events without a time (ts and dur 0, long before all others) are ignored"
                          : "events without a time (ts long before all others) are ignored");
  }
  warn(items.without_duration, items.first_without_duration_line, "times",
       "device operations without a duration (dur) are given 0 ns");
  if (items.of_unknown_category != 0) {
    const std::string what =
        "device operations of an unknown category (" + cut_text(items.unknown_category, 40) + ") are ignored";
    warn(items.of_unknown_category, items.first_of_unknown_category_line, "events", what.c_str());
  }
  warn_of_processes(profile.file, items.processes, diagnostics);
  warn(items.incomplete, items.first_incomplete_line, "events",
       "incomplete events (without ph X or ts) of operators, calls or the device are ignored");
  warn(items.strange_ids, items.first_strange_line, "ids", "ids that are not integers are ignored");
  return profile;
}

bool sniff_kineto(std::string_view head) {
  JsonHead in(head);
  if (in.open('[')) return in.open('{') && in.has_key({"ph"});
  return in.open('{') && in.has_key({"traceEvents", "deviceProperties", "distributedInfo"});
}

std::optional<Rank> told_rank_of_kineto(std::string_view head) {
  JsonHead in(head);
  if (!in.open('{') || !in.has_key({"distributedInfo"}) || !in.open('{') || !in.has_key({"rank"})) return {};
  std::string_view number = in.skip();
  const auto rank = take_leading_rank(number);
  return number.empty() ? rank : std::nullopt;
}

}  // namespace convert
