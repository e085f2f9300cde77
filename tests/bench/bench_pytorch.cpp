// SPDX-License-Identifier: MIT
// Speed of linking a host trace with its device trace, compared with the floor in the same process.
// Floor: simdjson's on-demand walk over the members of all nodes and events, and protozero's encoding of the
// result, with both files and the output in memory. The measured work reads the same bytes and encodes the same
// nodes. Both keep their memory between runs. The time that the system takes to clear new pages, up to a third more
// on some virtual machines, is part of the tool's time, which jobs.py measures, as is its memory.
#include <malloc.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/protozero_nodes.h"
#include "bench/report.h"
#include "formats/chakra/stream.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/process_groups.h"
#include "formats/pytorch/pytorch.h"
#include "io/input.h"
#include "link_whole.h"
#include "passes/compat/convert.h"
#include "passes/compat/link.h"
#include "passes/link/link.h"

namespace {

using namespace convert;

struct Pair {
  std::string host;
  std::string device;
  std::vector<std::string> names;
};

std::string read_file(const std::string& path) { return open_input(path)->read_rest(simdjson::SIMDJSON_PADDING); }

std::size_t scan(simdjson::ondemand::parser& parser, const std::string& text, const char* array) {
  std::size_t members = 0;
  auto document = parser.iterate(text.data(), text.size(), text.capacity());
  for (auto element : document[array].get_array()) {
    for (auto field : element.get_object()) {
      (void)field.unescaped_key().value();
      ++members;
    }
  }
  return members;
}

Trace read_host(const Pair& pair, Diagnostics& diagnostics) {
  const auto input = memory_input(pair.names[0], pair.host);
  return read_pytorch(*input, 0, diagnostics);
}

Profile read_device(const Pair& pair, Diagnostics& diagnostics) {
  const auto input = memory_input(pair.names[1], pair.device);
  return read_kineto(*input, diagnostics);
}

constexpr std::size_t piece = 4096;  // nodes, as in the tools

void link_and_encode(const Pair& pair, std::string& out) {
  Diagnostics diagnostics;
  Trace host = read_host(pair, diagnostics);
  Profile device = read_device(pair, diagnostics);
  const auto groups = process_groups(host, &device);
  LinkedRank rank(std::move(host), std::move(device), groups, {});
  Trace trace;
  rank.head(trace);
  ChakraEncoder encoder;
  while (rank.next_nodes(trace, piece)) encoder.nodes(trace.nodes, out);
}

Trace link_whole(const Pair& pair) {
  Diagnostics diagnostics;
  Trace host = read_host(pair, diagnostics);
  Profile device = read_device(pair, diagnostics);
  const auto groups = process_groups(host, &device);
  return link(std::move(host), std::move(device), groups, {}).trace;
}

Trace link_like_reference_whole(const Pair& pair) {
  Diagnostics diagnostics;
  Trace host = read_host(pair, diagnostics);
  const Profile device = read_device(pair, diagnostics);
  return convert_like_reference(link_like_reference(std::move(host), device));
}

void link_and_encode_like_reference(const Pair& pair, std::string& out) {
  const Trace trace = link_like_reference_whole(pair);
  ChakraEncoder().nodes(trace.nodes, out);
}

// Returns a path's folder and name.
std::string name_of(const std::string& path) {
  const std::string name = bench::file_name(path);
  const std::string folder = path.substr(0, std::max(path.size() - name.size(), std::size_t{1}) - 1);
  return bench::file_name(folder) + "/" + name;
}

// `whole` returns the result, for the floor; `work` is measured.
template <typename Whole, typename Work>
void measure_linking(bench::Report& report, const std::string& name, const Pair& pair, std::size_t hosts,
                     double limit, const Whole& whole, const Work& work) {
  if (!report.wants({name})) return;
  const Trace result = whole(pair);
  std::string message;
  std::string out;
  out.reserve(pair.host.size() + pair.device.size());
  simdjson::ondemand::parser host_parser;
  simdjson::ondemand::parser device_parser;
  const bench::Best best = bench::best_of_both(
      [&] {
        if (scan(host_parser, pair.host, "nodes") + scan(device_parser, pair.device, "traceEvents") == 0)
          std::abort();
        out.clear();
        bench::encode_nodes(result.nodes, message, out);
      },
      [&] {
        out.clear();
        work(pair, out);
      });
  report.add_time(name + ", " + name_of(pair.names[0]), "node", static_cast<double>(hosts), best,
                  bench::times_floor(limit));
}

void measure(bench::Report& report) {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  const Pair pair{read_file(report.files[0]), read_file(report.files[1]), report.files};
  Diagnostics diagnostics;
  const std::size_t hosts = read_host(pair, diagnostics).nodes.nodes.size();
  (void)read_device(pair, diagnostics);
  bench::check(diagnostics);
  if (hosts == 0) throw input_error({.file = pair.names[0]}, "holds no nodes");
  measure_linking(report, "link / scan + encode", pair, hosts, 2.5, link_whole, link_and_encode);
  measure_linking(report, "link, --compat chakra / scan + encode", pair, hosts, 5, link_like_reference_whole,
                  link_and_encode_like_reference);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {"HOST.json KINETO.json", 2, 2}, measure); }
