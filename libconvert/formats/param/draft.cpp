// SPDX-License-Identifier: MIT
#include "formats/param/draft.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/found_attrs.h"
#include "core/time/recorded_time.h"
#include "core/units.h"
#include "core/world_size.h"
#include "graph/graph.h"

namespace convert {
namespace {

constexpr std::array param_attributes = {
    attr::comm_type,   attr::comm_size,    attr::comm_src,       attr::comm_dst,        attr::comm_tag,
    attr::pg_name,     attr::comm_dtype,   attr::comm_bytes_out, attr::collective_name, attr::send_splits,
    attr::recv_splits, attr::involved_dim, attr::num_ops,        attr::tensor_size,     attr::dtype};
using ParamFacts = FoundAttrs<param_attributes>;

// Returns the node indices in an order that dependencies allow. Among ready nodes, prefers the earliest start (a
// node without a time takes the start of its predecessor), then the lowest round, then the lowest id.
std::vector<std::uint32_t> issue_order(const Trace& trace, const Graph& graph,
                                       std::span<const std::uint32_t> rounds) {
  const NodeTable& t = trace.nodes;
  const auto n = static_cast<std::uint32_t>(t.nodes.size());
  // A node without a time takes the start of its parents, or of the previous node.
  std::vector<std::int64_t> start(n, no_time);
  for (std::uint32_t i = 0; i < n; ++i) {
    start[i] = recorded_time(t, t.nodes[i], 0).begin_ns;
    if (start[i] == no_time && i > 0) start[i] = start[i - 1];
  }
  std::vector<bool> timed(n);
  for (std::uint32_t i = 0; i < n; ++i) timed[i] = recorded_time(t, t.nodes[i], 0).begin_ns != no_time;
  std::vector<std::uint32_t> open(n);
  using Ready = std::tuple<std::int64_t, std::uint32_t, NodeId, std::uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto add = [&](std::uint32_t i) {
    ready.emplace(start[i], rounds.empty() ? 0 : rounds[i], t.nodes[i].id, i);
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    open[i] = static_cast<std::uint32_t>(graph.parents(i).size());
    if (open[i] == 0) add(i);
  }
  std::vector<std::uint32_t> order;
  order.reserve(n);
  while (!ready.empty()) {
    const std::uint32_t i = std::get<3>(ready.top());
    ready.pop();
    order.push_back(i);
    for (const Edge& e : graph.children(i)) {
      if (!timed[e.node]) start[e.node] = std::max(start[e.node], start[i]);
      if (--open[e.node] == 0) add(e.node);
    }
  }
  if (order.size() == n) return order;
  const auto left = std::ranges::find_if(open, [](std::uint32_t k) { return k != 0; });
  throw input_error(location_of(trace, static_cast<std::size_t>(left - open.begin())),
                    "is part of a dependency cycle, so no order of entries exists", "cycle");
}

// An operation that may still run during later entries: a collective, a message, or a batch of messages.
struct PostedOperation {
  std::uint32_t entry = no_index;  // no_index: an open batch
  std::uint32_t node = 0;
  bool ended = false;
  bool waits = false;    // a wait is always written
  bool last = false;     // the wait is at the end of the file
  bool no_wait = false;  // no wait at the end of the file
  std::int64_t wait_ns = -1;
  Range wait_markers{};
  bool wait_has_markers = false;
};

class ParamDrafting {
 public:
  ParamDrafting(const Trace& trace, std::span<const std::uint32_t> rounds, const ParamWriteOptions& options)
      : trace_(trace), t_(trace.nodes), rounds_(rounds), options_(options), graph_(build_graph(t_)) {}

  std::unique_ptr<ParamDraft> make() {
    out_->rank = trace_.rank;
    out_->file.name = trace_.name;
    out_->world = world_size(trace_.metadata).value_or(0);
    out_->first_ns = first_start_ns(trace_);
    out_->replay_times = find(trace_.metadata.table.attrs, param_names().replay_times) != nullptr;
    posted_of_.assign(t_.nodes.size(), no_index);
    written_.assign(t_.nodes.size(), false);
    seen_.assign(t_.nodes.size(), false);
    note_requests();
    for (const std::uint32_t i : issue_order(trace_, graph_, rounds_)) add(i);
    end();
    for (auto& [key, flow] : flows_) out_->flows.push_back(flow);
    return std::move(out_);
  }

 private:
  [[nodiscard]] Error error(std::uint32_t node, const std::string& what) const {
    return input_error(location_of(trace_, node), what, "param");
  }
  ParamFile& file() { return out_->file; }
  std::vector<ParamEntry>& entries() { return out_->file.entries; }

  // Collects the requests that nodes have; other nodes get different ones.
  void note_requests() {
    for (const Node& node : t_.nodes) {
      for (const Name name : {param_names().req, param_names().batch_req}) {
        const IntValue number = int_value(t_.attributes(node), name);
        if (number) requests_.insert(number.value);
      }
    }
  }
  std::string new_request(NodeId id) {
    const auto number = static_cast<std::int64_t>(std::min<NodeId>(id, std::numeric_limits<std::int64_t>::max()));
    if (requests_.empty() || requests_.insert(number).second) return std::to_string(number);
    while (!requests_.insert(next_request_).second) ++next_request_;
    return std::to_string(next_request_);
  }

  // Gives the entry another request if an operation that was not waited for has the same one. `posted`: the
  // operation of the entry, which may be waited for.
  void keep_request_apart(std::uint32_t node, ParamEntry& e, std::uint32_t posted) {
    if (!e.has_request) return;
    std::string request(file().view(e.request));
    const auto at = posted_with_.find(request);
    if (at != posted_with_.end() && !posted_[at->second].ended && !posted_[at->second].no_wait) {
      request = new_request(t_.nodes[node].id);
      e.request = file().add_text(request);
    }
    if (posted != no_index) posted_with_[request] = posted;
  }

  void add(std::uint32_t i) {
    const Node& node = t_.nodes[i];
    const ParamFacts f(t_.attributes(node));
    switch (node.type) {
      case NodeType::comm_coll:
      case NodeType::comm_send:
      case NodeType::comm_recv: return add_communication(i, f);
      case NodeType::comp: return add_computation(i, f);
      case NodeType::mem_load:
      case NodeType::mem_store: return out_->lose(ParamLoss::memory, node.id);
      case NodeType::metadata: return;
      default: return out_->lose(ParamLoss::other_node, node.id);
    }
  }

  // ---- waits of an entry ----

  // Returns the running operations that the node depends on, directly or through nodes without an entry.
  std::vector<std::uint32_t> awaited_by(std::uint32_t node) {
    std::vector<std::uint32_t> found;
    std::vector<std::uint32_t> stack;
    const auto visit = [&](std::uint32_t from) {
      for (const Edge& parent : std::views::reverse(graph_.parents(from))) stack.push_back(parent.node);
    };
    visit(node);
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      if (!written_[at]) {
        if (!seen_[at]) visit(at);
        seen_[at] = true;
      } else if (const std::uint32_t p = posted_of_[at];
                 p != no_index && !posted_[p].last && !std::exchange(posted_[p].ended, true)) {
        found.push_back(p);
      }
    }
    return found;
  }

  // Writes the waits that precede the node's entry.
  void write_waits(std::uint32_t node) {
    const std::vector<std::uint32_t> awaited = awaited_by(node);
    if (std::ranges::find(awaited, open_batch_) != awaited.end()) end_batch({});
    const std::size_t last = entries().size() - 1;
    for (const std::uint32_t p : awaited) {
      if (!runs_by_itself(posted_[p], last)) write_wait(posted_[p]);
    }
  }
  // Returns whether the operation may block the rank until it ends: no entry is between it and the dependent node.
  [[nodiscard]] bool runs_by_itself(const PostedOperation& p, std::size_t last) const {
    return p.entry == last && !p.waits && !out_->file.entries[p.entry].operation->posted;
  }

  void write_wait(const PostedOperation& p) {
    ParamEntry& operation = entries()[p.entry];
    if (!operation.has_request) {
      operation.has_request = true;
      operation.request = file().add_text(new_request(t_.nodes[p.node].id));
    }
    if (operation.operation->kind == ParamOperation::Kind::message && !operation.operation->posted)
      operation.operation = &param_operation(operation.operation->type, true);
    ParamEntry wait;
    wait.operation = find_param_operation("wait");
    wait.has_request = true;
    wait.request = operation.request;
    wait.group = operation.group;
    wait.start_ns = p.wait_ns;
    wait.markers = p.wait_markers;
    wait.has_markers = p.wait_has_markers;
    push(wait, p.node);
  }

  void push(const ParamEntry& entry, std::uint32_t node) {
    entries().push_back(entry);
    out_->nodes.push_back(t_.nodes[node].id);
  }

  // Ends the open batch of messages, if any.
  void end_batch(std::optional<std::string> request) {
    if (open_batch_ == no_index) return;
    const std::uint32_t number = std::exchange(open_batch_, no_index);
    PostedOperation& p = posted_[number];
    ParamEntry batch;
    batch.operation = find_param_operation("batch_isend_irecv");
    batch.group = entries().back().group;
    batch.has_request = request && !request->empty();
    if (batch.has_request) batch.request = file().add_text(*request);
    keep_request_apart(p.node, batch, number);
    p.entry = static_cast<std::uint32_t>(entries().size());
    push(batch, p.node);
  }

  void end() {
    end_batch({});
    const std::size_t last = entries().size() - 1;
    for (const PostedOperation& p : posted_) {
      if (!p.ended && !p.no_wait && !runs_by_itself(p, last)) write_wait(p);
    }
  }

  // ---- entries ----

  void add_computation(std::uint32_t i, const ParamFacts& f) {
    const Node& node = t_.nodes[i];
    ParamEntry e;
    if (!as_entry(node, f, e) && !as_gemm(f, e)) {
      const IntValue operations = int_value(f[attr::num_ops]), bytes = int_value(f[attr::tensor_size]);
      const bool nothing = operations.value == 0 && bytes.value == 0 && recorded_time(t_, node, 0).duration_ns <= 0;
      if (!nothing) out_->lose(ParamLoss::computation, node.id);
      return;
    }
    end_batch({});
    write_waits(i);
    written_[i] = true;
    add_common(i, e);
    push(e, i);
  }

  // Restores a computation that was read from a communications trace.
  bool as_entry(const Node& node, const ParamFacts& f, ParamEntry& e) {
    const auto attrs = t_.attributes(node);
    const auto kind = string_value(t_, attrs, param_names().compute);
    if (!kind) return false;
    const auto number = [&](std::string_view key, std::int64_t otherwise) {
      const IntValue value = int_value(attrs, Name(key));
      return value ? value.value : otherwise;
    };
    e.count = number("count", 1);
    if (*kind == "gemm") {
      e.kind = ParamEntry::Kind::gemm;
      const std::int64_t square = number("mm_dim", 0);
      e.gemm = square > 0 ? ParamGemm{square, square, square, true}
                          : ParamGemm{number("mm0_dim0", 0), number("mm0_dim1", 0), number("mm1_dim1", 0), false};
      e.type = text(f[attr::dtype] != nullptr ? t_.string(*f[attr::dtype]) : param_float.name);
      return e.gemm.rows > 0 && e.gemm.inner > 0 && e.gemm.columns > 0;
    }
    if (*kind != "emb_lookup") return false;
    e.kind = ParamEntry::Kind::lookup;
    if (const auto direction = string_value(t_, attrs, Name("direction"))) e.direction = text(*direction);
    for (std::size_t k = 0; k < e.lookup.size(); ++k) e.lookup[k] = number(param_lookup_keys[k], -1);
    return true;
  }

  // Writes any other computation as a product of square matrices with the same number of operations.
  bool as_gemm(const ParamFacts& f, ParamEntry& e) {
    const IntValue operations = int_value(f[attr::num_ops]);
    if (!options_.gemm || !operations || operations.value <= 0) return false;
    e = {};
    e.kind = ParamEntry::Kind::gemm;
    const auto side = std::max<std::int64_t>(1, std::llround(std::cbrt(static_cast<double>(operations.value) / 2)));
    e.gemm = {side, side, side, true};
    e.type = text(param_float.name);
    return true;
  }

  Text text(std::string_view s) { return file().add_text(s); }
  [[nodiscard]] const Attr* extra(std::uint32_t i, Name name) const {
    return find(t_.attributes(t_.nodes[i]), name);
  }

  // Sets the fields that every entry may have.
  void add_common(std::uint32_t i, ParamEntry& e) {
    e.start_ns = recorded_time(t_, t_.nodes[i], recorded_base_ns(trace_.metadata)).begin_ns;
    if (const Attr* const req = extra(i, param_names().req)) {
      const std::string request = request_text(*req);
      e.has_request = !request.empty();
      e.request = text(request);
    }
    e.has_markers = add_markers(extra(i, param_names().markers), e.markers);
  }
  [[nodiscard]] std::string request_text(const Attr& a) const {
    if (a.kind == Kind::string_val) return std::string(t_.string(a));
    const IntValue number = int_value(&a);
    return number ? std::to_string(number.value) : std::string();
  }
  bool add_markers(const Attr* a, Range& range) {
    if (a == nullptr || a->kind != Kind::string_list) return false;
    range.begin = static_cast<std::uint32_t>(file().texts.size());
    for (const Text marker : t_.string_list(*a)) file().texts.push_back(text(t_.view(marker)));
    range.count = a->size;
    return true;
  }

  void add_communication(std::uint32_t i, const ParamFacts& f) {
    const Node& node = t_.nodes[i];
    ParamEntry e;
    e.group = group_of(i, f);
    e.operation = node.type == NodeType::comm_coll ? collective_of_node(i, f) : add_message(i, f, e);
    if (e.operation->type != Collective::barrier) add_sizes(i, f, e);
    add_common(i, e);
    const IntValue batched = int_value(extra(i, param_names().use_batch));
    e.batched = e.operation->kind == ParamOperation::Kind::message && batched && batched.value != 0;
    if (!e.batched) end_batch({});
    write_waits(i);
    written_[i] = true;
    keep_request_apart(i, e, e.batched ? no_index : static_cast<std::uint32_t>(posted_.size()));
    push(e, i);
    post(i, e);
  }

  void post(std::uint32_t i, const ParamEntry& e) {
    if (!e.batched || open_batch_ == no_index) {
      if (e.batched) open_batch_ = static_cast<std::uint32_t>(posted_.size());
      posted_.push_back({.node = i});
      if (!e.batched) posted_.back().entry = static_cast<std::uint32_t>(entries().size() - 1);
    }
    const auto p = static_cast<std::uint32_t>(posted_.size() - 1);
    posted_of_[i] = p;
    if (const IntValue waited = int_value(extra(i, param_names().waited))) {
      posted_[p].waits = waited.value != 0;
      posted_[p].no_wait = waited.value == 0;
    } else {
      // The receive may come after an entry that depends on the send: ranks that exchange messages would deadlock.
      posted_[p].last = t_.nodes[i].type == NodeType::comm_send && !e.batched;
    }
    if (const IntValue start = int_value(extra(i, param_names().wait_start_nanos)))
      posted_[p].wait_ns = start.value;
    posted_[p].wait_has_markers = add_markers(extra(i, param_names().wait_markers), posted_[p].wait_markers);
    if (e.batched && extra(i, param_names().batch_req) != nullptr)
      end_batch(request_text(*extra(i, param_names().batch_req)));
  }

  std::int64_t group_of(std::uint32_t i, const ParamFacts& f) const {
    const Attr* const group = f[attr::pg_name];
    if (group == nullptr) return -1;
    const std::string_view name = group->kind == Kind::string_val ? t_.string(*group) : std::string_view("?");
    if (name.empty()) return -1;
    const auto number = parse_plain(name, std::numeric_limits<std::int64_t>::max());
    if (number) return static_cast<std::int64_t>(*number);
    throw error(i, "process group '" + std::string(name) + "' is not a number, which PARAM requires as pg_id");
  }

  const ParamOperation* collective_of_node(std::uint32_t i, const ParamFacts& f) const {
    if (const Attr* dims = f[attr::involved_dim]; dims != nullptr && dims->kind == Kind::bool_list) {
      if (std::ranges::find(t_.list(*dims), 0U) != t_.list(*dims).end())
        throw error(i, "a collective over some dimensions of a network has no process group, which PARAM requires");
    }
    const IntValue number = int_value(f[attr::comm_type]);
    const Collective type = number ? collective_of(number.value) : Collective{-1};
    if (!in_traces(type)) throw error(i, "has no comm_type that PARAM supports");
    const Attr* const own = f[attr::collective_name];
    if (own != nullptr && own->kind == Kind::string_val) {
      const ParamOperation* const found = find_param_operation(t_.string(*own));
      if (found != nullptr && found->kind == ParamOperation::Kind::collective && found->type == without_block(type))
        return found;
    }
    if (type == Collective::all_to_all && f[attr::send_splits] != nullptr)
      return find_param_operation("all_to_allv");
    return &param_operation(type);
  }

  const ParamOperation* add_message(std::uint32_t i, const ParamFacts& f, ParamEntry& e) {
    const bool sends = t_.nodes[i].type == NodeType::comm_send;
    const IntValue peer = int_value(f[sends ? attr::comm_dst : attr::comm_src]);
    if (!peer || peer.value < 0 || peer.value > largest_rank)
      throw error(i, std::string("has no ") + (sends ? "comm_dst" : "comm_src") + " that is a rank");
    if (peer.value == trace_.rank) throw error(i, "is a message of a rank to itself, which PARAM does not support");
    e.source = sends ? trace_.rank : peer.value;
    e.target = sends ? peer.value : trace_.rank;
    ParamFlow flow{.peer = static_cast<Rank>(peer.value), .group = e.group, .sends = sends};
    ParamFlow& known = flows_.try_emplace(flow.key(), flow).first->second;
    const IntValue tag = int_value(f[attr::comm_tag]);
    ++known.messages;
    known.tags = (known.tags ^ static_cast<std::uint64_t>(tag.value)) * 0x9e3779b97f4a7c15U + known.messages;
    const Collective type = sends ? Collective::send : Collective::recv;
    const Attr* const own = f[attr::collective_name];
    const bool told = own != nullptr && own->kind == Kind::string_val && t_.string(*own).starts_with('i');
    const bool posted = told || (sends && extra(i, param_names().waited) == nullptr);
    return &param_operation(type, posted);
  }

  void add_sizes(std::uint32_t i, const ParamFacts& f, ParamEntry& e) {
    const IntValue size = int_value(f[attr::comm_size]), size_out = int_value(f[attr::comm_bytes_out]);
    if (!size || size.value < 0)
      throw error(i, "has no comm_size, which PARAM requires; for an algorithm, add size=BYTES");
    e.in_bytes = size.value;
    e.out_bytes = size_out && size_out.value >= 0 ? size_out.value : -1;
    const IntValue root = int_value(f[comes_from_root(e.operation->type) ? attr::comm_src : attr::comm_dst]);
    if (has_root(e.operation->type) && root && root.value >= 0) e.root = root.value;
    if (e.operation->name == "all_to_allv") {
      e.has_splits = true;
      add_splits(i, f[attr::send_splits], e.in_split, e.in_bytes);
      add_splits(i, f[attr::recv_splits], e.out_split, e.out_bytes);
    }
    add_type(i, f, e);
  }

  // Reads the bytes for each rank; the size is their sum.
  void add_splits(std::uint32_t i, const Attr* list, Range& range, std::int64_t& bytes) {
    if (list == nullptr || !is_list(list->kind) || !is_integer(scalar_of(list->kind)) || list->size == 0) return;
    range.begin = static_cast<std::uint32_t>(file().numbers.size());
    range.count = list->size;
    std::int64_t sum = 0;
    for (const std::uint64_t part : t_.list(*list)) {
      const auto n = static_cast<std::int64_t>(part);
      if (n < 0 || __builtin_add_overflow(sum, n, &sum))
        throw error(i, "has a split that is not a number of bytes");
      file().numbers.push_back(n);
    }
    bytes = sum;
  }

  void add_type(std::uint32_t i, const ParamFacts& f, ParamEntry& e) {
    const NodeId id = t_.nodes[i].id;
    const Attr* const given = f[attr::comm_dtype];
    const std::string_view name = given != nullptr && given->kind == Kind::string_val ? t_.string(*given) : "";
    ParamType type = param_type(name);
    if (name.empty()) {
      out_->lose(ParamLoss::no_type, id);
    } else if (!is_param_type(name)) {
      out_->lose(ParamLoss::other_type, id);
    }
    if (type.bytes == 0) type = param_float;
    const auto fits = [&](std::int64_t bytes) { return bytes < 0 || bytes % type.bytes == 0; };
    const auto all_fit = [&](Range r) { return std::ranges::all_of(file().view(r), fits); };
    if (!fits(e.in_bytes) || !fits(e.out_bytes) || !all_fit(e.in_split) || !all_fit(e.out_split)) type = param_byte;
    e.type = text(type.name);
  }

  const Trace& trace_;
  const NodeTable& t_;
  std::span<const std::uint32_t> rounds_;
  const ParamWriteOptions& options_;
  Graph graph_;
  std::unique_ptr<ParamDraft> out_ = std::make_unique<ParamDraft>();
  std::vector<PostedOperation> posted_;   // in issue order
  std::vector<std::uint32_t> posted_of_;  // by node: index into posted_
  std::vector<bool> written_;             // by node: whether it has an entry
  std::vector<bool> seen_;                // by node without an entry: its ancestors have been awaited
  std::uint32_t open_batch_ = no_index;   // index into posted_
  std::unordered_set<std::int64_t> requests_;
  std::unordered_map<std::string, std::uint32_t> posted_with_;  // request → index into posted_
  std::int64_t next_request_ = 0;
  std::map<std::array<std::int64_t, 3>, ParamFlow> flows_;
};

}  // namespace

std::unique_ptr<ParamDraft> draft_param(const Trace& trace, std::span<const std::uint32_t> rounds,
                                        const ParamWriteOptions& options) {
  return ParamDrafting(trace, rounds, options).make();
}

}  // namespace convert
