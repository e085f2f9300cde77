// SPDX-License-Identifier: MIT
// Speed of the Chakra codec on nodes of 19 attributes, compared with protozero's writer and scan of the same bytes.
#include <cstdlib>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>

#include "bench/nodes.h"
#include "bench/report.h"
#include "formats/chakra/stream.h"
#include "formats/format.h"

namespace {

using namespace convert;

// Writes the same bytes with protozero.
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

void measure(bench::Report& report) {
  const std::string encoding = "chakra encode / protozero's writer";
  const std::string decoding = "chakra decode / protozero's scan";
  if (!report.wants({encoding, decoding})) return;
  const NodeTable table = bench::make_steps(report.smoke ? 1000 : 100'000);
  const auto nodes = static_cast<double>(table.nodes.size());
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
  if (bytes != floor_bytes) throw Error("the two encoders disagree");
  report.add_time(encoding, "node", nodes, encode, bench::times_floor(2));

  std::uint64_t sum = 0;
  const std::string file = std::string(1, '\0') + bytes;
  NodeTable scratch;
  const bench::Best decode =
      bench::best_of_both([&] { sum += scan_protozero(bytes); }, [&] { decode_all(file, scratch); });
  if (sum == 0) std::abort();  // prevents the compiler from removing the read
  report.add_time(decoding, "node", nodes, decode, bench::times_floor(2));
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
