// SPDX-License-Identifier: MIT
#include "core/trace.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace convert {
namespace {

// Node i has elements of every kind, each in another number than its neighbours.
void add(NodeTable& t, NodeId i) {
  const std::string own = "n" + std::to_string(i);
  t.add_node(i, NodeType::comm_send, own);
  for (NodeId d = 0; d < i % 3; ++d) t.add_data_dep(i + d);
  if (i % 2 == 1) t.add_ctrl_dep(i + 7);
  t.add_int(attr::comm_size, Kind::int64_val, static_cast<std::int64_t>(i) * 100);
  t.add_string(attr::pg_name, own + "-group");
  t.add_double(Name("weight"), 0.5 * static_cast<double>(i));
  const std::array<std::int64_t, 3> numbers = {1, -2, static_cast<std::int64_t>(i)};
  t.add_ints(Name("shape"), Kind::int32_list, std::span(numbers).first(i % 4));
  const std::array<std::string, 2> texts = {own + "a", own + "bc"};
  t.add_strings(attr::history, std::span(texts).first(i % 3));
  if (i % 2 == 0) {
    t.attrs.back().extra = static_cast<std::uint32_t>(t.extras.size() + 1);
    t.extras.push_back({t.add_text(own + " doc"), {}, t.add_text("x")});
    t.io.push_back({t.add_text(own + " values"), t.add_text("[2]"), {}, t.add_text("?")});
    t.nodes.back().outputs = static_cast<std::uint32_t>(t.io.size());
  }
  t.end_node();
  t.positions.push_back(i * 10);
}

// The whole table as text, with a comma after each part: "ID@POSITION", name, "dNODE" and "cNODE" for data and
// control dependencies, names and values of attributes, outputs.
std::string text_of(const NodeTable& t) {
  std::string out;
  const auto put = [&out](std::string_view what) { out.append(what).append(","); };
  for (std::size_t n = 0; n < t.nodes.size(); ++n) {
    const Node& node = t.nodes[n];
    put(std::to_string(node.id) + "@" + std::to_string(t.positions[n]));
    put(t.name(node));
    for (const NodeId d : t.data_deps(node)) put("d" + std::to_string(d));
    for (const NodeId d : t.ctrl_deps(node)) put("c" + std::to_string(d));
    for (const Attr& a : t.attributes(node)) {
      put(a.name.view());
      if (a.kind == Kind::string_val) {
        put(t.string(a));
      } else if (a.kind == Kind::string_list) {
        for (const Text s : t.string_list(a)) put(t.view(s));
      } else if (a.kind == Kind::int32_list) {
        for (const std::uint64_t bits : t.list(a)) put(std::to_string(static_cast<std::int64_t>(bits)));
      } else {
        put(std::to_string(a.bits));
      }
      if (a.extra != 0)
        put(std::string(t.view(t.extras[a.extra - 1].doc_string)) + "/" +
            std::string(t.view(t.extras[a.extra - 1].list_unknown)));
    }
    if (node.outputs != 0) {
      const IoInfo& io = t.io[node.outputs - 1];
      for (const Text part : {io.values, io.shapes, io.types, io.unknown}) put(t.view(part));
    }
    out += '\n';
  }
  return out;
}

TEST(NodeTable, AppendedTablesAreOneTable) {
  constexpr NodeId count = 12;
  NodeTable whole;
  for (NodeId i = 0; i < count; ++i) add(whole, i);
  for (NodeId split = 0; split <= count; ++split) {
    NodeTable front;
    NodeTable back;
    for (NodeId i = 0; i < count; ++i) add(i < split ? front : back, i);
    front.append(back);
    EXPECT_EQ(text_of(front), text_of(whole)) << split;
  }
}

TEST(Values, IntegersOfAnyKindAndNoOther) {
  NodeTable t;
  t.add_node(0, NodeType::comp, "");
  t.add_bool(attr::is_cpu_op, true);
  t.add_int(attr::comm_size, Kind::uint64_val, -1);
  t.add_string(attr::pg_name, "0");
  t.end_node();
  const auto attrs = t.attributes(t.nodes[0]);
  EXPECT_EQ(int_value(attrs, attr::is_cpu_op).value, 1);
  EXPECT_EQ(int_value(attrs, attr::comm_size).status, IntValue::Status::too_large);
  EXPECT_EQ(int_value(attrs, attr::pg_name).status, IntValue::Status::wrong_kind);
  EXPECT_EQ(int_value(attrs, attr::comm_tag).status, IntValue::Status::absent);
  EXPECT_EQ(string_value(t, attrs, attr::pg_name), "0");
  EXPECT_EQ(string_value(t, attrs, attr::comm_size), std::nullopt);
}

}  // namespace
}  // namespace convert
