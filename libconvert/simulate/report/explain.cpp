// SPDX-License-Identifier: MIT
#include "simulate/explain/explain.h"

#include <map>

#include "core/units.h"
#include "simulate/report/report.h"
#include "simulate/report/values.h"
#include "simulate/waits/graph.h"
#include "util/json_writer.h"
#include "util/text_table.h"
#include "util/visible.h"

namespace convert {
namespace {

using ExplainedStep = Explanation::Step;
using Then = Explanation::Then;
using What = Explanation::What;

std::string place(const NodeRef& n) { return std::to_string(n.rank) + ":" + std::to_string(n.node); }

bool is_message(const ExplainedStep& s) { return s.what == What::message || s.what == What::request; }

std::string collective_text(const ExplainedStep& s) {
  std::string text =
      describe_call(s.op, s.bytes) + ", number " + std::to_string(s.number) + " of " + describe_group(s.group);
  if (s.messages == 0) return text;
  text += ": " + counted(s.messages, "message") + " " + format_time(s.message_time);
  if (s.queued != 0) text += " (" + std::to_string(s.queued) + " from the queue of a link)";
  const Picoseconds local = s.time - s.message_time;
  return local == 0 ? text : text + ", local work " + format_time(local);
}

std::string what_text(const ExplainedStep& s) {
  std::string text;
  switch (s.what) {
    case What::compute:
    case What::cpu:
    case What::memory:
    case What::replayed: text = name(s.what); break;
    case What::receive: text = "receive: its message had arrived"; break;
    case What::requested: text = "send: the request of its receiver had arrived"; break;
    case What::message:
    case What::request:
      if (s.what == What::request) text = "request of ";
      text += format_bytes(s.bytes) + " to rank " + std::to_string(s.to);
      if (!s.wire.empty()) text += " over " + s.wire;
      if (s.waited != 0) text += ", after " + format_time(s.waited) + " in the queue of its link";
      break;
    case What::collective: text = collective_text(s); break;
    case What::delay: text = "its start delay"; break;
  }
  return s.name.empty() ? text : text + " (" + s.name + ")";
}

// Returns the times by kind of step, for the text above the list.
std::string shares(const Explanation& e) {
  std::map<std::string, Picoseconds> times;
  for (const ExplainedStep& s : e.steps) {
    if (s.what == What::collective) {
      times["messages of collectives"] += s.message_time;
      times["local work of collectives"] += s.time - s.message_time;
    } else {
      times[std::string(name(s.what)) + (is_message(s) ? "s" : "")] += s.time;
    }
  }
  std::string text;
  for (const auto& [what, time] : times) {
    if (time != 0) text += (text.empty() ? "" : ", ") + what + " " + format_time(time);
  }
  return text;
}

std::string title(const Explanation& e) {
  std::string text = "the replay ends";
  if (e.target) {
    text = "node " + std::to_string(e.target->node) + " of rank " + std::to_string(e.target->rank);
    if (!e.name.empty()) text += " (" + visible(e.name) + ")";
    text += " starts";
  }
  return text + " at " + format_exact_time(e.at);
}

void member_place(JsonWriter& json, std::string_view key, const NodeRef& n) {
  json.key(key).begin_object().member("npu", n.rank).member("node", n.node).end_object();
}

void write_step(const ExplainedStep& s, JsonWriter& json) {
  json.begin_object().member("npu", s.node.rank).member("node", s.node.node);
  if (!s.name.empty()) json.member("name", s.name);
  json.member("what", name(s.what));
  json.key("begin_ns").raw(format_ns(s.begin)).key("time_ns").raw(format_ns(s.time));
  if (is_message(s)) {
    json.member("to", s.to).member("bytes", s.bytes);
    if (!s.wire.empty()) json.member("link", s.wire);
    json.key("waited_ns").raw(format_ns(s.waited));
  } else if (s.what == What::collective) {
    json.member("op", name(s.op)).member("comm_size", s.bytes).member("group", s.group).member("number", s.number);
    json.member("messages", s.messages)
        .member("queued", s.queued)
        .key("messages_ns")
        .raw(format_ns(s.message_time));
  }
  json.member("then", name(s.then));
  if (s.then == Then::resource) json.member("resource", slot_name(s.slot));
  if (s.then != Then::end) member_place(json, "next", s.next);
  if (s.through) member_place(json, "through", *s.through);
  json.end_object();
}

}  // namespace

std::string describe_then(const Explanation::Step& s) {
  const std::string next = place(s.next);
  const std::string it = s.through ? place(*s.through) : "it";
  switch (s.then) {
    case Then::dependency: return next + " depends on " + it;
    case Then::resource: return it + " releases the " + std::string(slot_name(s.slot)) + " resource to " + next;
    case Then::indirect: return next + " depends on " + it + " through nodes that take no time";
    case Then::offer:
      return (s.through ? it + " ends: " : "") + "the NPU tries its ready nodes again, so " + next + " starts";
    case Then::wire: return "the message of " + next + " gets the link";
    case Then::memory: return "the memory serves " + next;
    case Then::chunk: return "a chunk of " + next + " gets its slot";
    case Then::go_on: return next + " continues";
    case Then::begin: return next + " begins";
    case Then::end: return "the replay ends";
  }
  return "";
}

void append_text(const Explanation& e, std::string& out, std::size_t max_steps) {
  out += title(e) + '\n';
  if (e.steps.empty()) {
    out += "it waited for nothing\n";
    return;
  }
  const std::size_t shown = max_steps == 0 ? e.steps.size() : std::min(e.steps.size(), max_steps);
  if (const std::string text = shares(e); !text.empty()) out += "the chain back to time 0: " + text + '\n';
  TextTable table({"begin", "time", "<node", "<what", "<then"});
  for (std::size_t i = 0; i < shown; ++i) {
    const ExplainedStep& s = e.steps[i];
    table.add({format_time(s.begin), format_time(s.time), place(s.node), what_text(s), describe_then(s)});
  }
  table.append_to(out);
  if (shown < e.steps.size())
    out += "… " + std::to_string(e.steps.size() - shown) + " more steps: with -v, --format csv or json\n";
}

void append_csv(const Explanation& e, std::string& out) {
  out +=
      "begin_ns,time_ns,npu,node,name,what,to,bytes,link,waited_ns,op,comm_size,group,number,messages,queued,"
      "messages_ns,then,resource,next_npu,next_node,through_npu,through_node\n";
  for (const ExplainedStep& s : e.steps) {
    const bool message = is_message(s);
    const bool collective = s.what == What::collective;
    out += format_ns(s.begin) + ',' + format_ns(s.time) + ',' + std::to_string(s.node.rank) + ',' +
           std::to_string(s.node.node) + ',' + csv_field(s.name) + ',' + std::string(name(s.what)) + ',';
    if (message) out += std::to_string(s.to) + ',' + std::to_string(s.bytes) + ',' + csv_field(s.wire) + ',';
    out += message ? format_ns(s.waited) + ',' : ",,,,";
    if (collective) {
      out += std::string(name(s.op)) + ',' + std::to_string(s.bytes) + ',' + std::to_string(s.group) + ',' +
             std::to_string(s.number) + ',' + std::to_string(s.messages) + ',' + std::to_string(s.queued) + ',' +
             format_ns(s.message_time) + ',';
    } else {
      out += ",,,,,,,";
    }
    out += std::string(name(s.then)) + ',';
    if (s.then == Then::resource) out += slot_name(s.slot);
    out += ',';
    out += s.then == Then::end ? "," : std::to_string(s.next.rank) + ',' + std::to_string(s.next.node);
    out += ',';
    out += s.through ? std::to_string(s.through->rank) + ',' + std::to_string(s.through->node) : ",";
    out += '\n';
  }
}

void append_json(const Explanation& e, std::string& out) {
  JsonWriter json(out);
  json.begin_object().line(1);
  if (e.target) {
    json.member("npu", e.target->rank).member("node", e.target->node);
    if (!e.name.empty()) json.member("name", e.name);
  }
  json.key(e.target ? "start_ns" : "total_ns").raw(format_ns(e.at));
  json.line(1).key("steps").begin_array();
  for (const ExplainedStep& s : e.steps) write_step(s, json.line(2));
  json.line(1).end_array().line().end_object();
  out += '\n';
}

}  // namespace convert
