// SPDX-License-Identifier: MIT
#include "passes/link/linked_input.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "passes/link/operators.h"

namespace convert {
namespace {

// Returns the nanoseconds of microseconds, which the reader provides as an integer or a double; 0 if absent.
std::int64_t nanoseconds(const Attr* a) {
  if (a == nullptr) return 0;
  constexpr double most = 9.2e15;
  if (a->kind == Kind::int64_val) {
    const auto us = static_cast<std::int64_t>(a->bits);
    return us >= 0 && us < static_cast<std::int64_t>(most) ? us * 1000 : 0;
  }
  if (a->kind != Kind::double_val) return 0;
  const auto us = std::bit_cast<double>(a->bits);
  return us >= 0 && us < most ? std::llround(us * 1000) : 0;
}

bool is_link_field(Name name) {
  return name == attr::inclusive_dur || name == attr::exclusive_dur || name == attr::ts ||
         name == attr::inter_thread_dep || name == attr::sync_dep || name == attr::cat || name == attr::ph;
}

class Splitter {
 public:
  explicit Splitter(Trace& trace) : trace_(trace), table_(trace.nodes) {}

  Profile split() {
    out_.file = trace_.name;
    std::vector<Node> host;
    for (const Node& n : table_.nodes) {
      if (!is_device(n)) host.push_back(n);
    }
    std::unordered_map<NodeId, std::size_t> operators;  // operators with a time: index into cpu_ops
    for (const Node& n : host) {
      if (find(table_.attributes(n), attr::ts) == nullptr) continue;
      operators.emplace(n.id, out_.cpu_ops.size());
      add_operator(n);
    }
    for (const Node& n : table_.nodes) {
      if (!is_device(n)) continue;
      const auto deps = table_.ctrl_deps(n);
      const auto parent = deps.empty() ? operators.end() : operators.find(deps[0]);
      add_device(n, parent == operators.end() ? nullptr : &out_.cpu_ops[parent->second]);
    }
    table_.nodes = std::move(host);
    drop_link_fields();
    out_.events = out_.cpu_ops.size() + out_.device_ops.size();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_device(const Node& n) const { return find(table_.attributes(n), attr::cat) != nullptr; }

  [[nodiscard]] Profile::Event event(const Node& n) const {
    const auto attrs = table_.attributes(n);
    Profile::Event e;
    e.start_ns = nanoseconds(find(attrs, attr::ts));
    e.duration_ns = std::min(nanoseconds(find(attrs, attr::inclusive_dur)),
                             std::numeric_limits<std::int64_t>::max() - e.start_ns);
    e.order = static_cast<std::uint32_t>(out_.cpu_ops.size() + out_.device_ops.size());
    return e;
  }

  void add_operator(const Node& n) {
    const HostIds ids = host_ids(trace_, n);
    const auto [thread, added] = threads_.try_emplace(ids.tid, static_cast<std::uint32_t>(out_.threads.size()));
    if (added) out_.threads.push_back(std::to_string(ids.tid));
    out_.cpu_ops.push_back({event(n), thread->second, ids.rf_id, ids.seq_id,
                            ids.fw_tid > 0 ? ids.fw_tid : Profile::none, out_.args.add_text(table_.name(n))});
  }

  void add_device(const Node& n, const Profile::CpuOp* parent) {
    const auto attrs = table_.attributes(n);
    const auto correlation = static_cast<std::int64_t>(out_.device_ops.size());
    const std::string_view category = string_value(table_, attrs, attr::cat).value_or("");
    Profile::DeviceOp d{event(n), correlation, int_value(attrs, attr::stream).value, 0,
                        out_.args.add_text(table_.name(n))};
    d.kind = category == "gpu_memcpy"   ? DeviceOpKind::memcpy
             : category == "gpu_memset" ? DeviceOpKind::memset
                                        : DeviceOpKind::kernel;
    if (parent != nullptr) {
      Profile::Call call;
      call.start_ns = std::clamp(d.start_ns, parent->start_ns, parent->end_ns());
      call.thread = parent->thread;
      call.correlation = correlation;
      out_.calls.push_back(call);
    }
    out_.device_ops.push_back(d);
  }

  void drop_link_fields() {
    std::vector<Attr> kept;
    kept.reserve(table_.attrs.size());
    for (Node& n : table_.nodes) {
      const auto begin = static_cast<std::uint32_t>(kept.size());
      for (const Attr& a : table_.attributes(n)) {
        if (!is_link_field(a.name)) kept.push_back(a);
      }
      n.attrs = {begin, static_cast<std::uint32_t>(kept.size() - begin)};
    }
    table_.attrs = std::move(kept);
  }

  Trace& trace_;
  NodeTable& table_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
  Profile out_;
};

}  // namespace

bool is_linked(const Trace& trace) {
  return std::any_of(trace.nodes.nodes.begin(), trace.nodes.nodes.end(), [&](const Node& n) {
    const auto attrs = trace.nodes.attributes(n);
    return find(attrs, attr::ts) != nullptr || find(attrs, attr::cat) != nullptr;
  });
}

Profile take_linked_apart(Trace& trace) { return Splitter(trace).split(); }

}  // namespace convert
