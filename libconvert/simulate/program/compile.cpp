// SPDX-License-Identifier: MIT
#include "simulate/program/compile.h"

#include <algorithm>
#include <limits>

#include "core/attr_names.h"
#include "core/units.h"
#include "graph/collectives.h"
#include "graph/communication_marks.h"
#include "graph/left_out_process.h"

namespace convert {
namespace {

constexpr std::uint64_t max_duration_ns = std::numeric_limits<Picoseconds>::max() / ps_per_ns;

}  // namespace

std::optional<std::int64_t> bytes_of_chunks(std::int64_t size, std::int64_t chunks, std::int64_t of_chunks) {
  __extension__ using Wide = __int128;
  const Wide bytes = static_cast<Wide>(size) * chunks / of_chunks;
  if (bytes > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

void NodeCompiler::error(const Trace& trace, std::uint32_t index, const std::string& rule,
                         const std::string& message) {
  failed_ = true;
  diagnostics_.error(location_of(trace, index), rule,
                     "node " + std::to_string(trace.nodes.nodes[index].id) + ": " + message);
}

IntValue NodeCompiler::integer(Name name, bool required) {
  const Attr* const a = found_[name];
  const IntValue v = int_value(a);
  const auto wrong = [&](const std::string& how) {
    fail("attributes", "attribute " + std::string(name.view()) + how);
  };
  switch (v.status) {
    case IntValue::Status::ok: break;
    case IntValue::Status::absent:
      if (required) wrong(" is missing");
      break;
    case IntValue::Status::wrong_kind:
      wrong(" is of kind " + std::string(kind_name(a->kind)) + ", not an integer");
      break;
    case IntValue::Status::too_large: wrong(" exceeds 2^63-1"); break;
  }
  return v;
}

// Sets the recorded time. ASTRA-sim uses only its whole microseconds.
void NodeCompiler::compile_duration(std::uint64_t min_ns) {
  out_.op.type = OpType::timed;
  std::optional<std::uint64_t> ns;
  if (!rules_.whole_microseconds_only()) {
    const IntValue exact = integer(attr::duration_nanos, false);
    if (exact.status != IntValue::Status::ok && exact.status != IntValue::Status::absent) return;
    if (exact && exact.value < 0) return fail("times", "duration_nanos is negative");
    if (exact) ns = static_cast<std::uint64_t>(exact.value);
    if (exact && !counts_whole_ns(options_.network.model)) min_ns = 0;
  }
  if (!ns && node_->duration_us > max_duration_ns / 1000) return fail("times", "the duration exceeds 106 days");
  if (!ns) ns = node_->duration_us * 1000;
  if (*ns > max_duration_ns) return fail("times", "the duration exceeds 106 days");
  out_.op.value = static_cast<Picoseconds>(std::max(*ns, min_ns)) * ps_per_ns;
}

bool NodeCompiler::has_recorded_time() const {
  return node_->duration_us != 0 || (!rules_.whole_microseconds_only() && found_[attr::duration_nanos] != nullptr);
}

// Sets the measured time, even if it is 0.
void NodeCompiler::compile_recorded(bool communicates) {
  if (node_type_name(node_->type).empty()) return compile_by_type();  // reports the unknown type
  compile_duration(0);
  const IntValue delay = integer(attr::start_delay_nanos, false);
  if (delay && delay.value > static_cast<std::int64_t>(max_duration_ns))
    fail("times", "the start delay exceeds 106 days");
  if (!communicates) return;
  if (!has_recorded_time()) ++omitted_.untimed_communication;
  if (options_.comm_scale != 1) scale_time(options_.comm_scale);
}

void NodeCompiler::scale_time(double factor) {
  const double ps = static_cast<double>(out_.op.value) * factor;
  if (!(ps < 9e18)) return fail("times", "the duration exceeds 106 days after a factor");
  out_.op.value = static_cast<Picoseconds>(ps);
}

// Computes the time by the roofline model: operations run at peak, or slower if local memory limits them.
void NodeCompiler::compile_compute() {
  if (inside_ || !system().roofline || out_.op.slot == Slot::cpu) return compile_duration();
  // A node without an estimate keeps its recorded time.
  const bool unknown = found_[attr::num_ops] == nullptr && found_[attr::tensor_size] == nullptr;
  if (unknown && !rules_.roofline_knows_every_node() && has_recorded_time()) return compile_duration();
  const IntValue operations = integer(attr::num_ops, true);
  const IntValue bytes = integer(attr::tensor_size, true);
  if (!operations || !bytes) return;
  if (operations.value < 0 || bytes.value < 0) return fail("attributes", "num_ops or tensor_size is negative");
  if (bytes.value == 0) {  // skipped
    out_.op = {.type = OpType::invalid, .slot = out_.op.slot};
    return;
  }
  out_.op.type = OpType::timed;
  if (operations.value == 0 && rules_.roofline_knows_every_node()) return gaps_.add(AstraGap::no_operations);
  const double intensity = static_cast<double>(operations.value) / static_cast<double>(bytes.value);
  const double bandwidth = system().local_mem_bytes_per_s;
  const double flops = std::min(bandwidth * intensity, system().peak_flops);
  // A node that only moves bytes takes the time of the bytes; in ASTRA-sim it takes no time.
  const double ns = 1e9 * (operations.value == 0 ? static_cast<double>(bytes.value) / bandwidth
                                                 : static_cast<double>(operations.value) / flops);
  if (!(ns < static_cast<double>(max_duration_ns))) {
    return fail("times", flops == 0 ? "the roofline rate is 0: peak-perf or local-mem-bw of the system is 0"
                                    : "the roofline time exceeds 106 days");
  }
  out_.op.value = static_cast<Picoseconds>(ns) * ps_per_ns;
  intensity_ = intensity;
}

void NodeCompiler::note_roofline() {
  const auto time = static_cast<double>(out_.op.value);
  if (out_.op.type != OpType::timed || __builtin_add_overflow(roofline_.time, out_.op.value, &roofline_.time))
    return;
  if (intensity_ == 0) return;
  const double flops = std::min(system().local_mem_bytes_per_s * intensity_, system().peak_flops);
  if (flops >= system().peak_flops) roofline_.compute_bound += out_.op.value;
  roofline_.compute_utilisation += flops / system().peak_flops * time;
  roofline_.memory_utilisation += flops / intensity_ / system().local_mem_bytes_per_s * time;
  roofline_.intensity += intensity_ * time;
}

void NodeCompiler::want_memory(const std::string& rule, const std::string& message) {
  failed_ = true;
  if (without_memory_++ != 0) return;
  first_memory_.emplace();
  first_memory_->where = location_of(*trace_, index_);
  first_memory_->rule = rule;
  first_memory_->message = "node " + std::to_string(trace_->nodes.nodes[index_].id) + ": " + message;
}

void NodeCompiler::report_memory() {
  if (!first_memory_) return;
  if (without_memory_ > 1)
    first_memory_->message += (without_memory_ == 2 ? "; there is " : "; there are ") +
                              std::to_string(without_memory_ - 1) + " more such node" +
                              (without_memory_ == 2 ? "" : "s");
  diagnostics_.add(std::move(*first_memory_));
  first_memory_.reset();
}

void NodeCompiler::compile_memory() {
  const std::string option = options_.astra_names ? "--remote-memory-configuration" : "--memory";
  out_.op.type = OpType::memory;
  const bool timed = node_->duration_us != 0 || found_[attr::duration_nanos] != nullptr;
  if (inside_ || options_.system->memory.kind == MemoryKind::none) {
    if (rules_.memory_wants_model() && !inside_) {
      return want_memory("memory", options_.system->memory.source.empty()
                                       ? "accesses remote memory; define a memory model with " + option
                                       : "accesses remote memory, but " + options_.system->memory.source +
                                             " has memory-type " + std::string(name(MemoryKind::none)));
    }
    if (timed) return compile_duration();
    if (inside_) return fail("memory", "the algorithm of a collective cannot access remote memory");
    return want_memory(
        "replay",
        options_.system->memory.source.empty()
            ? "a memory access without a recorded duration requires a memory model; define one with " + option
            : "a memory access without a recorded duration requires a memory model; " +
                  options_.system->memory.source + " has NO_MEMORY_EXPANSION");
  }
  const IntValue bytes = integer(attr::tensor_size, true);
  if (!bytes) return;
  if (bytes.value < 0) return fail("attributes", "tensor_size is negative");
  out_.op.value = bytes.value;
}

std::int64_t NodeCompiler::message_bytes() {
  const IntValue stated = integer(attr::comm_size, false);
  if (stated) {
    // 0 bytes: a message that only synchronises, for example an edge between NPUs that et-split turned into a
    // message. ASTRA-sim does not support it.
    if (stated.value > 0 || (stated.value == 0 && !rules_.messages_have_bytes())) return stated.value;
    fail("attributes", stated.value == 0 ? "a message of zero bytes" : "comm_size is negative");
    return 0;
  }
  if (stated.status != IntValue::Status::absent) return 0;
  if (found_[attr::msg_chunk_cnt] == nullptr || found_[attr::total_chunk_cnt] == nullptr) {
    fail("attributes", "attribute comm_size is missing");
    return 0;
  }
  return chunked_bytes();
}

std::int64_t NodeCompiler::chunked_bytes() {
  if (!inside_ && !options_.size_bytes) {
    throw Error(Error::Kind::usage, location_of(*trace_, index_),
                "node " + std::to_string(node_->id) +
                    " has chunk counts but no comm_size; set the size of the collective with --size BYTES");
  }
  const IntValue count = integer(attr::msg_chunk_cnt, true);
  const IntValue total = integer(attr::total_chunk_cnt, true);
  if (!count || !total) return 0;
  if (count.value < 1 || total.value < 1) {
    fail("attributes", "msg_chunk_cnt " + std::to_string(count.value) + " and total_chunk_cnt " +
                           std::to_string(total.value) + " must be positive");
    return 0;
  }
  if (inside_) {
    out_.chunks = count.value;
    out_.of_chunks = total.value;
    return 0;
  }
  const std::optional<std::int64_t> bytes = bytes_of_chunks(*options_.size_bytes, count.value, total.value);
  if (bytes == 0) {
    throw usage_error("--size " + std::to_string(*options_.size_bytes) + " is less than one byte for each of the " +
                      counted(total.value, "chunk"));
  }
  if (!bytes) {
    fail("attributes", "a message of 2^63 bytes or more");
    return 0;
  }
  size_used_ = true;
  return *bytes;
}

void NodeCompiler::compile_peer() {
  const bool is_send = out_.op.type == OpType::send;
  const IntValue own = integer(is_send ? attr::comm_src : attr::comm_dst, false);
  const IntValue peer = integer(is_send ? attr::comm_dst : attr::comm_src, true);
  out_.names_own = static_cast<bool>(own);
  if (own && own.value != static_cast<std::int64_t>(trace_->rank)) {
    fail("peers", std::string(is_send ? "sends from rank " : "receives at rank ") + std::to_string(own.value) +
                      ", but is in the trace of rank " + std::to_string(trace_->rank));
  }
  if (!peer) return;
  if (peer.value < 0 || peer.value >= max_npus) {
    return fail("peers", std::string(is_send ? "sends to rank " : "receives from rank ") +
                             std::to_string(peer.value) + ", which does not exist");
  }
  out_.op.peer = static_cast<Rank>(peer.value);
  if (out_.op.peer == trace_->rank && !self_allowed_) {
    fail("peers", is_send ? "a send to itself, which this network does not support"
                          : "a receive from itself, which this network does not support");
  }
}

void NodeCompiler::compile_message() {
  compile_peer();
  const IntValue comm_tag = integer(attr::comm_tag, true);
  if (comm_tag) out_.tag = rules_.tag(comm_tag.value);
  out_.op.value = message_bytes();
}

std::optional<Collective> NodeCompiler::collective_op(std::int64_t type) {
  const Collective c = collective_of(type);
  if (is_listed(c)) return c;
  if (!rules_.four_collectives_only() && !name(c).empty()) return without_block(c);
  if (name(c).empty() || c == Collective::reduce_scatter_block) {
    fail("replay", "comm_type " + std::to_string(type) + " is not a known collective");
    return std::nullopt;
  }
  fail("replay", "ASTRA-sim has no " + std::string(name(c)) + "; use --compat none");
  return std::nullopt;
}

// Sets the root of a collective: comm_src of a broadcast or scatter, comm_dst of a reduce or gather; default: the
// first rank of the group.
void NodeCompiler::compile_root(NodeCollective& c) {
  const bool from = comes_from_root(c.op);
  const bool to = c.op == Collective::reduce || c.op == Collective::gather;
  if (!from && !to) return;
  const IntValue root = integer(from ? attr::comm_src : attr::comm_dst, false);
  if (!root) return;
  if (root.value < 0 || root.value >= max_npus)
    return fail("peers", "its root is rank " + std::to_string(root.value) + ", which does not exist");
  c.root = static_cast<Rank>(root.value);
}

void NodeCompiler::compile_collective() {
  out_.op.type = OpType::collective;
  if (inside_) return fail("replay", "the algorithm of a collective cannot contain a collective");
  if (options_.issue == IssueMode::algorithm)
    return fail("replay", "an algorithm cannot contain a collective; for a workload use --issue workload");
  NodeCollective c;
  c.dims = rules_.default_dims();
  const IntValue type = integer(attr::comm_type, true);
  if (!type) return;
  if (type.value == static_cast<std::int64_t>(Collective::broadcast) && rules_.broadcasts_take_recorded_time())
    return compile_duration();
  const std::optional<Collective> op_type = collective_op(type.value);
  if (!op_type) return;
  c.op = *op_type;
  const IntValue bytes = integer(attr::comm_size, c.op != Collective::barrier);
  if (!bytes && bytes.status != IntValue::Status::absent) return;
  if (bytes.value < 0) return fail("attributes", "comm_size is negative");
  compile_root(c);
  const IntValue priority = integer(attr::comm_priority, false);
  c.priority = static_cast<std::int32_t>(std::clamp<std::int64_t>(priority.value, INT32_MIN, INT32_MAX));
  c.bytes = out_.op.value = c.op == Collective::barrier ? 0 : bytes.value;
  if (c.op == Collective::all_gather)
    c.bytes_out = unequal_bytes_out(found_[attr::comm_bytes_out], c.bytes, found_[attr::group_size]);
  if (const Attr* dims = found_[attr::involved_dim]; dims != nullptr) {
    if (dims->kind != Kind::bool_list) {
      return fail("attributes",
                  "attribute involved_dim is of kind " + std::string(kind_name(dims->kind)) + ", not bool_list");
    }
    const auto list = trace_->nodes.list(*dims);
    c.listed_dims = list.size();
    c.dims = rules_.involved_dim_may_be_short() ? 0 : ~std::uint64_t{0};
    for (std::size_t d = 0; d < std::min<std::size_t>(list.size(), 64); ++d) {
      const std::uint64_t bit = std::uint64_t{1} << d;
      c.dims = list[d] != 0 ? c.dims | bit : c.dims & ~bit;
    }
  }
  if (const Attr* group = found_[attr::pg_name]; group != nullptr) {
    if (group->kind != Kind::string_val) {
      return fail("attributes",
                  "attribute pg_name is of kind " + std::string(kind_name(group->kind)) + ", not a string");
    }
    c.group = trace_->nodes.string(*group);
  }
  out_.collective = c;
}

void NodeCompiler::compile_by_type() {
  Op& op = out_.op;
  switch (node_->type) {
    case NodeType::invalid:
    case NodeType::metadata: op.type = OpType::invalid; return;
    case NodeType::comp: return compile_compute();
    case NodeType::mem_load:
    case NodeType::mem_store: return compile_memory();
    case NodeType::comm_send:
    case NodeType::comm_recv:
      op.type = node_->type == NodeType::comm_send ? OpType::send : OpType::recv;
      return compile_message();
    case NodeType::comm_coll: return compile_collective();
    default:
      return fail("replay", "node type " + std::to_string(static_cast<std::int32_t>(node_->type)) + " is unknown");
  }
}

// A straggler's own work takes longer; its messages do not.
void NodeCompiler::slow_down() {
  if (options_.slow.empty() || inside_ || out_.op.type != OpType::timed || node_->type != NodeType::comp) return;
  const auto slow = options_.slow.find(trace_->rank);
  if (slow == options_.slow.end()) return;
  scale_time(slow->second);
}

void NodeCompiler::note_gaps() {
  const NodeType type = node_->type;
  if (type == NodeType::metadata && !inside_) gaps_.add(AstraGap::metadata_node);
  if (inside_ && type != NodeType::comm_send && type != NodeType::comm_recv && type != NodeType::comp)
    gaps_.add(AstraGap::custom_node);
}

// Counts a computing node without a declared time; `priced`: its time comes from the roofline model.
void NodeCompiler::count_times(bool priced) {
  const bool timed = has_recorded_time();
  if (!timed && out_.of_program) return;  // reduction
  const IntValue operations = int_value(found_[attr::num_ops]);
  const bool computes = operations && operations.value > 0;
  ++(timed || computes ? omitted_.timed : omitted_.timeless);
  if (!priced && !timed && computes && out_.op.type == OpType::timed && out_.op.slot != Slot::cpu)
    ++omitted_.untimed_computation;
}

// Counts what the replay omits from a node.
void NodeCompiler::count_omissions(bool priced) {
  if (inside_) return;
  if (node_->type == NodeType::comp) count_times(priced);
  const bool sends = node_->type == NodeType::comm_send || node_->type == NodeType::comm_recv;
  const bool communicates = sends || node_->type == NodeType::comm_coll;
  if (communicates) ++omitted_.communications;
  const IntValue delay = int_value(found_[attr::start_delay_nanos]);
  if (delay && delay.value > 0 && options_.recorded != Recorded::everything)
    omitted_ += {.delayed = 1, .delay_ns = static_cast<std::uint64_t>(delay.value)};
  if (!found_.has_others()) return;
  for (const Attr& a : trace_->nodes.attributes(*node_)) {
    if (a.name == unknown_communication && node_->type == NodeType::comp) {
      omitted_ += {.unknown = 1, .unknown_ns = static_cast<std::uint64_t>(out_.op.value / ps_per_ns)};
    } else if (a.name == kernelless_communication && communicates && is_recorded(true)) {
      omitted_ += {.kernelless = 1, .kernelless_ns = static_cast<std::uint64_t>(out_.op.value / ps_per_ns)};
    } else if (a.name == missing_communication) {
      ++omitted_.missing;
    }
  }
}

CompiledNode NodeCompiler::compile(const Trace& trace, std::uint32_t index) {
  trace_ = &trace;
  index_ = index;
  node_ = &trace.nodes.nodes[index];
  found_.read(trace.nodes.attributes(*node_));
  out_ = {};
  out_.has_others = found_.has_others();
  out_.of_program = found_[attr::tb_id] != nullptr || found_[attr::merged_from] != nullptr;
  intensity_ = 0;
  const IntValue cpu = integer(attr::is_cpu_op, false);
  const bool on_cpu = cpu && cpu.value != 0;
  const NodeType type = node_->type;
  const bool communicates =
      type == NodeType::comm_send || type == NodeType::comm_recv || type == NodeType::comm_coll;
  if (on_cpu && !communicates) {
    out_.op.slot = Slot::cpu;
  } else if (type == NodeType::comp) {
    out_.op.slot = Slot::compute;
  } else if (type == NodeType::comm_recv) {
    out_.op.slot = Slot::recv;
  }
  const bool recorded = !inside_ && is_recorded(communicates);
  const bool refused = rules_.refuses_communication_of_cpu() && options_.issue != IssueMode::algorithm && !inside_;
  if (on_cpu && communicates && !recorded && refused)
    fail("replay", "communication with is_cpu_op set cannot be replayed");
  const bool replay_only = system().replay_only && !inside_;
  const bool takes_time = type != NodeType::invalid && type != NodeType::metadata;
  if (recorded && takes_time) {
    compile_recorded(communicates);
  } else if (replay_only && takes_time) {
    compile_duration();
  } else {
    compile_by_type();
  }
  if (rules_.notes_gaps()) note_gaps();
  slow_down();
  count_omissions(system().roofline && !recorded && !replay_only);
  if (system().roofline && type == NodeType::comp) note_roofline();
  out_.op.is_compute = out_.op.type == OpType::timed && out_.op.slot != Slot::cpu &&
                       (type == NodeType::comp || (replay_only && rules_.replayed_nodes_compute()));
  if (options_.free.compute && out_.op.is_compute && !inside_) out_.op.value = 0;
  return out_;
}

void report_defects(const Trace& trace, const std::vector<GraphDefect>& defects, NodeCompiler& with) {
  LeftOutProcess process(trace);
  for (const GraphDefect& d : defects) {
    if (process.explains(d)) continue;
    switch (d.what) {
      case GraphDefect::What::duplicate_id:
        with.error(trace, d.index, "ids", "an earlier node has the same id");
        break;
      case GraphDefect::What::dangling:
        with.error(trace, d.index, "deps", "depends on node " + std::to_string(d.id) + ", which does not exist");
        break;
      case GraphDefect::What::self: with.error(trace, d.index, "deps", "depends on itself"); break;
      case GraphDefect::What::duplicate_edge: break;  // harmless
    }
  }
}

}  // namespace convert
