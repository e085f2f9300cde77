// SPDX-License-Identifier: MIT
// PyTorch host traces and device profiles in short form, as their readers produce them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"

namespace convert::test {

class HostBuilder {
 public:
  explicit HostBuilder(std::string_view schema = "1.1.1-chakra.0.0.4") {
    trace_.name = "host.json";
    AttrTable& table = trace_.metadata.table;
    table.add_string(attr::schema, schema);
    table.add_int(attr::pid, Kind::uint64_val, 7);
    table.add_string(attr::time, "now");
    table.add_int(attr::start_ts, Kind::uint64_val, 1);
    table.add_int(attr::finish_ts, Kind::uint64_val, 2);
  }
  // Further attributes may follow until the next node.
  HostBuilder& node(NodeId id, std::string_view name, NodeId caller, std::int64_t rf_id = 0) {
    end();
    NodeTable& t = trace_.nodes;
    t.add_node(id, NodeType::comp, name);
    t.add_ctrl_dep(caller);
    inputs("[]", "[]");
    t.nodes.back().inputs = static_cast<std::uint32_t>(t.io.size());
    inputs("[]", "[]");
    t.nodes.back().outputs = static_cast<std::uint32_t>(t.io.size());
    for (const Name name_of : {attr::rf_id, attr::fw_parent, attr::seq_id, attr::scope, attr::tid, attr::fw_tid})
      t.add_int(name_of, Kind::int64_val, name_of == attr::rf_id ? rf_id : 1);
    t.add_string(attr::op_schema, "");
    open_ = true;
    return *this;
  }
  // A process with one thread: nodes 1 and 2.
  HostBuilder& thread() {
    return node(1, "[pytorch|profiler|execution_trace|process]", 1)
        .node(2, "[pytorch|profiler|execution_trace|thread]", 1);
  }
  HostBuilder& tensors(std::string_view values, std::string_view types) {
    IoInfo& io = trace_.nodes.io[trace_.nodes.nodes.back().inputs - 1];
    io.values = trace_.nodes.add_text(values);
    io.types = trace_.nodes.add_text(types);
    return *this;
  }
  HostBuilder& set(Name name, std::string_view value) {
    trace_.nodes.add_string(name, value);
    return *this;
  }
  HostBuilder& set(Name name, std::int64_t value) {
    trace_.nodes.add_int(name, Kind::int64_val, value);
    return *this;
  }
  HostBuilder& set(Name name, double value) {
    trace_.nodes.add_double(name, value);
    return *this;
  }
  // A device operation of a linked trace.
  HostBuilder& kernel(NodeId id, std::string_view name, NodeId caller) {
    return node(id, name, caller).set(attr::cat, "kernel").set(attr::stream, std::int64_t{7});
  }
  Trace trace() {
    end();
    return trace_;
  }

 private:
  void inputs(std::string_view values, std::string_view types) {
    NodeTable& t = trace_.nodes;
    t.io.push_back(
        {.values = t.add_text(values), .shapes = t.add_text("[]"), .types = t.add_text(types), .unknown = {}});
  }
  void end() {
    if (open_) trace_.nodes.end_node();
    open_ = false;
  }
  Trace trace_;
  bool open_ = false;
};

// Times are in whole microseconds unless stated otherwise.
class ProfileBuilder {
 public:
  ProfileBuilder() {
    profile_.file = "kineto.json";
    profile_.threads = {"100", "200", "300", "0"};
  }
  ProfileBuilder& cpu(std::uint32_t thread, std::int64_t start_us, std::int64_t duration_us, std::int64_t rf_id,
                      std::int64_t external_id = Profile::none, std::string_view name = "op") {
    auto& op = profile_.cpu_ops.emplace_back();
    fill(op, 1000 * start_us, 1000 * duration_us, external_id);
    op.thread = thread;
    op.rf_id = rf_id;
    op.name = profile_.args.add_text(name);
    return *this;
  }
  ProfileBuilder& launch(std::uint32_t thread, std::int64_t start_us, std::int64_t correlation,
                         std::string_view name = "cudaLaunchKernel") {
    auto& call = profile_.calls.emplace_back();
    fill(call, 1000 * start_us, 1000, Profile::none);
    call.thread = thread;
    call.correlation = correlation;
    call.name = profile_.args.add_text(name);
    return *this;
  }
  ProfileBuilder& kernel(std::int64_t start_us, std::int64_t correlation, std::int64_t external_id,
                         std::string_view name = "gemm") {
    auto& op = profile_.device_ops.emplace_back();
    fill(op, 1000 * start_us, 5000, external_id);
    op.correlation = correlation;
    op.stream = 7;
    op.has_stream = true;
    op.name = profile_.args.add_text(name);
    return *this;
  }
  Profile& profile() { return profile_; }

 private:
  void fill(Profile::Event& e, std::int64_t start_ns, std::int64_t duration_ns, std::int64_t external_id) {
    e.start_ns = start_ns;
    e.duration_ns = duration_ns;
    e.external_id = external_id;
    e.order = static_cast<std::uint32_t>(profile_.events++);
    e.whole_start = e.whole_duration = e.exact_times = e.usual_category = e.usual_external_id = true;
  }
  Profile profile_;
};

}  // namespace convert::test
