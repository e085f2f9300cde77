// SPDX-License-Identifier: MIT
#include "simulate/waits/deadlock.h"
#include "util/json_writer.h"

namespace convert {
namespace {

using For = WaitingNode::For;

class WaitWriter {
 public:
  explicit WaitWriter(JsonWriter& json) : json_(json) {}

  void entry(const WaitingNode& w) {
    json_.begin_object();
    place(w.node);
    if (!w.name.empty()) json_.member("name", w.name);
    switch (w.what) {
      case For::dependency: node("dependency", w.on); break;
      case For::slot:
        json_.key("resource").begin_object().member("name", slot_name(w.slot));
        node("held_by", w.on);
        json_.end_object();
        break;
      case For::turn:
        json_.key("turn").begin_object().member("link", w.link);
        node("of", w.on);
        json_.end_object();
        break;
      case For::send:
      case For::receive:
      case For::nothing: message(w); break;
      case For::call:
      case For::no_call:
      case For::none_left:
      case For::other_call:
      case For::inner:
      case For::algorithm: collective(w); break;
    }
    json_.end_object();
  }

  void place(const NodeRef& n) {
    json_.member("npu", n.rank).member("node", n.node);
    if (n.inner) json_.member("inner", *n.inner);
  }

 private:
  void node(const char* key, const NodeRef& n) {
    json_.key(key).begin_object();
    place(n);
    json_.end_object();
  }

  void message(const WaitingNode& w) {
    json_.key(w.sends ? "send" : "receive").begin_object().member(w.sends ? "to" : "from", w.peer);
    json_.member("tag", w.tag).member("bytes", w.bytes);
    if (w.what != For::nothing) node(w.sends ? "receive" : "send", w.on);
    if (w.other_bytes)
      json_.member(w.sends ? "bytes_of_unmatched_receive" : "bytes_of_unmatched_send", *w.other_bytes);
    if (w.other_tag) json_.member(w.sends ? "tag_of_unmatched_receive" : "tag_of_unmatched_send", *w.other_tag);
    json_.end_object();
  }

  void collective(const WaitingNode& w) {
    const WaitingNode::Collective& c = *w.collective;
    json_.key("collective").begin_object().member("type", name(c.op)).member("bytes", c.bytes);
    json_.member("group", c.group).member("number", c.number);
    if (!c.particulars.empty()) json_.member("with", c.particulars);
    if (c.missing != 0) json_.member("missing", c.missing);
    if (w.what == For::call) node("next_call", w.on);
    if (w.what == For::no_call || w.what == For::none_left) json_.member("never_called_by", w.peer);
    if (w.what == For::inner) node("inner_node", w.on);
    if (w.what == For::other_call) {
      json_.key("in_place_of").begin_object();
      place(w.on);
      json_.member("type", name(w.other->op)).member("bytes", w.other->bytes);
      if (!w.other->particulars.empty()) json_.member("with", w.other->particulars);
      json_.end_object();
    }
    json_.end_object();
  }

  JsonWriter& json_;
};

}  // namespace

void append_waits(const WaitReport& report, JsonWriter& json) {
  WaitWriter writer(json);
  const auto list = [&](const char* key, const std::vector<WaitingNode>& nodes) {
    json.line(1).key(key).begin_array();
    for (const WaitingNode& w : nodes) {
      json.line(2);
      writer.entry(w);
    }
    json.line(1).end_array();
  };
  list("blocked", report.blocked);
  json.line(1).member("waiting_total", report.waiting_total);
  list("waiting", report.waiting);
  json.line(1).member("unmatched_sends_total", report.unmatched_total);
  json.line(1).key("unmatched_sends").begin_array();
  for (const UnmatchedSend& s : report.unmatched) {
    json.line(2).begin_object().member("npu", s.node.rank);
    if (!s.inner) json.member("node", s.node.node);
    json.member("to", s.peer).member("tag", s.tag).member("bytes", s.bytes).end_object();
  }
  json.line(1).end_array();
  const auto nodes = [&](const std::vector<NodeRef>& cycle) {
    json.begin_array();
    for (const NodeRef& n : cycle) {
      json.begin_object();
      writer.place(n);
      json.end_object();
    }
    json.end_array();
  };
  json.line(1).key("cycle");
  nodes(report.cycle);
  json.line(1).key("more_cycles").begin_array();
  for (const std::vector<NodeRef>& cycle : report.more_cycles) nodes(cycle);
  json.end_array();
  json.line(1).key("hints").begin_array();
  for (const std::string& hint : report.hints) json.value(hint);
  json.end_array();
}

}  // namespace convert
