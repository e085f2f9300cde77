// SPDX-License-Identifier: MIT
// Sweep files, and lines of the tables from which sweeps continue.
#include <cstdint>
#include <string>
#include <string_view>

#include "config/sweep.h"
#include "core/diagnostic.h"
#include "fuzzer.h"
#include "scenario/settings.h"
#include "scenario/sweep_table.h"
#include "trace_fuzzing.h"

namespace {

void read_line(std::string_view text) {
  using namespace convert;
  if (text.find_first_of("\n\r") != std::string_view::npos) return;
  const auto cells = parse_csv_line(text);
  if (!cells) return;
  std::string line;
  for (const std::string& cell : *cells) line += csv_cell(cell) + ',';
  line.pop_back();
  fuzzing::check(parse_csv_line(line) == cells, "a line of CSV that comes back as another");
}

}  // namespace

FUZZER(sweep) {
  using namespace convert;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_line(text);
  fuzzing::may_refuse([&] {
    const SweepConfig config = parse_sweep("fuzz.yml", text, sweep_keys());
    for (const auto* settings : {&config.base, &config.axes}) {
      for (const SweepSetting& s : *settings) {
        fuzzing::check(!s.values.empty(), "a key without a value");
        for (const SweepValue& v : s.values) (void)quantity(s.key, v.text);
      }
    }
  });
  return 0;
}
