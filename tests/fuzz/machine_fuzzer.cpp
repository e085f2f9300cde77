// SPDX-License-Identifier: MIT
// Machine files, their tables, and the times of calls on these machines.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "fuzzer.h"
#include "machine/chosen.h"
#include "machine/file.h"
#include "trace_fuzzing.h"

namespace {

using namespace convert;

// Times are finite and not negative, and a latency is not longer than its time.
void check_times(const Machine& machine) {
  const ChosenMachine chosen(machine, std::nullopt, true, false);
  const std::uint32_t gpus = machine.node.gpus;
  for (const Collective c : {Collective::all_reduce, Collective::all_gather, Collective::all_to_all,
                             Collective::send, Collective::gather, Collective::barrier, Collective::broadcast}) {
    for (const std::uint32_t nodes : {1U, 2U, 9U}) {
      if (nodes > 1 && !machine.fabric) continue;
      for (const std::uint32_t each : {1U, 3U, gpus}) {
        for (const double bytes : {0.0, 1.0, 1e6, 9e18}) {
          const MachineCost cost = chosen.cost({c, nodes * each, nodes, bytes});
          fuzzing::check(std::isfinite(cost.time_ns) && cost.time_ns >= 0, "a time is finite");
          fuzzing::check(cost.latency_ns >= 0 && cost.latency_ns <= cost.time_ns * (1 + 1e-9), "latency is a part");
        }
      }
    }
  }
}

}  // namespace

// The text is a machine file and, after a line "---table", its table.
FUZZER(machine) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view mark = "\n---table\n";
  const std::size_t at = text.find(mark);
  const std::string table(at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size()));
  fuzzing::may_refuse([&] {
    const Machine machine =
        parse_machine("fuzz.yml", text.substr(0, at), [&](const std::string& named, bool is_table) -> MachineText {
          if (!is_table) throw input_error({.file = "fuzz.yml"}, "there is no machine " + named, "machine");
          return {named, table, {}};
        });
    check_times(machine);
  });
  return 0;
}
