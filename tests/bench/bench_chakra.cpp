// SPDX-License-Identifier: MIT
// Speed of the Chakra codec against protozero, on nodes of 19 attributes: ns per node, MB/s and the ratio.
// Usage: bench_chakra [NODES]
#include <cstdio>
#include <cstdlib>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>

#include "bench/measure.h"
#include "bench/nodes.h"
#include "bench/table.h"
#include "formats/chakra/stream.h"
#include "formats/format.h"

namespace {

using namespace convert;

// The same bytes through protozero's writer.
void write_protozero(const NodeTable& t, std::string& out) {
  std::string message;
  for (const Node& n : t.nodes) {
    message.clear();
    protozero::pbf_writer w(message);
    if (n.id != 0) w.add_uint64(1, n.id);
    w.add_string(2, t.name(n).data(), n.name.size);
    w.add_int32(3, static_cast<std::int32_t>(n.type));
    const auto deps = t.data_deps(n);
    w.add_packed_uint64(5, deps.begin(), deps.end());
    if (n.duration_us != 0) w.add_uint64(7, n.duration_us);
    for (const Attr& a : t.attributes(n)) {
      protozero::pbf_writer sub(w, 10);
      const std::string_view name = a.name.view();
      sub.add_string(1, name.data(), name.size());
      const auto tag = static_cast<protozero::pbf_tag_type>(a.kind);
      if (a.kind == Kind::string_val) {
        sub.add_string(tag, t.string(a).data(), a.size);
      } else {
        sub.add_int64(tag, static_cast<std::int64_t>(a.bits));
      }
    }
    protozero::add_varint_to_buffer(&out, message.size());
    out += message;
  }
}

// Visits every field of every message through protozero's reader and keeps nothing.
std::uint64_t scan_protozero(std::string_view bytes) {
  std::uint64_t sum = 0;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p != end) {
    const std::uint64_t size = protozero::decode_varint(&p, end);
    protozero::pbf_reader node(p, size);
    p += size;
    while (node.next()) {
      if (node.tag() != 10) {
        node.skip();
        continue;
      }
      protozero::pbf_reader a = node.get_message();
      while (a.next()) {
        if (a.wire_type() == protozero::pbf_wire_type::varint) {
          sum += a.get_uint64();
        } else {
          sum += a.get_view().size();
        }
      }
    }
  }
  return sum;
}

void decode_all(std::string_view bytes, NodeTable& t) {
  const auto input = memory_input("bench.et", bytes);
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto reader = find_format("chakra").read({*input, 0, options, diagnostics});
  Trace trace;
  trace.nodes = std::move(t);
  if (!reader->next_rank(trace)) std::abort();
  while (reader->next_nodes(trace, 4096)) {
  }
  t = std::move(trace.nodes);
}

void print(const char* what, double seconds, double floor, std::uint64_t nodes, std::size_t bytes) {
  bench::print_row(what, static_cast<double>(nodes), "node", seconds * 1e9 / static_cast<double>(nodes),
                   static_cast<double>(bytes) / seconds / 1e6, seconds / floor, "");
}

void bench_text(const char* format, const NodeTable& table, double floor) {
  const FormatOptions options;
  Trace trace;
  trace.nodes = table;
  std::string text;
  const double write = bench::best_seconds([&] {
    text.clear();
    const auto writer = find_format(format).write(options);
    writer->begin_rank(trace, 0, false, text);
    writer->nodes(trace, text);
    writer->end_rank(text);
  });
  print((std::string(format) + " write").c_str(), write, floor, table.nodes.size(), text.size());
  const double read = bench::best_seconds([&] {
    const auto input = memory_input("bench", text);
    Diagnostics diagnostics;
    const auto reader = find_format(format).read({*input, 0, options, diagnostics});
    Trace out;
    if (!reader->next_rank(out)) std::abort();
    while (reader->next_nodes(out, 4096)) {
    }
  });
  print((std::string(format) + " read").c_str(), read, floor, table.nodes.size(), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t nodes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  NodeTable table;
  for (std::uint64_t i = 0; i < nodes; ++i) bench::add_step(table, i);

  std::string floor_bytes;
  std::string bytes;
  ChakraEncoder encoder;
  const bench::Best encode = bench::best_of_both(
      [&] {
        floor_bytes.clear();
        write_protozero(table, floor_bytes);
      },
      [&] {
        bytes.clear();
        encoder.nodes(table, bytes);
      });
  if (bytes != floor_bytes) {
    std::fprintf(stderr, "bench_chakra: the two encoders disagree\n");
    return 1;
  }
  std::uint64_t sum = 0;
  const std::string file = std::string(1, '\0') + bytes;
  NodeTable scratch;
  const bench::Best decode =
      bench::best_of_both([&] { sum += scan_protozero(bytes); }, [&] { decode_all(file, scratch); });

  if (sum == 0) return 1;  // it has to be read
  bench::print_head();
  print("protozero pbf_writer", encode.floor, encode.floor, nodes, bytes.size());
  print("chakra encode", encode.work, encode.floor, nodes, bytes.size());
  print("protozero scan", decode.floor, decode.floor, nodes, bytes.size());
  print("chakra decode", decode.work, decode.floor, nodes, bytes.size());
  bench_text("json", table, decode.work);
  bench_text("jsonl", table, decode.work);
}
