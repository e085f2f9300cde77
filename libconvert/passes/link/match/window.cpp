// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/id_lookup.h"
#include "passes/link/match/matching.h"

namespace convert {
namespace {

constexpr std::int64_t no_begin = INT64_MIN;
constexpr std::int64_t no_end = INT64_MAX;

class Observed {
 public:
  Observed(Profile& device, Matching& matching, LinkReport& report)
      : device_(device), matching_(matching), report_(report) {}

  void keep() {
    if (!measure()) return;
    find_begin();
    find_end();
    if (begin_ns_ == no_begin && end_ns_ == no_end) return;
    note_window();
    cut();
  }

 private:
  bool measure();
  void find_begin();
  void find_end();
  void note_window();
  void cut();
  void cut_device_ops(const std::vector<bool>& call_kept, const std::vector<bool>& event_kept);
  template <class Events>
  static void erase(Events& events, const std::vector<bool>& kept, std::uint64_t& left_out);
  [[nodiscard]] bool within(const Profile::Event& e) const {
    return begin_ns_ <= e.start_ns && e.start_ns < end_ns_;
  }
  // Whether an event shows that the profile extends beyond the host trace, before or after it. no: annotations may
  // enclose everything; maybe: the observer does not see all operators; yes: the event was not observed.
  enum class Foreign : std::uint8_t { no, maybe, yes };
  [[nodiscard]] Foreign foreign(std::size_t e) const;
  // Counts events beyond one end of the paired ones, and decides whether the profile extends there.
  class Beyond {
   public:
    void add(Foreign f) {
      if (f == Foreign::yes) certain_ = true;
      if (f == Foreign::maybe) ++maybe_;
    }
    [[nodiscard]] bool goes_on(std::size_t matched) const { return certain_ || 2 * maybe_ > matched; }

   private:
    bool certain_ = false;
    std::size_t maybe_ = 0;
  };

  Profile& device_;
  Matching& matching_;
  LinkReport& report_;
  std::int64_t first_ns_ = no_end, last_ns_ = no_begin, all_end_ns_ = no_begin;  // of events with a partner
  std::size_t partners_ = 0;
  std::vector<bool> matched_;         // by thread: some operator has a partner
  std::vector<std::int64_t> end_of_;  // by thread: end of the last operator with a partner
  std::int64_t begin_ns_ = no_begin, end_ns_ = no_end;
};

bool Observed::measure() {
  matched_.resize(device_.threads.size());
  end_of_.resize(device_.threads.size(), no_begin);
  for (std::size_t e = 0; e < device_.cpu_ops.size(); ++e) {
    if (matching_.host_of[e] == no_index) continue;
    const Profile::CpuOp& op = device_.cpu_ops[e];
    ++partners_;
    first_ns_ = std::min(first_ns_, op.start_ns);
    last_ns_ = std::max(last_ns_, op.start_ns);
    all_end_ns_ = std::max(all_end_ns_, op.end_ns());
    matched_[op.thread] = true;
    if (!op.annotation) end_of_[op.thread] = std::max(end_of_[op.thread], op.end_ns());
  }
  return first_ns_ != no_end;
}

Observed::Foreign Observed::foreign(std::size_t e) const {
  const Profile::CpuOp& op = device_.cpu_ops[e];
  if (matching_.host_of[e] != no_index || op.annotation || !matched_[op.thread]) return Foreign::no;
  if (!matching_.ids_hold) return Foreign::yes;
  // PyTorch assigns ids, which are written here, only while there is an observer; otherwise ids are 0.
  if (op.rf_id >= 0) return matching_.observed(op) ? Foreign::no : Foreign::yes;
  const LinkReport::Range& sequences = report_.evidence.host_sequences;
  return op.sequence >= 0 && !sequences.empty() && !sequences.holds(op.sequence) ? Foreign::yes : Foreign::maybe;
}

void Observed::find_begin() {
  Beyond before;
  for (std::size_t e = 0; e < device_.cpu_ops.size(); ++e) {
    const Profile::CpuOp& op = device_.cpu_ops[e];
    if (op.start_ns < first_ns_ && op.end_ns() <= first_ns_) before.add(foreign(e));
  }
  if (before.goes_on(partners_)) begin_ns_ = first_ns_;
}

void Observed::find_end() {
  Beyond behind;
  std::int64_t next_ns = no_end;
  for (std::size_t e = 0; e < device_.cpu_ops.size(); ++e) {
    const Profile::CpuOp& op = device_.cpu_ops[e];
    if (op.start_ns <= last_ns_ || op.start_ns < end_of_[op.thread]) continue;
    const Foreign f = foreign(e);
    behind.add(f);
    if (f != Foreign::no) next_ns = std::min(next_ns, op.start_ns);
  }
  if (behind.goes_on(partners_)) end_ns_ = std::min(next_ns, std::max(all_end_ns_, last_ns_ + 1));
}

void Observed::note_window() {
  std::int64_t begin = no_end, end = no_begin;
  const auto take = [&](const auto& events) {
    for (const Profile::Event& e : events) begin = std::min(begin, e.start_ns), end = std::max(end, e.end_ns());
  };
  take(device_.cpu_ops);
  take(device_.calls);
  take(device_.device_ops);
  report_.window = LinkReport::Window{.begin_ns = std::max(begin_ns_, begin) - begin,
                                      .end_ns = std::min(end_ns_, end) - begin,
                                      .profile_ns = end - begin};
}

template <class Events>
void Observed::erase(Events& events, const std::vector<bool>& kept, std::uint64_t& left_out) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (kept[i]) events[to++] = events[i];
  }
  left_out += events.size() - to;
  events.resize(to);
}

// Keeps operations together with their call. Operations without a call are kept with the operator that they name,
// else by their time.
void Observed::cut_device_ops(const std::vector<bool>& call_kept, const std::vector<bool>& event_kept) {
  const IdLookup calls(device_.calls.size(),
                       [&](std::size_t i) { return Profile::given(device_.calls[i].correlation); });
  const IdLookup events(device_.cpu_ops.size(),
                        [&](std::size_t i) { return Profile::given(device_.cpu_ops[i].external_id); });
  const auto find = [](const IdLookup& in, std::int64_t id) {
    return id < 0 ? IdLookup::none : in.find(static_cast<std::uint64_t>(id));
  };
  std::vector<bool> op_kept, sync_kept;
  for (const Profile::DeviceOp& op : device_.device_ops) {
    const std::uint32_t call = find(calls, op.correlation), event = find(events, op.external_id);
    op_kept.push_back(call != IdLookup::none    ? call_kept[call]
                      : event != IdLookup::none ? event_kept[event]
                                                : within(op));
  }
  for (const Profile::Sync& sync : device_.syncs) {
    const std::uint32_t call = find(calls, sync.correlation);
    sync_kept.push_back(call != IdLookup::none ? call_kept[call] : within(sync));
  }
  std::uint64_t syncs = 0;
  erase(device_.device_ops, op_kept, report_.window->device_events);
  erase(device_.syncs, sync_kept, syncs);
}

void Observed::cut() {
  std::vector<bool> event_kept, call_kept;
  for (std::size_t e = 0; e < device_.cpu_ops.size(); ++e)
    event_kept.push_back(matching_.host_of[e] != no_index || within(device_.cpu_ops[e]));
  for (const Profile::Call& call : device_.calls) call_kept.push_back(within(call));
  cut_device_ops(call_kept, event_kept);
  erase(device_.calls, call_kept, report_.window->calls);
  erase(device_.cpu_ops, event_kept, report_.window->cpu_events);
  std::uint32_t to = 0;
  for (std::uint32_t e = 0; e < event_kept.size(); ++e) {
    if (!event_kept[e]) continue;
    const std::uint32_t host = matching_.host_of[e];
    if (host != no_index) matching_.event_of[host] = to;
    matching_.host_of[to++] = host;
  }
  matching_.host_of.resize(to);
  for (Profile::CpuOp& op : device_.cpu_ops) {
    if (op.end_ns() > end_ns_) op.duration_ns = end_ns_ - op.start_ns;
  }
}

}  // namespace

void keep_observed(Profile& device, Matching& matching, LinkReport& report) {
  Observed(device, matching, report).keep();
}

}  // namespace convert
