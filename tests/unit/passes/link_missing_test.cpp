// SPDX-License-Identifier: MIT
// Communication that a profile does not contain: calls without a kernel, and calls without a call of a backend.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "graph/communication_marks.h"
#include "link_builder.h"

namespace convert::test {
namespace {

// Returns the nodes that have an attribute.
std::vector<Node> marked(const LinkedTrace& l, Name attribute) {
  std::vector<Node> nodes;
  for (const Node& n : l.trace.nodes.nodes) {
    if (find(l.trace.nodes.attributes(n), attribute) != nullptr) nodes.push_back(n);
  }
  return nodes;
}

void all_reduce(Program& p, std::int64_t at, std::string_view backend, bool kernel) {
  const NodeId outer = p.op(0, at, at + 90, "c10d::allreduce_");
  const NodeId call = p.op(0, at + 5, at + 85, "record_param_comms", {.caller = outer});
  p.set(attr::collective_name, "allreduce");
  p.set(attr::in_msg_nelems, std::int64_t{10});
  p.set(attr::out_msg_nelems, std::int64_t{10});
  p.set(attr::dtype, "Float");
  p.set(attr::pg_name, "0");
  p.op(0, at + 10, at + 80, std::string(backend) + ":all_reduce", {.caller = call});
  if (!kernel) return;
  p.call(0, at + 20, at + 30);
  p.device(7, at + 40, at + 140, "ncclDevKernel_AllReduce(args)");
}

TEST(LinkMissing, CallsWithoutAKernelAreCounted) {
  Program p;
  all_reduce(p, 1000, "nccl", true);
  all_reduce(p, 2000, "nccl", false);
  all_reduce(p, 3000, "gloo", false);  // a backend without kernels
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::communication_kernel), 1U);
  EXPECT_EQ(count(l.report, Unmatched::communication_missing), 0U);
  EXPECT_EQ(marked(l, kernelless_communication).size(), 1U);
  for (const Node& n : marked(l, kernelless_communication)) {
    EXPECT_EQ(n.type, NodeType::comm_coll);
    EXPECT_EQ(l.trace.nodes.name(n), "nccl:all_reduce");
  }
  EXPECT_EQ(marked(p.link_host(), kernelless_communication).size(), 0U);  // no device trace: no times
}

TEST(LinkMissing, CallsOfWhichNothingIsRecordedAreCounted) {
  Program p(2);
  p.op(0, 1000, 1020, "c10d::allreduce_");  // executed by gloo's thread
  p.op(1, 1010, 1500, "gloo:all_reduce");
  p.set(attr::in_msg_nelems, std::int64_t{10});
  p.op(0, 2000, 2020, "c10d::allreduce_");
  p.op(0, 2500, 2520, "c10d::barrier");
  p.op(0, 3000, 3020, "c10d::unknown");
  all_reduce(p, 4000, "nccl", true);
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::communication_missing), 2U);
  EXPECT_EQ(count(l.report, Unmatched::communication_kernel), 0U);
  EXPECT_EQ(marked(l, missing_communication).size(), 2U);
  for (const Node& n : marked(l, missing_communication)) {
    EXPECT_EQ(n.type, NodeType::comp);
    EXPECT_EQ(int_value(l.trace.nodes.attributes(n), attr::is_cpu_op).value, 1);
  }
  EXPECT_EQ(marked(p.link_host(), missing_communication).size(), 0U);
}

}  // namespace
}  // namespace convert::test
