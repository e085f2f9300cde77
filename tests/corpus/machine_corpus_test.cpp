// SPDX-License-Identifier: MIT
// Times of calls on the corpus' machines: by the formulas, and corrected by measured points.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "common/replay_traces.h"
#include "core/diagnostic.h"
#include "corpus.h"
#include "formats/msccl/msccl.h"
#include "generate/trace_builder.h"
#include "machine/call_time.h"
#include "machine/chosen.h"
#include "machine/file.h"
#include "machine/measured.h"
#include "unit/passes/lowered.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

MachineText machine_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return {path.string(), text.str(), {}};
}

Machine machine_of(const std::string& name) {
  const fs::path folder = corpus::root() / "machines" / "machines";
  const MachineText file = machine_text(folder / (name + ".yml"));
  EXPECT_TRUE(is_machine_text(file.text)) << name;
  return parse_machine(file.file, file.text,
                       [&](const std::string& named, bool) { return machine_text(folder / named); });
}

TEST(MachineCorpus, ExpectedTimes) {
  REQUIRE_CORPUS();
  struct Known {
    Machine machine;
    MeasuredCurves curves{machine, machine.measured};
  };
  std::map<std::string, std::unique_ptr<Known>> machines;
  std::size_t rows = 0;
  for (auto& row : corpus::read_table(corpus::root() / "machines" / "expected_times.csv", ',')) {
    const std::string& name = row["machine"];
    if (!fs::exists(corpus::root() / "machines" / "machines" / (name + ".yml"))) continue;
    auto& known = machines[name];
    if (known == nullptr) known.reset(new Known{machine_of(name)});
    const MachineCall call{*parse_collective(row["collective"], in_traces),
                           static_cast<std::uint32_t>(std::stoul(row["ranks"])),
                           static_cast<std::uint32_t>(std::stoul(row["nodes"])), std::stod(row["bytes"])};
    const auto time = call_time(known->machine, call);
    ASSERT_TRUE(time);
    const std::string what =
        name + " " + row["collective"] + " " + row["ranks"] + " " + row["nodes"] + " " + row["bytes"];
    const double model_us = std::stod(row["model_us"]), with_table_us = std::stod(row["with_table_us"]);
    EXPECT_NEAR(time->time_ns / 1000, model_us, 1e-6 * model_us + 5e-5) << what;
    EXPECT_EQ(convert::name(time->algorithm, call.nodes).substr(0, row["algorithm"].size()), row["algorithm"])
        << what;
    const double factor = std::exp(known->curves.at(call, time->time_ns).log_factor);
    EXPECT_NEAR(time->time_ns / 1000 * factor, with_table_us, 1e-4 * with_table_us + 5e-5) << what;
    ++rows;
  }
  EXPECT_EQ(rows, 896U);  // the other rows are of machines without a file
}

// Calls that share links, each as the only work of its ranks.
TEST(MachineCorpus, ExpectedContention) {
  REQUIRE_CORPUS();
  std::map<std::string, std::vector<std::map<std::string, std::string>>> cases;
  for (auto& row : corpus::read_table(corpus::root() / "machines" / "expected_contention.csv", ',')) {
    cases[row["case"]].push_back(row);
  }
  ASSERT_EQ(cases.size(), 7U);
  for (const auto& [title, calls] : cases) {
    SCOPED_TRACE(title);
    const auto machine = std::make_shared<const ChosenMachine>(machine_of("dgx-h100"), 2, false, false);
    auto system = std::make_shared<ReplaySystem>();
    std::vector<TraceBuilder> ranks;
    for (Rank r = 0; r < 16; ++r) ranks.emplace_back(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      auto row = calls[i];
      CommGroup group{.id = static_cast<std::int64_t>(i) + 1};
      for (const std::string& r : corpus::split(row["ranks"], ' '))
        group.ranks.push_back(static_cast<Rank>(std::stoul(r)));
      const Collective op = *parse_collective(row["collective"], in_traces);
      std::int64_t bytes = std::stoll(row["bytes"]);
      if (states_part(op)) bytes /= static_cast<std::int64_t>(group.ranks.size());
      const auto start_us = static_cast<std::uint64_t>(std::stoul(row["start_us"]));
      for (const Rank r : group.ranks) {
        TraceBuilder::Parents after;
        if (start_us != 0) after.push_back(ranks[r].compute("before", start_us * 1000));
        ranks[r].collective(op, bytes, after, std::nullopt, std::to_string(group.id));
      }
      system->groups.push_back(group);
    }
    std::vector<Trace> traces;
    for (TraceBuilder& r : ranks) traces.push_back(r.finish());
    ReplayOptions options;
    options.network.model = NetworkModel::fair;
    options.issue = IssueMode::unlimited;
    options.system = system;
    Diagnostics diagnostics;
    const auto result = test::replay_traces(traces, network_of(machine, "dgx-h100"), options, diagnostics);
    ASSERT_TRUE(result);
    ASSERT_EQ(result->collectives.size(), calls.size());
    for (const CollectiveResult& c : result->collectives) {
      auto row = calls.at(static_cast<std::size_t>(c.group) - 1);
      const double wanted = std::stod(row["end_us"]);
      EXPECT_NEAR(static_cast<double>(*c.end_ps) / ps_per_us, wanted, 1e-4 * wanted) << row["call"];
      EXPECT_EQ(result->kinds.at(c.plan).algorithm.substr(0, row["algorithm"].size()), row["algorithm"]);
    }
  }
}

// A ring all-gather of 8 ranks in place; each channel has its own threadblock.
std::string ring_program(int channels, const std::string& protocol) {
  constexpr int ranks = 8;
  std::ostringstream xml;
  const auto step = [&](int number, const char* type, int shard, int channel) {
    const int chunk = (shard + ranks) % ranks * channels + channel;
    xml << "<step s='" << number << "' type='" << type << "' srcbuf='o' srcoff='" << chunk
        << "' dstbuf='o' dstoff='" << chunk << "' cnt='1' depid='-1' deps='-1' hasdep='0'/>\n";
  };
  xml << "<algo name='ring' proto='" << protocol << "' nchannels='" << channels << "' nchunksperloop='"
      << ranks * channels << "' ngpus='8' coll='allgather' inplace='1' outofplace='0' minBytes='0' maxBytes='0'>\n";
  for (int rank = 0; rank < ranks; ++rank) {
    xml << "<gpu id='" << rank << "' i_chunks='0' o_chunks='" << ranks * channels << "' s_chunks='0'>\n";
    for (int channel = 0; channel < channels; ++channel) {
      xml << "<tb id='" << channel << "' send='" << (rank + 1) % ranks << "' recv='" << (rank + ranks - 1) % ranks
          << "' chan='" << channel << "'>\n";
      step(0, "s", rank, channel);
      for (int k = 1; k < ranks; ++k) step(k, k + 1 < ranks ? "rcs" : "r", rank - k, channel);
      xml << "</tb>\n";
    }
    xml << "</gpu>\n";
  }
  xml << "</algo>\n";
  return xml.str();
}

double us_of_program(int channels, const std::string& protocol) {
  Diagnostics diagnostics;
  const Algorithm program = read_msccl(ring_program(channels, protocol), "ring.xml", diagnostics);
  ReplayOptions options;
  options.network.model = NetworkModel::fair;
  const NetworkConfig network = network_of(choose_preset("mi300x-node"), "mi300x-node");
  const auto result = test::replay_traces(test::lower(program, 1 << 30), network, options, diagnostics);
  EXPECT_TRUE(result);
  return result ? static_cast<double>(result->total_ps) / ps_per_us : 0;
}

// The table of wild/collectives/proto-channels: "| 16 channels, Simple | 20,056 (46.9) | ...".
TEST(MachineCorpus, ChannelsAndProtocolsOfPrograms) {
  REQUIRE_CORPUS();
  std::ifstream table(corpus::root() / "wild" / "collectives" / "proto-channels" / "README.md");
  std::map<std::pair<int, std::string>, double> measured_us;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string bar, count, channels, protocol, us;
    words >> bar >> count >> channels >> protocol >> bar >> us;
    if (!channels.starts_with("channel")) continue;
    std::erase(us, ',');
    measured_us[{std::stoi(count), protocol}] = std::stod(us);
  }
  ASSERT_EQ(measured_us.size(), 3U);
  for (const auto& [program, us] : measured_us)
    EXPECT_NEAR(us_of_program(program.first, program.second), us, 0.03 * us)
        << program.first << ' ' << program.second;
  const double sixteen = us_of_program(16, "Simple");
  EXPECT_NEAR(us_of_program(1, "Simple") / sixteen, 4.4, 0.1);
  EXPECT_NEAR(us_of_program(1, "LL") / sixteen, 31, 0.7);
}

}  // namespace
