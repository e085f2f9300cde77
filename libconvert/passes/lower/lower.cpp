// SPDX-License-Identifier: MIT
#include "passes/lower/lower.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/units.h"
#include "core/world_size.h"
#include "passes/provenance.h"

namespace convert {
namespace {

// Returns the number of nodes of a step.
constexpr std::uint32_t nodes_of(StepType t) {
  if (t == StepType::nop) return 0;
  return (receives(t) ? 1U : 0U) + (computes(t) ? 1U : 0U) + (sends(t) ? 1U : 0U);
}

// Returns whether a <copy> needs no node: both ends are the same memory in all modes of the algorithm, or it
// belongs to a schedule, which contains only movements between nodes.
bool aliases(const Algorithm& a, std::int32_t rank, const Copy& c) {
  if (a.scheduled) return true;
  if (!a.inplace || runs_outofplace(a)) return false;
  const std::int64_t per_rank = a.chunks / a.ranks();
  if (a.collective == Collective::all_gather) return c.o_off == rank * per_rank + c.i_off;
  if (a.collective == Collective::reduce_scatter) return c.i_off == rank * per_rank + c.o_off;
  return a.collective != Collective::custom && c.i_off == c.o_off;
}

}  // namespace

// State of lowering one rank.
struct Lowering::RankState {
  std::int32_t rank = 0;
  const Gpu* gpu = nullptr;
  const Threadblock* tb = nullptr;
  std::int32_t tb_id = 0;
  std::int32_t position = 0;
  std::vector<std::uint32_t> exit_id;  // by step of the rank: id of its last node
  std::vector<NodeId> copies;
  std::vector<NodeId> parents;  // of the current step
  std::vector<std::int64_t> nop_depids;
  std::vector<std::int64_t> nop_steps;
  std::array<Text, step_type_names.size()> type_text;
  std::array<Text, 3> buffer_text;
  std::optional<NodeId> ctrl_parent;
  NodeId next_id = 0;
};

Lowering::Lowering(const Algorithm& algorithm, std::optional<std::int64_t> size, Diagnostics& diagnostics)
    : a_(algorithm), size_(size), published_(published_steps(algorithm)) {
  if (!size_) return;
  if (*size_ < a_.chunks) {
    throw input_error(
        {.file = a_.file},
        "size=" + std::to_string(*size_) + " is less than one byte for each of the " + counted(a_.chunks, "chunk"));
  }
  if (*size_ % a_.chunks != 0) {
    diagnostics.warning({.file = a_.file}, "sizes",
                        "size=" + std::to_string(*size_) + " is not a multiple of the " +
                            counted(a_.chunks, "chunk") + "; messages are rounded down, and up to " +
                            counted(*size_ % a_.chunks, "byte") +
                            (*size_ % a_.chunks == 1 ? " is not moved" : " are not moved"));
  }
}

std::int64_t Lowering::bytes(std::int32_t chunks) const {
  __extension__ using Int128 = __int128;
  return static_cast<std::int64_t>(static_cast<Int128>(*size_) * chunks / a_.chunks);
}

std::optional<std::int64_t> Lowering::bytes_of(const Step& step) const {
  if (a_.scheduled) return a_.transfers[step.transfer].bytes;
  return size_ ? std::optional(bytes(step.cnt)) : std::nullopt;
}

void Lowering::lower(Rank rank, Trace& out) const {
  out.rank = rank;
  write_metadata(rank, out.metadata);
  NodeTable& table = out.nodes;
  table.clear();

  RankState s;
  s.rank = static_cast<std::int32_t>(rank);
  s.gpu = &a_.gpus[rank];
  for (std::size_t i = 0; i < step_type_names.size(); ++i) s.type_text[i] = table.add_text(step_type_names[i]);
  for (std::size_t i = 0; i < 3; ++i) s.buffer_text[i] = table.add_text({&"ios"[i], 1});
  const auto tbs = a_.threadblocks(*s.gpu);
  const std::uint32_t first = tbs.empty() ? 0 : tbs.front().first_step;
  const std::uint32_t count = tbs.empty() ? 0 : tbs.back().first_step + tbs.back().step_count - first;

  // Assign ids first, as a dependency may point to a later threadblock.
  NodeId id = static_cast<NodeId>(
      std::ranges::count_if(s.gpu->copies, [&](const Copy& c) { return !aliases(a_, s.rank, c); }));
  s.exit_id.assign(count, no_index);
  for (std::uint32_t i = 0; i < count; ++i) {
    id += nodes_of(a_.steps[first + i].type);
    s.exit_id[i] = static_cast<std::uint32_t>(id - 1);
  }
  table.nodes.reserve(id + 1);
  table.attrs.reserve((id + 1) * 20);
  table.deps.reserve((id + 1) * 2);
  table.text.reserve((id + 1) * 32);

  write_copies(s, table);
  if (a_.scheduled) {
    lower_scheduled(s, table);
  } else {
    lower_threadblocks(s, table);
  }
  if (table.nodes.empty()) {  // simulators reject a trace without nodes
    table.add_node(0, NodeType::comp, "COMP_NODE_idle");
    table.add_bool(attr::is_cpu_op, false);
    table.end_node();
  }
}

void Lowering::lower_threadblocks(RankState& s, NodeTable& table) const {
  const auto tbs = a_.threadblocks(*s.gpu);
  const std::uint32_t first = tbs.empty() ? 0 : tbs.front().first_step;
  for (const Threadblock& tb : tbs) {
    s.tb = &tb;
    s.position = 0;
    s.parents = s.copies;
    for (std::uint32_t i = tb.first_step; i < tb.first_step + tb.step_count; ++i, ++s.position) {
      const Step& step = a_.steps[i];
      if (step.depid >= 0 && step.depid != s.tb_id) {
        s.parents.push_back(s.exit_id[target_of(step, tbs, first)]);
      }
      if (step.type == StepType::nop) {
        s.nop_depids.push_back(step.depid);
        s.nop_steps.push_back(step.deps);
        continue;
      }
      write_step(step, s, table);
      s.parents.assign(1, s.exit_id[i - first]);
      s.nop_depids.clear();
      s.nop_steps.clear();
    }
    s.nop_depids.clear();
    s.nop_steps.clear();
    ++s.tb_id;
  }
}

// Numbers nodes in the order of the transfers, so that parents precede their children. Only sends have
// dependencies: on the receives of the data they forward, and a control dependency on the previous send on their
// link.
void Lowering::lower_scheduled(RankState& s, NodeTable& table) const {
  struct Piece {
    std::uint32_t transfer;
    std::uint32_t step;
    std::uint32_t before;  // the previous effective step of its threadblock; no_index: none
    std::uint32_t first_nop;
    std::int32_t tb;
  };
  const auto tbs = a_.threadblocks(*s.gpu);
  const std::uint32_t first = tbs.empty() ? 0 : tbs.front().first_step;
  std::vector<Piece> pieces;
  for (std::size_t t = 0; t < tbs.size(); ++t) {
    std::uint32_t before = no_index;
    std::uint32_t next = tbs[t].first_step;
    for (std::uint32_t i = next; i < tbs[t].first_step + tbs[t].step_count; ++i) {
      if (a_.steps[i].type == StepType::nop) continue;
      pieces.push_back({a_.steps[i].transfer, i, before, next, static_cast<std::int32_t>(t)});
      before = i;
      next = i + 1;
    }
  }
  std::ranges::sort(pieces, {}, &Piece::transfer);
  NodeId id = s.next_id;
  for (const Piece& p : pieces) {
    id += nodes_of(a_.steps[p.step].type);
    s.exit_id[p.step - first] = static_cast<std::uint32_t>(id - 1);
  }
  for (const Piece& p : pieces) {
    const Step& step = a_.steps[p.step];
    s.tb = &tbs[static_cast<std::size_t>(p.tb)];
    s.tb_id = p.tb;
    s.position = static_cast<std::int32_t>(p.step - s.tb->first_step);
    s.parents.clear();
    for (std::uint32_t i = p.first_nop; i <= p.step; ++i) {
      const Step& dependent = a_.steps[i];
      if (dependent.depid >= 0) s.parents.push_back(s.exit_id[target_of(dependent, tbs, first)]);
      if (i == p.step) break;
      s.nop_depids.push_back(dependent.depid);
      s.nop_steps.push_back(dependent.deps);
    }
    s.ctrl_parent.reset();
    if (sends(step.type) && p.before != no_index) s.ctrl_parent = s.exit_id[p.before - first];
    write_step(step, s, table);
  }
}

// Returns the published step that satisfies a dependency, as an index in the rank.
std::uint32_t Lowering::target_of(const Step& step, std::span<const Threadblock> tbs, std::uint32_t first) const {
  const auto bad = [&](const char* message, const char* rule) {
    return input_error({.file = a_.file, .line = step.line, .column = step.column}, message, rule);
  };
  const auto tb = static_cast<std::size_t>(step.depid);
  if (tb >= tbs.size() || step.deps < 0 || static_cast<std::uint32_t>(step.deps) >= tbs[tb].step_count) {
    throw bad("dependency on a step that does not exist", "deps");
  }
  const std::uint32_t published = published_[tbs[tb].first_step + static_cast<std::uint32_t>(step.deps)];
  if (published == no_index) throw bad("dependency on a step that never publishes its completion", "deadlock");
  return published - first;
}

// Returns the name of a node of the rank's current step, such as COMP_NODE_tb0_step3, stored in `text`.
std::string_view Lowering::node_name(std::string_view prefix, const RankState& s, std::array<char, 96>& text) {
  constexpr std::size_t digits = 12;  // of an int32
  constexpr std::string_view middle = "_step";
  char* p = std::copy(prefix.begin(), prefix.end(), text.data());
  p = std::to_chars(p, p + digits, s.tb_id).ptr;
  p = std::copy(middle.begin(), middle.end(), p);
  p = std::to_chars(p, p + digits, s.position).ptr;
  return {text.data(), static_cast<std::size_t>(p - text.data())};
}

void Lowering::write_step(const Step& step, RankState& s, NodeTable& out) const {
  const ScheduledTransfer* const scheduled = a_.scheduled ? &a_.transfers[step.transfer] : nullptr;
  const std::optional<std::int64_t> moved = bytes_of(step);
  const auto begin = [&](NodeType type, std::string_view prefix) {
    std::array<char, 96> name;
    out.add_node(s.next_id++, type, node_name(prefix, s, name));
    for (std::size_t i = 0; i < s.parents.size(); ++i) {
      bool duplicate = false;
      for (std::size_t j = 0; j < i && !duplicate; ++j) duplicate = s.parents[j] == s.parents[i];
      if (!duplicate) out.add_data_dep(s.parents[i]);
    }
    if (s.ctrl_parent) out.add_ctrl_dep(*s.ctrl_parent);
    out.add_bool(attr::is_cpu_op, false);
  };
  const auto end = [&] {
    write_provenance(step, s, out);
    if (scheduled != nullptr) write_schedule(*scheduled, out);
    out.end_node();
    s.parents.assign(1, out.nodes.back().id);
    s.nop_depids.clear();  // recorded on the step's first node
    s.nop_steps.clear();
  };
  const auto message = [&](NodeType type, std::int32_t src, std::int32_t dst) {
    out.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(type));
    out.add_int(attr::comm_src, Kind::int32_val, src);
    out.add_int(attr::comm_dst, Kind::int32_val, dst);
    out.add_int(attr::comm_tag, Kind::int32_val, scheduled != nullptr ? scheduled->tag : s.tb->chan);
    if (moved) out.add_int(attr::comm_size, Kind::int64_val, *moved);
    const std::int32_t offset = type == NodeType::comm_send ? step.src_off : step.dst_off;
    out.add_int(attr::msg_chunk_cnt, Kind::int32_val, step.cnt);
    out.add_int(attr::msg_chunk_idx, Kind::int32_val, offset);
    out.add_int(attr::total_chunk_cnt, Kind::int32_val, a_.chunks);
    out.add_int(attr::chunk_offset, Kind::int32_val, offset);
    if (type == NodeType::comm_recv && step.type == StepType::rrc) out.add_bool(attr::is_rrc, true);
  };
  if (receives(step.type)) {
    begin(NodeType::comm_recv, "COMM_RECV_NODE_tb");
    message(NodeType::comm_recv, s.tb->recv, s.rank);
    end();
  }
  if (computes(step.type)) {
    begin(NodeType::comp, "COMP_NODE_tb");
    if (scheduled != nullptr) out.add_int(attr::duration_nanos, Kind::uint64_val, 0);
    if (moved) {
      const int touched = scheduled != nullptr ? 1 : step.type == StepType::cpy ? 2 : 3;
      out.add_int(attr::num_ops, Kind::int64_val, std::max<std::int64_t>(1, *moved / a_.element_bytes));
      out.add_int(attr::tensor_size, Kind::int64_val, *moved * touched);
    }
    end();
  }
  if (sends(step.type)) {
    begin(NodeType::comm_send, "COMM_SEND_NODE_tb");
    message(NodeType::comm_send, s.rank, s.tb->send);
    if (scheduled != nullptr) write_way(scheduled->hops, out);
    end();
  }
}

void Lowering::write_provenance(const Step& step, RankState& s, NodeTable& out) {
  out.add_int(attr::local_time_step, Kind::int32_val, s.position);
  out.add_int(attr::hasdep, Kind::int32_val, step.hasdep ? 1 : 0);
  out.add_int(attr::deps, Kind::int32_val, step.deps);
  out.add_int(attr::depid, Kind::int32_val, step.depid);
  out.add_int(attr::tb_id, Kind::int32_val, s.tb_id);
  const auto text = [&out](Name name, Text t) {
    out.attrs.push_back({.name = name, .kind = Kind::string_val, .size = t.size, .bits = t.offset});
  };
  text(attr::step_type, s.type_text[static_cast<std::size_t>(step.type)]);
  text(attr::src_buf, s.buffer_text[static_cast<std::size_t>(step.src_buf)]);
  text(attr::dst_buf, s.buffer_text[static_cast<std::size_t>(step.dst_buf)]);
  out.add_int(attr::src_off, Kind::int32_val, step.src_off);
  out.add_int(attr::dst_off, Kind::int32_val, step.dst_off);
  out.add_int(attr::chunk_cnt, Kind::int32_val, step.cnt);
  if (!s.nop_depids.empty()) {
    out.add_ints(attr::nop_depids, Kind::int32_list, s.nop_depids);
    out.add_ints(attr::nop_steps, Kind::int32_list, s.nop_steps);
  }
}

void Lowering::write_schedule(const ScheduledTransfer& t, NodeTable& out) {
  out.add_int(attr::chunk_id, Kind::int64_val, t.chunk);
  out.add_int(attr::ten_link, Kind::int64_val, t.wire);
  if (t.start_ps < 0 || t.end_ps < 0) return;
  out.add_int(attr::ten_start_ps, Kind::int64_val, t.start_ps);
  out.add_int(attr::ten_end_ps, Kind::int64_val, t.end_ps);
}

void Lowering::write_way(Range hops, NodeTable& out) const {
  if (hops.count == 0) return;
  const std::span way(a_.hops.data() + hops.begin, hops.count);
  std::vector<std::int64_t> list;
  for (const TransferHop& hop : way) list.push_back(hop.turn);
  out.add_ints(attr::link_seq, Kind::int64_list, list);
  if (way.size() == 1) return;
  list.clear();
  for (const TransferHop& hop : way.first(way.size() - 1)) list.push_back(hop.to);
  out.add_ints(attr::link_via, Kind::int32_list, list);
}

void Lowering::write_copies(RankState& s, NodeTable& out) const {
  for (const Copy& c : s.gpu->copies) {
    if (aliases(a_, s.rank, c)) continue;
    s.copies.push_back(s.next_id);
    out.add_node(s.next_id, NodeType::comp, "COMP_NODE_copy" + std::to_string(s.next_id));
    ++s.next_id;
    out.add_bool(attr::is_cpu_op, false);
    if (size_) out.add_int(attr::tensor_size, Kind::int64_val, 2 * bytes(1));
    out.add_string(attr::step_type, msccl::copy_step);
    out.add_string(attr::src_buf, "i");
    out.add_string(attr::dst_buf, "o");
    out.add_int(attr::src_off, Kind::int32_val, c.i_off);
    out.add_int(attr::dst_off, Kind::int32_val, c.o_off);
    out.add_int(attr::chunk_cnt, Kind::int32_val, 1);
    out.end_node();
  }
}

void Lowering::write_metadata(Rank rank, Metadata& out) const {
  out = {};
  out.version = schema_version;
  AttrTable& t = out.table;
  const Gpu& gpu = a_.gpus[rank];
  t.add_string(attr::schema, "1.0.2-chakra.0.0.4");
  t.add_string(attr::collective, msccl_name(claimed_collective(a_)));
  set_world_size(out, static_cast<Rank>(a_.ranks()));
  if (a_.scheduled) {
    t.add_string(ten::schedule_name, a_.name);
    if (!a_.relays.empty()) {
      const std::vector<std::int64_t> relays(a_.relays.begin(), a_.relays.end());
      t.add_ints(ten::relays, Kind::int32_list, relays);
    }
    if (a_.claimed_ps) t.add_int(ten::collective_time_ps, Kind::int64_val, *a_.claimed_ps);
    const auto text = [&](Name name, const std::string& value) {
      if (!value.empty()) t.add_string(name, value);
    };
    text(ten::network, a_.scheduled_for.network);
    text(ten::occupancy, a_.scheduled_for.occupancy);
    text(ten::forwarding, a_.scheduled_for.forwarding);
  }
  t.add_string(msccl::algo_name, a_.name);
  t.add_string(msccl::proto, name(a_.protocol));
  t.add_int(msccl::nchannels, Kind::int32_val, a_.channels);
  t.add_int(msccl::nchunksperloop, Kind::int32_val, a_.chunks);
  t.add_int(msccl::ngpus, Kind::int32_val, a_.ranks());
  t.add_string(msccl::coll, a_.collective_text);
  t.add_int(msccl::inplace, Kind::int32_val, a_.inplace ? 1 : 0);
  t.add_int(msccl::outofplace, Kind::int32_val, runs_outofplace(a_) ? 1 : 0);
  t.add_int(msccl::min_bytes, Kind::int64_val, a_.min_bytes.value_or(0));
  t.add_int(msccl::max_bytes, Kind::int64_val, written_max_bytes(a_));
  for (const auto& [key, value] : a_.attributes) {
    if (!is_standard_attribute(key)) t.add_string(Name(std::string(msccl::prefix) + key), value);
  }
  t.add_int(msccl::i_chunks, Kind::int32_val, gpu.i_chunks);
  t.add_int(msccl::o_chunks, Kind::int32_val, gpu.o_chunks);
  t.add_int(msccl::s_chunks, Kind::int32_val, gpu.s_chunks);
  for (const auto& [key, value] : gpu.other) t.add_string(Name(std::string(msccl::gpu_prefix) + key), value);
  std::vector<std::int64_t> column;
  const auto list = [&](Name name, const auto& items, auto field) {
    column.clear();
    for (const auto& item : items) column.push_back(item.*field);
    t.add_ints(name, Kind::int32_list, column);
  };
  list(msccl::tb_send, a_.threadblocks(gpu), &Threadblock::send);
  list(msccl::tb_recv, a_.threadblocks(gpu), &Threadblock::recv);
  list(msccl::tb_chan, a_.threadblocks(gpu), &Threadblock::chan);
  if (gpu.copies.empty()) return;
  list(msccl::copy_i_off, gpu.copies, &Copy::i_off);
  list(msccl::copy_o_off, gpu.copies, &Copy::o_off);
}

}  // namespace convert
