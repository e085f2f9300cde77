// SPDX-License-Identifier: MIT
// Descriptions of the waits of a stopped replay; hints.cpp finds what to change.
#include <algorithm>

#include "core/run/waiting_text.h"
#include "core/units.h"
#include "simulate/waits/graph.h"

namespace convert {
namespace {

using For = WaitingNode::For;

std::string within_rank(const NodeRef& n) {
  return n.inner ? "inner node " + std::to_string(*n.inner) : "node " + std::to_string(n.node);
}

std::string subject(const WaitingNode& w) {
  return describe(w.node) + (w.name.empty() ? "" : " '" + w.name + '\'');
}

std::string number(const WaitingNode::Collective& c) {
  return "number " + std::to_string(c.number) + " of " + describe_group(c.group);
}

std::string message_text(const WaitingNode& w) {
  if (w.what == For::send) return receive_text(subject(w), describe(w.on), w.tag, w.bytes);
  const std::string what = tag_text(w.tag, w.bytes);
  if (w.what == For::receive)
    return subject(w) + " sends to " + describe(w.on) + " (" + what + "), whose receive has not started";
  const std::string peer = "rank " + std::to_string(w.peer) + " (" + what + "), which has no such ";
  std::string line = subject(w) + (w.sends ? " sends to " + peer + "receive" : " receives from " + peer + "send");
  if (!w.other_bytes && !w.other_tag) return line;
  line += w.other_bytes ? " left; one of " + counted(*w.other_bytes, "byte") + " with that tag"
                        : " left; one of that size with tag " + std::to_string(*w.other_tag);
  return line + (w.sends ? " never gets its message" : " is never received");
}

std::string collective_text(const WaitingNode& w) {
  const WaitingNode::Collective& c = *w.collective;
  if (w.what == For::other_call) {
    const auto with = [](const std::string& particulars) {
      return particulars.empty() ? "" : " (" + particulars + ")";
    };
    return subject(w) + " calls " + describe_call(c.op, c.bytes) + with(c.particulars) + " as " + number(c) +
           ", where " + describe(w.on) + " calls " + describe_call(w.other->op, w.other->bytes) +
           with(w.other->particulars);
  }
  std::string line = call_text(subject(w), describe_call(c.op, c.bytes), c.number, describe_group(c.group));
  if (w.what == For::inner) return line + ", whose algorithm waits for " + within_rank(w.on);
  if (w.what == For::algorithm) return line + ", whose algorithm has not ended";
  const std::string rank = "rank " + std::to_string(w.peer);
  if (w.what == For::no_call && c.missing == 1) return line + ", which " + rank + " never calls";
  line += ", which " + missing_text(w.peer, c.missing);
  if (w.what == For::no_call) return line + "; " + rank + " never does";
  if (w.what == For::none_left) return line + "; " + rank + " has no such call left";
  return line + "; " + next_call_text(w.peer, within_rank(w.on));
}

// Lists waiting nodes except the first of each rank, in the remaining lines.
void list_others(const WaitReport& report, std::size_t max_lines, std::vector<std::string>& lines) {
  const std::size_t told = max_lines == 0 ? report.blocked.size() : std::min(report.blocked.size(), max_lines);
  auto is_told = [&, next = std::size_t{0}](const NodeRef& n) mutable {
    while (next < told && report.blocked[next].node.rank < n.rank) ++next;
    return next < told && report.blocked[next].node == n;
  };
  std::uint64_t shown = told;
  for (const WaitingNode& w : report.waiting) {
    if (max_lines != 0 && shown >= max_lines) break;
    if (is_told(w.node)) continue;
    lines.push_back(describe_wait(w));
    ++shown;
  }
  if (shown == report.waiting_total) return;
  std::string line = "… " + std::to_string(report.waiting_total - shown) + " more waiting nodes";
  if (told < report.blocked_total) line += ", also on " + counted(report.blocked_total - told, "other rank");
  lines.push_back(std::move(line));
}

std::string describe_wait(const UnmatchedSend& s) {
  return (s.inner ? "the algorithm of a collective on rank " + std::to_string(s.node.rank) : describe(s.node)) +
         " sends to rank " + std::to_string(s.peer) + " (" + tag_text(s.tag, s.bytes) +
         "), which never receives it";
}

std::string short_text(const NodeRef& n) {
  return std::to_string(n.rank) + ":" + std::to_string(n.node) + (n.inner ? "/" + std::to_string(*n.inner) : "");
}

std::string cycle_text(const std::vector<NodeRef>& cycle, std::size_t shown) {
  std::string line = "cycle of waits: ";
  for (std::size_t i = 0; i < shown; ++i) line += short_text(cycle[i]) + " → ";
  if (shown < cycle.size()) line += "… " + std::to_string(cycle.size() - shown) + " more → ";
  return line + short_text(cycle.front());
}

}  // namespace

std::string describe_wait(const WaitingNode& w) {
  switch (w.what) {
    case For::dependency: return subject(w) + " depends on " + within_rank(w.on);
    case For::slot:
      return subject(w) + " waits for the " + std::string(slot_name(w.slot)) + " resource, which " +
             within_rank(w.on) + " holds";
    case For::turn: return subject(w) + " waits for its turn on link " + w.link + ", after " + describe(w.on);
    case For::send:
    case For::receive:
    case For::nothing: return message_text(w);
    case For::call:
    case For::no_call:
    case For::none_left:
    case For::other_call:
    case For::inner:
    case For::algorithm: break;
  }
  return collective_text(w);
}

std::string_view slot_name(Slot slot) {
  switch (slot) {
    case Slot::cpu: return "CPU";
    case Slot::compute: return "compute";
    case Slot::communication:
    case Slot::recv: break;
  }
  return "communication";
}

std::string describe_call(Collective op, std::int64_t bytes) {
  return std::string(name(op)) + " of " + format_bytes(bytes);
}

std::string describe_group(std::int64_t id) { return id == 0 ? "all ranks" : "group " + std::to_string(id); }

std::string describe(const NodeRef& n) {
  const std::string line = "rank " + std::to_string(n.rank) + " node " + std::to_string(n.node);
  return n.inner ? line + " inner node " + std::to_string(*n.inner) : line;
}

std::vector<std::string> describe(const WaitReport& report, std::size_t max_lines) {
  constexpr std::size_t max_length = 50;
  std::vector<std::string> lines;
  const auto list = [&](const auto& entries, std::uint64_t total, const char* what) {
    const std::size_t shown = max_lines == 0 ? entries.size() : std::min(entries.size(), max_lines);
    for (std::size_t i = 0; i < shown; ++i) lines.push_back(describe_wait(entries[i]));
    if (shown < total) lines.push_back("… " + std::to_string(total - shown) + " more " + what);
  };
  list(report.blocked, 0, "");  // list_others() counts the rest
  list_others(report, max_lines, lines);
  list(report.unmatched, report.unmatched_total, "messages that are never received");
  const auto add_cycle = [&](const std::vector<NodeRef>& cycle) {
    const std::size_t size = cycle.size();
    if (size != 0) lines.push_back(cycle_text(cycle, max_lines == 0 ? size : std::min(size, max_length)));
  };
  add_cycle(report.cycle);
  for (const std::vector<NodeRef>& cycle : report.more_cycles) add_cycle(cycle);
  if (report.more_cycles.size() + 1 == WaitReport::max_cycles) lines.emplace_back("… possibly more cycles");
  for (const std::string& hint : report.hints) lines.push_back("hint: " + hint);
  return lines;
}

}  // namespace convert
