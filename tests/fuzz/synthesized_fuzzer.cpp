// SPDX-License-Identifier: MIT
// Command lines of et-generate --algorithm synthesized on tiny networks: the result is proved, or the input is
// rejected with exit status 1 or 2.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "choices.h"
#include "config/network/wire_list.h"
#include "fuzzer.h"
#include "generate/options.h"
#include "generate/write.h"
#include "passes/lower/lower.h"
#include "proof_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;
using Words = std::vector<std::string>;

// Options of et-generate with valid or unusual values. Large valid numbers would only be slow.
const std::vector<std::pair<std::string, Words>>& option_values() {
  static const std::vector<std::pair<std::string, Words>> options = {
      {"--size", {"1MiB", "1", "7", "1000", "64KiB", "1GiB", "0", "9223372036854775807", "-1", "x", "1MiB,1KiB"}},
      {"--chunks", {"1", "2", "3", "4", "7", "40", "16777216", "0", "x"}},
      {"--max-chunks", {"1", "2", "5", "33", "0", "16777217"}},
      {"--fail", {"0-1", "1>0", "0-1,1-2", "npu0-switch0", "0>1,1>2", "0-9", "0-0", "", ",", "0-1,0-1", "1-"}},
      {"--group", {"0-2", "0,2", "1", "0-1,3", "0-99", "2-0", "", "0,0,1", "x"}},
      {"--group-only", {}},
      {"--root", {"0", "1", "2", "7", "-1", "16777216"}},
      {"--occupancy", {"beta", "alpha-beta", "alpha"}},
      {"--method",
       {"auto", "greedy", "trees", "exact", "latency", "paired", "paths", "builders", "greedy,trees",
        "exact,greedy", "paired,trees", "none", ""}},
      {"--effort", {"fast", "fast", "normal", "best", "most"}},
      {"--seed", {"1", "7", "0", "9223372036854775807", "-1"}},
      {"--jobs", {"1", "2", "0", "x"}},
      {"--format", {"text", "json", "xml"}},
      {"--npus", {"2", "4", "8", "0"}},
      {"-t", {"ten", "msccl", "chakra", "dot", "x"}},
      {"--proto", {"LL", "Simple"}},
      {"--dims", {"2x2"}},
      {"--compat", {"none", "chakra"}},
      {"--werror", {}},
      {"-v", {}},
      {"--objective", {"time", "bandwidth", "transfers"}},
      {"--target", {"msccl", "rccl", "x"}},
      {"--show", {"sizes", "x"}},
      {"--avoid", {"0-1", "3"}},
      {"--only", {"0-1", "1>0"}},
      {"--time-limit", {"1ms", "0", "-1s"}},
  };
  return options;
}

std::string short_network(Choices& c) {
  static const Words names = {
      "ring:2", "ring:5",          "switch:4", "fully_connected:4",        "mesh:3x2", "torus:3x3", "hypercube:8",
      "ring:1", "switch:2+ring:3", "tree:2x3", "fully_connected:3+ring:2", "ring:0",   "ideal",     "torus:2x2"};
  static const Words rates = {"bw=50GB/s,lat=500ns", "bw=50GB/s", "bw=43.478GB/s,lat=1ps", "bw=1MB/s,lat=1s", ""};
  const std::string name = c.of(names);
  const std::string& rate = c.of(rates);
  return rate.empty() || name == "ideal" ? name : name + ',' + rate;
}

// A list of links between a few devices, usually a ring and more.
std::string listed_network(Choices& c) {
  static const std::vector<double> rates = {50, 25, 43.478, 0.001, 1e6};
  WireGraph graph;
  graph.npus = 2 + c.below(5);
  graph.switches = c.below(3);
  const std::uint32_t n = graph.devices();
  std::vector<std::uint8_t> there(std::size_t{n} * n, 0);
  const auto add = [&](Device from, Device to) {
    if (from == to || std::exchange(there[from * n + to], 1) != 0) return;
    graph.wires.push_back({from, to, c.of(rates), Picoseconds{100'000} * c.below(4)});
  };
  if (c.below(4) != 0) {
    for (Device d = 0; d < n; ++d) add(d, (d + 1) % n);
  }
  for (std::uint32_t most = 4 * n; most > 0 && !c.empty(); --most) {
    const Device from = c.below(n);
    add(from, c.below(n));
  }
  std::string text;
  append_wire_list(graph, text);
  return text;
}

// A private file in memory, which has a path while it is open.
class FileInMemory {
 public:
  explicit FileInMemory(const std::string& text) : file_(memfd_create("fuzz", 0)) {
    check(file_ >= 0 && write(file_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "no file");
  }
  ~FileInMemory() { close(file_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

// The current command line, for the message of a failure.
std::string& tried() {
  static std::string text;
  return text;
}
void expect(bool good, const std::string& what) {
  if (!good) check(false, (what + '\n' + tried()).c_str());
}

void check_proof(const Algorithm& algorithm) {
  if (algorithm.steps.empty()) return;  // of one NPU
  Diagnostics diagnostics;
  const Lowering lowering(algorithm, std::nullopt, diagnostics);
  std::vector<Trace> traces(algorithm.gpus.size());
  for (Rank r = 0; r < traces.size(); ++r) {
    lowering.lower(r, traces[r]);
    traces[r].name = "t." + std::to_string(r) + ".et";
  }
  verify(make_step_graph(traces, diagnostics), {.dataflow = true, .collective = {}, .soft = Severity::error},
         diagnostics);
  for (const Diagnostic& d : diagnostics.all())
    expect(d.severity != Severity::error, "an algorithm that is not proved: " + format_diagnostic(d));
}

// As et-generate does. Its errors must be about the input or the command line, not about its result.
int generate(const tools::GenerateOptions& o, tools::Context& context) {
  if (o.kind.size() != 1 || !tools::is_synthesized(o)) throw usage_error("no collective");
  try {
    tools::generate_synthesized(o, context, check_proof);
  } catch (const Error& e) {
    expect(e.kind() != Error::Kind::system && std::string(e.what()).find("schedule is wrong") == std::string::npos,
           e.what());
    throw;
  } catch (const std::exception& e) {
    expect(false, e.what());
  }
  return 0;
}

Words command_line(Choices& c, const std::string& network) {
  static const Words collectives = {"all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast",
                                    "reduce",     "scatter",        "gather",     "a2a",        "send_recv"};
  Words words = {"et-generate", c.of(collectives), "--algorithm",  "synthesized",
                 "-n",          network,           "--max-chunks", "8"};
  words.insert(words.end(), {"--effort", c.below(4) == 0 ? "normal" : "fast"});
  if (c.below(8) == 0) {
    words.emplace_back("--bound");
  } else {
    words.insert(words.end(), {"-o", "-", "-t", c.below(2) == 0 ? "ten" : "msccl"});
  }
  if (c.below(8) != 0) words.insert(words.end(), {"--size", c.below(2) == 0 ? "1MiB" : "1001"});
  for (std::uint32_t most = c.below(4); most > 0; --most) {
    const auto& [name, values] = c.of(option_values());
    // Removes an earlier value in most cases, so that an option is rarely given twice.
    const auto before = std::ranges::find(words, name);
    if (before != words.end() && c.below(16) != 0) words.erase(before, before + (values.empty() ? 1 : 2));
    words.push_back(name);
    if (!values.empty()) words.push_back(c.of(values));
  }
  return words;
}

// Discards standard output for a while.
class NoOutput {
 public:
  NoOutput() : kept_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY);
    check(kept_ >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0, "no standard output");
    close(nowhere);
  }
  ~NoOutput() {
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  NoOutput(const NoOutput&) = delete;
  NoOutput& operator=(const NoOutput&) = delete;

 private:
  int kept_;
};

// `network`: contents of the network file, if there is one.
void run(const Words& words, const std::string& network = {}) {
  tried() = network;
  for (const std::string& word : words) tried() += word + ' ';
  std::vector<std::string> kept = words;
  std::vector<char*> argv;
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  const tools::ToolInfo info{.name = "et-generate", .operands = "KIND", .examples = {}, .reads_files = false};
  const NoOutput none;
  const int status =
      tools::run_tool(static_cast<int>(words.size()), argv.data(), info, tools::add_generate_options, generate);
  expect(status >= 0 && status <= 2, "another exit status");
}

}  // namespace

FUZZER(synthesized) {
  Choices c({reinterpret_cast<const char*>(data), size});
  if (c.below(2) == 0) {
    const std::string network = short_network(c);
    run(command_line(c, network));
    return 0;
  }
  // The options come first: the list uses all remaining bytes.
  Words words = command_line(c, "NETWORK");
  const std::string network = listed_network(c);
  const FileInMemory file(network);
  std::ranges::replace(words, "NETWORK", file.path());
  run(words, network);
  return 0;
}
