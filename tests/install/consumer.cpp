// SPDX-License-Identifier: MIT
// A program that uses an installed etkit: builds a trace, writes it, reads it back, and reads it with libprotobuf.
#include <et_def.pb.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <cstdio>
#include <fstream>

#include "core/trace.h"
#include "feeder/feeder.h"
#include "formats/format.h"
#include "graph/graph.h"
#include "io/input.h"
#include "io/output.h"
#include "io/set_path.h"

namespace {

convert::Trace build_trace() {
  convert::Trace trace;
  trace.metadata.version = convert::schema_version;
  trace.nodes.add_node(0, convert::NodeType::comm_recv, "receive");
  trace.nodes.add_int(convert::attr::comm_size, convert::Kind::int64_val, 4096);
  trace.nodes.end_node();
  trace.nodes.add_node(1, convert::NodeType::comp, "reduce");
  trace.nodes.add_data_dep(0);
  trace.nodes.end_node();
  return trace;
}

void write_trace(const convert::Trace& trace, const std::string& path) {
  std::string bytes;
  const auto writer = convert::find_format("chakra").write(convert::FormatOptions{});
  writer->begin_set(false, bytes);
  writer->begin_rank(trace, 0, false, bytes);
  writer->nodes(trace, bytes);
  writer->end_rank(bytes);
  writer->end_set(false, bytes);
  convert::OutputFiles files;
  const auto output = files.create(path);
  output->write(bytes);
  output->close();
  files.commit();
}

convert::Trace read_trace(const std::string& path) {
  convert::Trace trace;
  convert::Diagnostics diagnostics;
  const convert::FormatOptions options;
  const auto input = convert::open_input(path);
  const auto reader = convert::find_format("chakra").read({*input, convert::rank_of(path), options, diagnostics});
  if (!reader->next_rank(trace) || !reader->next_nodes(trace, 100)) return {};
  return trace;
}

// Returns the number of nodes that a simulator can run, in dependency order.
std::uint32_t run_all(const convert::Trace& trace) {
  convert::Feeder feeder(trace.nodes, convert::build_graph(trace.nodes));
  std::vector<std::uint32_t> running;
  std::uint32_t done = 0;
  do {
    running.clear();
    feeder.issue([&](std::uint32_t node) {
      running.push_back(node);
      return true;
    });
    for (const std::uint32_t node : running) feeder.complete(node);
    done += static_cast<std::uint32_t>(running.size());
  } while (!running.empty());
  return done;
}

bool read_with_protobuf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  google::protobuf::io::IstreamInputStream stream(&file);
  ChakraProtoMsg::GlobalMetadata metadata;
  ChakraProtoMsg::Node node;
  bool clean_end = false;
  using google::protobuf::util::ParseDelimitedFromZeroCopyStream;
  return ParseDelimitedFromZeroCopyStream(&metadata, &stream, &clean_end) && metadata.version() == "0.0.4" &&
         ParseDelimitedFromZeroCopyStream(&node, &stream, &clean_end) && node.name() == "receive" &&
         node.attr(0).int64_val() == 4096;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  write_trace(build_trace(), argv[1]);
  const convert::Trace trace = read_trace(argv[1]);
  const bool same = trace.nodes.nodes.size() == 2 && trace.nodes.name(trace.nodes.nodes[1]) == "reduce";
  const bool agrees = read_with_protobuf(argv[1]);
  std::printf("%zu nodes, %u run, libprotobuf %s\n", trace.nodes.nodes.size(), run_all(trace),
              agrees ? "agrees" : "differs");
  return same && agrees && run_all(trace) == 2 ? 0 : 1;
}
