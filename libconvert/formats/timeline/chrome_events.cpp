// SPDX-License-Identifier: MIT
#include "formats/timeline/chrome_events.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/units.h"
#include "formats/json/stream.h"
#include "formats/json/tokens.h"

namespace convert {
namespace {

using EventKind = ChromeEvents::Kind;

// Larger times are rejected: about 300 million years.
constexpr WidePicoseconds most_time = static_cast<WidePicoseconds>(1) << 93U;

// Returns a JSON number times `unit`, rounded half up; nothing if it is not a number, or exceeds most_time.
std::optional<WidePicoseconds> scaled(std::string_view token, Picoseconds unit) {
  if (is_json_string(token)) token = token.substr(1, token.size() - 2);
  if (!is_json_number(token)) return std::nullopt;
  const bool negative = token.front() == '-';
  if (negative) token.remove_prefix(1);
  const std::size_t e = token.find_first_of("eE");
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = token.substr(e + 1);
    if (digits.front() == '+') digits.remove_prefix(1);
    const auto value = parse_int(digits);
    if (!value || *value > 1000 || *value < -1000) return std::nullopt;
    exponent = *value;
    token = token.substr(0, e);
  }
  // All digits without the point, and the number of digits before the point.
  std::string digits(token.substr(0, token.find('.')));
  std::int64_t whole = static_cast<std::int64_t>(digits.size()) + exponent;
  if (const std::size_t point = token.find('.'); point != std::string_view::npos) digits += token.substr(point + 1);
  for (Picoseconds u = unit; u > 1; u /= 10) ++whole;
  WidePicoseconds value = 0;
  for (std::int64_t i = 0; i < whole; ++i) {
    const auto at = static_cast<std::size_t>(i);
    value = value * 10 + (at < digits.size() ? digits[at] - '0' : 0);
    if (value > most_time) return std::nullopt;
    if (value == 0 && at >= digits.size()) break;
  }
  if (whole >= 0 && static_cast<std::size_t>(whole) < digits.size() &&
      digits[static_cast<std::size_t>(whole)] >= '5')
    ++value;
  return negative ? -value : value;
}

// Fields of one event.
struct Fields {
  std::string_view name, category, phase, process, thread, time, duration, id, bind;
  std::string_view node, bytes, peer, args_name;
  const char* place = nullptr;
};

class ChromeItems final : public JsonItems {
 public:
  ChromeItems(ChromeEvents& to, Picoseconds unit) : to_(to), unit_(unit) {}

  void member(std::string_view key, JsonCursor& in) override {
    const std::string_view value = in.value();
    if (key == "meta_user" && is_json_string(value)) to_.written_by = value.substr(1, value.size() - 2);
  }
  void undo() override {}

  // Reads the whole event before it stores any of it: the event may be passed again.
  void element(JsonCursor& in) override {
    Fields f;
    f.place = in.here();
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      read_field(key, in, f);
    });
    take(f);
  }

 private:
  static void read_field(std::string_view key, JsonCursor& in, Fields& f) {
    if (key == "args") {
      if (in.peek() == '{') return read_args(in, f);
      (void)in.value();
      return;
    }
    const std::string_view value = in.value();
    if (key == "name") f.name = value;
    if (key == "cat") f.category = value;
    if (key == "ph") f.phase = value;
    if (key == "pid") f.process = value;
    if (key == "tid") f.thread = value;
    if (key == "ts") f.time = value;
    if (key == "dur") f.duration = value;
    if (key == "id") f.id = value;
    if (key == "bp") f.bind = value;
  }
  static void read_args(JsonCursor& in, Fields& f) {
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      const std::string_view value = in.value();
      if (key == "node") f.node = value;
      if (key == "bytes") f.bytes = value;
      if (key == "peer") f.peer = value;
      if (key == "name") f.args_name = value;
    });
  }

  void take(const Fields& f) {
    if (f.phase.size() != 3) throw BadJson{f.phase.empty() ? f.place : f.phase.data(), "the event has no 'ph'"};
    switch (f.phase[1]) {
      case 'X': return add(f, EventKind::complete);
      case 'B': return add(f, EventKind::begin);
      case 'E': return add(f, EventKind::end);
      case 's': return add(f, EventKind::arrow_from);
      case 't': return add(f, EventKind::arrow_step);
      case 'f': return add(f, f.bind == "\"e\"" ? EventKind::arrow_to : EventKind::arrow_into);
      case 'M': return take_name(f);
      case 'C': ++to_.counters; return;
      case 'i':
      case 'I':
      case 'R': ++to_.instants; return;
      default: ++to_.others;
    }
  }

  void add(const Fields& f, EventKind kind) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() / 4;
    if (to_.events.size() == most) throw BadJson{f.place, "more than a billion events"};
    ChromeEvents::Event e{.time = time(f, f.time), .kind = kind};
    if (kind == EventKind::complete && !f.duration.empty()) e.duration = duration(f);
    e.thread = thread(f);
    if (!f.name.empty()) e.name = to_.names.add(text(f.name));
    if (!f.category.empty()) e.category = to_.names.add(text(f.category));
    if (kind >= EventKind::arrow_from) e.arrow = arrow(f, e);
    if (const auto node = parse_unsigned(unquoted(f.node))) {
      e.node = *node;
      e.has_node = true;
    }
    if (const auto bytes = parse_int(unquoted(f.bytes)); bytes && *bytes >= 0) e.bytes = *bytes;
    if (const auto peer = parse_int(unquoted(f.peer)); peer && *peer >= 0 && *peer <= largest_rank)
      e.peer = static_cast<std::int32_t>(*peer);
    to_.events.push_back(e);
  }

  [[nodiscard]] WidePicoseconds time(const Fields& f, std::string_view token) const {
    const auto time = token.empty() ? std::nullopt : scaled(token, unit_);
    if (!time) throw BadJson{token.empty() ? f.place : token.data(), "the event has no time 'ts'"};
    return *time;
  }
  [[nodiscard]] Picoseconds duration(const Fields& f) {
    const auto time = scaled(f.duration, unit_);
    if (!time || *time > std::numeric_limits<Picoseconds>::max())
      throw BadJson{f.duration.data(), "'dur' is not a time, or exceeds 106 days"};
    if (*time < 0) ++to_.negative;
    return static_cast<Picoseconds>(std::max<WidePicoseconds>(*time, 0));
  }

  void take_name(const Fields& f) {
    if (f.name == "\"process_name\"" && is_json_string(f.args_name))
      to_.processes[process(f)].name = text(f.args_name);
    if (f.name == "\"thread_name\"" && is_json_string(f.args_name)) to_.threads[thread(f)].name = text(f.args_name);
  }

  std::uint32_t process(const Fields& f) {
    const auto [at, added] = processes_.try_emplace(text(f.process), static_cast<std::uint32_t>(processes_.size()));
    if (added) to_.processes.push_back({.id = at->first});
    return at->second;
  }
  std::uint32_t thread(const Fields& f) {
    if (f.process == last_process_ && f.thread == last_thread_ && !to_.threads.empty()) return last_;
    const std::uint32_t p = process(f);
    const auto [at, added] =
        threads_.try_emplace({p, text(f.thread)}, static_cast<std::uint32_t>(to_.threads.size()));
    if (added) to_.threads.push_back({.process = p});
    last_process_ = f.process;
    last_thread_ = f.thread;
    return last_ = at->second;
  }
  // An arrow is identified by category and id. An event without an id has no arrow.
  std::uint64_t arrow(const Fields& f, const ChromeEvents::Event& e) {
    if (f.id.empty()) return 0;
    std::string key = std::to_string(e.category) + ' ' + text(f.id);
    return arrows_.try_emplace(std::move(key), arrows_.size() + 1).first->second;
  }

  static std::string_view unquoted(std::string_view token) {
    return is_json_string(token) ? token.substr(1, token.size() - 2) : token;
  }
  [[nodiscard]] std::string text(std::string_view token) {
    return std::string(is_json_string(token) ? unescaped(unquoted(token), scratch_) : token);
  }

  ChromeEvents& to_;
  Picoseconds unit_;
  std::map<std::string, std::uint32_t> processes_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> threads_;
  std::unordered_map<std::string, std::uint64_t> arrows_;
  std::string last_process_, last_thread_;
  std::uint32_t last_ = 0;
  std::string scratch_;
};

}  // namespace

ChromeEvents read_chrome_events(Input& input, Picoseconds unit) {
  ChromeEvents events;
  JsonStream stream(input, "traceEvents", true);
  ChromeItems items(events, unit);
  stream.read_all(items);
  if (!stream.seen_array())
    throw input_error({.file = input.name()}, "has no 'traceEvents': it is not a Chrome trace");
  return events;
}

}  // namespace convert
