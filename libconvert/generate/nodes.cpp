// SPDX-License-Identifier: MIT
// Single nodes: the cases of Chakra's generator; with --compat chakra, exactly its attributes.
#include <bit>

#include "generate/kinds.h"

namespace convert::generate {
namespace {

constexpr std::int64_t tensor_bytes = 1024;
constexpr std::int64_t collective_bytes = 65536;
constexpr std::uint64_t runtime_ns = 5000;
constexpr std::string_view comp_name = "COMP_NODE";

std::uint64_t duration(const GenerateRequest& r) { return r.compute_ns.value_or(runtime_ns); }

void add_case(const GenerateRequest& r, TraceBuilder& b, Collective type) {
  const GeneratedCollective c{type, type == Collective::barrier ? 0 : r.size.value_or(collective_bytes)};
  if (r.like_reference) {
    b.collective(c.type, c.bytes);
  } else {
    add_collective(b, c);
  }
}

// Chakra's generator states only the size of a message.
void add_reference_message(const GenerateRequest& r, TraceBuilder& b, NodeType type) {
  b.add(type, node_type_name(type));
  b.set(attr::is_cpu_op, 0, Kind::bool_val);
  b.set(attr::tensor_size, r.size.value_or(tensor_bytes), Kind::uint64_val);
}

// Adds an attribute of every kind, with the names, values and documentation of Chakra's generator.
class AllKinds {
 public:
  explicit AllKinds(NodeTable& table) : table_(table) {}

  void add() {
    numbers("double", Kind::double_val, bits(1.2345), bits(1.2345), bits(2.3456), true);
    numbers("float", Kind::float_val, bits(1.2345F), bits(1.2345F), bits(2.3456F), true);
    numbers("int32", Kind::int32_val, 12345, 12345, 23456, true);
    numbers("int64", Kind::int64_val, 9876543210, 9876543210, 1234567890, true);
    numbers("uint32", Kind::uint32_val, 12345, 12345, 23456, true);
    numbers("uint64", Kind::uint64_val, 9876543210, 9876543210, 1234567890, true);
    numbers("sint32", Kind::sint32_val, -12345, 12345, -23456, true);
    numbers("sint64", Kind::sint64_val, -9876543210, 9876543210, -1234567890, true);
    numbers("fixed32", Kind::fixed32_val, 12345, 12345, 23456, false);
    numbers("fixed64", Kind::fixed64_val, 9876543210, 9876543210, 1234567890, false);
    numbers("sfixed32", Kind::sfixed32_val, -12345, 12345, -23456, false);
    numbers("sfixed64", Kind::sfixed64_val, -9876543210, 9876543210, -1234567890, false);
    booleans();
    texts("string", Kind::string_val, true);
    texts("bytes", Kind::bytes_val, false);
  }

 private:
  static std::int64_t bits(double v) { return std::bit_cast<std::int64_t>(v); }
  static std::int64_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }
  static Kind list_of(Kind scalar) { return static_cast<Kind>(static_cast<int>(scalar) + 1); }

  void document(std::string_view text) {
    Extra& extra = table_.extras.emplace_back();
    extra.doc_string = table_.add_text(text);
    table_.attrs.back().extra = static_cast<std::uint32_t>(table_.extras.size());
  }
  void list(const std::string& name, Kind kind, const std::vector<std::int64_t>& values) {
    table_.add_ints(Name(name + "_list"), list_of(kind), values);
  }
  void numbers(const std::string& name, Kind kind, std::int64_t value, std::int64_t first, std::int64_t second,
               bool documented) {
    table_.add_int(Name(name), kind, value);
    if (documented) document(name);
    list(name, kind, {first, second});
  }
  void booleans() {
    table_.add_bool(Name("bool"), true);
    document("bool");
    list("bool", Kind::bool_val, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
  }
  void texts(const std::string& name, Kind kind, bool documented) {
    table_.add_string(Name(name), "12345");
    table_.attrs.back().kind = kind;
    if (documented) document(name);
    std::vector<std::string> values;
    for (int i = 12345; i <= 12354; ++i) values.push_back(std::to_string(i));
    table_.add_strings(Name(name + "_list"), values);
    table_.attrs.back().kind = list_of(kind);
  }

  NodeTable& table_;
};

}  // namespace

void make_metadata(const GenerateRequest& /*r*/, TraceBuilder& b) {
  b.add(NodeType::metadata, "METADATA_NODE");
  AllKinds(b.trace().nodes).add();
}

void make_mem_load(const GenerateRequest& r, TraceBuilder& b) {
  b.mem_load("MEM_LOAD_NODE", r.size.value_or(tensor_bytes));
}

void make_mem_store(const GenerateRequest& r, TraceBuilder& b) {
  b.mem_store("MEM_STORE_NODE", r.size.value_or(tensor_bytes));
}

void make_comp(const GenerateRequest& r, TraceBuilder& b) { b.compute(comp_name, duration(r)); }

void make_comp_independent(const GenerateRequest& r, TraceBuilder& b) {
  b.compute(comp_name, duration(r));
  b.compute(comp_name, duration(r));
}

void make_comp_dependent(const GenerateRequest& r, TraceBuilder& b) {
  const NodeId first = b.compute(comp_name, duration(r));
  b.compute(comp_name, duration(r), {first});
}

void make_all_reduce(const GenerateRequest& r, TraceBuilder& b) { add_case(r, b, Collective::all_reduce); }
void make_all_to_all(const GenerateRequest& r, TraceBuilder& b) { add_case(r, b, Collective::all_to_all); }
void make_all_gather(const GenerateRequest& r, TraceBuilder& b) { add_case(r, b, Collective::all_gather); }
void make_reduce_scatter(const GenerateRequest& r, TraceBuilder& b) { add_case(r, b, Collective::reduce_scatter); }
void make_broadcast(const GenerateRequest& r, TraceBuilder& b) { add_case(r, b, Collective::broadcast); }
void make_barrier(const GenerateRequest& r, TraceBuilder& b) { add_case(r, b, Collective::barrier); }

void make_comm_send(const GenerateRequest& r, TraceBuilder& b) {
  if (r.like_reference) return add_reference_message(r, b, NodeType::comm_send);
  const Rank rank = b.trace().rank;
  b.send(next_rank(r, rank), r.size.value_or(tensor_bytes));
  b.receive(previous_rank(r, rank), r.size.value_or(tensor_bytes));
}

void make_comm_recv(const GenerateRequest& r, TraceBuilder& b) {
  if (r.like_reference) return add_reference_message(r, b, NodeType::comm_recv);
  const Rank rank = b.trace().rank;
  b.receive(previous_rank(r, rank), r.size.value_or(tensor_bytes));
  b.send(next_rank(r, rank), r.size.value_or(tensor_bytes));
}

void make_comm_coll(const GenerateRequest& r, TraceBuilder& b) {
  add_collective(b, r.comm.empty() ? GeneratedCollective{Collective::all_reduce, collective_bytes} : r.comm[0]);
}

}  // namespace convert::generate
