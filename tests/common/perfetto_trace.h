// SPDX-License-Identifier: MIT
// Decodes Perfetto traces for tests, with independent field numbers. Rejects fields that are not in the published
// schema, and follows interned names and the clock of the sequence.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convert::test {

class WireMessage {
 public:
  struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;
    std::string_view bytes{};
  };
  WireMessage(std::string_view bytes, const std::set<std::uint32_t>& known) {
    while (!bytes.empty()) {
      const std::uint64_t tag = varint(bytes);
      Field f{.number = static_cast<std::uint32_t>(tag >> 3U)};
      if (!known.contains(f.number)) throw std::runtime_error("unknown field " + std::to_string(f.number));
      switch (tag & 7U) {
        case 0: f.value = varint(bytes); break;
        case 1:
          if (bytes.size() < 8) throw std::runtime_error("cut");
          std::memcpy(&f.value, bytes.data(), 8);
          bytes.remove_prefix(8);
          break;
        case 2: {
          const std::uint64_t size = varint(bytes);
          if (size > bytes.size()) throw std::runtime_error("cut");
          f.bytes = bytes.substr(0, size);
          bytes.remove_prefix(size);
          break;
        }
        default: throw std::runtime_error("wire type");
      }
      fields.push_back(f);
    }
  }
  [[nodiscard]] const Field* find(std::uint32_t number) const {
    for (const Field& f : fields) {
      if (f.number == number) return &f;
    }
    return nullptr;
  }
  [[nodiscard]] std::uint64_t number(std::uint32_t number, std::uint64_t absent = 0) const {
    const Field* f = find(number);
    return f == nullptr ? absent : f->value;
  }
  [[nodiscard]] std::string_view text(std::uint32_t number) const {
    const Field* f = find(number);
    return f == nullptr ? std::string_view() : f->bytes;
  }
  std::vector<Field> fields;

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (bytes.empty() || shift > 63) throw std::runtime_error("varint");
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }
};

struct PerfettoTrack {
  std::uint64_t parent = 0;
  std::uint64_t place = 0;
  std::string name{};     // of the track, or its process
  std::uint64_t pid = 0;  // of a process
  bool counter = false;
};
struct PerfettoEvent {
  std::uint64_t time = 0;
  std::uint64_t type = 0;  // 1 begin, 2 end, 4 counter
  std::uint64_t track = 0;
  std::string name{};
  std::map<std::string, std::uint64_t> args{};
  std::vector<std::uint64_t> flows{}, last_flows{};
  std::uint64_t correlation = 0;
  std::int64_t value = 0;
};
struct PerfettoTrace {
  std::map<std::uint64_t, PerfettoTrack> tracks;
  std::vector<PerfettoEvent> events;
};

inline void read_interned(std::string_view bytes, std::map<std::uint64_t, std::string>& names,
                          std::map<std::uint64_t, std::string>& args) {
  for (const auto& f : WireMessage(bytes, {1, 2, 3, 29}).fields) {
    const WireMessage entry(f.bytes, {1, 2});
    if (f.number == 2) names[entry.number(1)] = entry.text(2);
    if (f.number == 3) args[entry.number(1)] = entry.text(2);
  }
}

inline PerfettoTrack read_track(const WireMessage& d) {
  PerfettoTrack t{.parent = d.number(5),
                  .place = d.number(12),
                  .name = std::string(d.text(2)),
                  .counter = d.find(8) != nullptr};
  if (const auto* process = d.find(3)) {
    const WireMessage p(process->bytes, {1, 6});
    t.pid = p.number(1);
    t.name = p.text(6);
  }
  if (const auto* counter = d.find(8)) (void)WireMessage(counter->bytes, {3, 4, 5, 6, 7});
  return t;
}

inline PerfettoTrace decode_perfetto(std::string_view file) {
  PerfettoTrace out;
  std::map<std::uint64_t, std::string> names, args;
  std::uint64_t time = 0;
  bool first = true;
  for (const auto& p : WireMessage(file, {1}).fields) {
    const WireMessage packet(p.bytes, {6, 8, 10, 11, 12, 13, 59, 60});
    if (packet.number(10) != 1) throw std::runtime_error("another sequence");
    if (std::exchange(first, false)) {
      if (packet.number(13) != 3) throw std::runtime_error("the state is not cleared");
      const WireMessage defaults(packet.text(59), {11, 58});
      if (defaults.number(58) != 64) throw std::runtime_error("another clock");
      for (const auto& c : WireMessage(packet.text(6), {1}).fields) (void)WireMessage(c.bytes, {1, 2, 3, 4});
    }
    if (const auto* data = packet.find(12)) read_interned(data->bytes, names, args);
    if (const auto* d = packet.find(60)) {
      const WireMessage track(d->bytes, {1, 2, 3, 4, 5, 8, 11, 12, 14, 19});
      if (!out.tracks.emplace(track.number(1), read_track(track)).second) throw std::runtime_error("a track twice");
    }
    time += packet.number(8);
    const auto* e = packet.find(11);
    if (e == nullptr) continue;
    const WireMessage event(e->bytes, {3, 4, 9, 10, 11, 23, 30, 44, 47, 48, 52});
    PerfettoEvent& to = out.events.emplace_back();
    to.time = time;
    to.type = event.number(9);
    to.track = event.number(11);
    to.correlation = event.number(52);
    to.value = static_cast<std::int64_t>(event.number(30));
    if (!out.tracks.contains(to.track)) throw std::runtime_error("an unknown track");
    if (event.find(10) != nullptr) to.name = names.at(event.number(10));
    for (const auto& f : event.fields) {
      if (f.number == 47) to.flows.push_back(f.value);
      if (f.number == 48) to.last_flows.push_back(f.value);
      if (f.number != 4) continue;
      const WireMessage annotation(f.bytes, {1, 2, 3, 4, 5, 6, 17});
      to.args[args.at(annotation.number(1))] = annotation.number(3, annotation.number(4));
    }
  }
  return out;
}

// Checks properties of all traces: times ascend; begins and ends balance per track, with at most one open slice; an
// arrow begins once, and then ends once. Returns the first violation, or "".
inline std::string faults_of(const PerfettoTrace& trace) {
  std::uint64_t last = 0;
  std::map<std::uint64_t, int> open;
  std::map<std::uint64_t, int> flows;  // 1: begun, 2: ended
  for (const PerfettoEvent& e : trace.events) {
    if (e.time < last) return "time goes back";
    last = e.time;
    if (e.type == 1 && open[e.track]++ != 0) return "slices of a track overlap";
    if (e.type == 2 && open[e.track]-- != 1) return "an end without a begin";
    if ((e.type == 1) != !e.name.empty() && e.type == 2) return "an end with a name";
    for (const std::uint64_t f : e.flows) {
      if (e.type != 1 || flows[f]++ != 0) return "an arrow begins at an end, or twice";
    }
    for (const std::uint64_t f : e.last_flows) {
      if (e.type != 2 || flows[f]++ != 1) return "an arrow ends at a begin, twice, or before it begins";
    }
  }
  for (const auto& [track, n] : open) {
    if (n != 0) return "a slice is open";
  }
  for (const auto& [flow, n] : flows) {
    if (n != 2) return "an arrow has one end";
  }
  return "";
}

}  // namespace convert::test
