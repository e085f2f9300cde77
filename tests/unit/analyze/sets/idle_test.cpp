// SPDX-License-Identifier: MIT
#include "analyze/sets/idle.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

// Adds an operator of the host, or with `stream` ≥ 0 an operation of the device that was launched by `launcher`
// (-1: unknown).
void add(Trace& t, NodeId id, std::int64_t begin_ns, std::int64_t ns, std::int64_t stream = -1,
         std::int64_t launcher = -1) {
  t.nodes.add_node(id, NodeType::comp, stream < 0 ? "aten::mm" : "kernel");
  if (launcher >= 0) t.nodes.add_data_dep(static_cast<NodeId>(launcher));
  t.nodes.add_bool(attr::is_cpu_op, stream < 0);
  if (stream >= 0) t.nodes.add_int(attr::stream, Kind::int64_val, stream);
  t.nodes.add_int(attr::start_nanos, Kind::int64_val, begin_ns);
  t.nodes.add_int(attr::duration_nanos, Kind::int64_val, ns);
  if (launcher >= 0) t.nodes.add_string(attr::dep_rules, "l");
  t.nodes.end_node();
}

TEST(Idle, IsOfTheHostIfTheLaunchCameLate) {
  Trace t;
  add(t, 0, 100, 50);          // ends at 150
  add(t, 1, 1000, 100, 7, 0);  // until 1,100
  add(t, 2, 1150, 30);         // ends at 1,180: late
  add(t, 3, 1200, 100, 7, 2);  // host wait of 100
  add(t, 4, 160, 40);          // ends at 200: long before
  add(t, 5, 1320, 80, 7, 4);   // kernel wait of 20
  add(t, 6, 1500, 100, 7, 4);  // launched, but 100 later: other
  add(t, 7, 1700, 100, 7);     // unknown launch: other
  const auto streams = idle_of(t);
  ASSERT_EQ(streams.size(), 1U);
  const StreamIdle& s = streams.at(7);
  EXPECT_EQ(s.operations, 5U);
  EXPECT_EQ(s.busy_ns, 480);
  EXPECT_EQ(s.host_wait_ns, 100);
  EXPECT_EQ(s.kernel_wait_ns, 20);
  EXPECT_EQ(s.other_wait_ns, 200);
  EXPECT_EQ(s.unlaunched, 1U);
}

TEST(Idle, StreamsAreApartAndOverlapsCountOnce) {
  Trace t;
  add(t, 0, 1000, 100, 1);
  add(t, 1, 1050, 100, 1);
  add(t, 2, 1060, 10, 1);
  add(t, 3, 5000, 10, 2);
  const auto streams = idle_of(t);
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams.at(1).busy_ns, 150);
  EXPECT_EQ(streams.at(1).other_wait_ns, 0);
  EXPECT_EQ(streams.at(2).busy_ns, 10);
}

TEST(Idle, NothingOfTracesWithoutADevice) {
  Trace t;
  add(t, 0, 100, 50);
  EXPECT_TRUE(idle_of(t).empty());
}

}  // namespace
}  // namespace convert
