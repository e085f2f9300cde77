// SPDX-License-Identifier: MIT
#include "analyze/runs/use.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "analyze/parts.h"
#include "core/units.h"
#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::string_view tflops_suffix = " TFLOPS";

double number_of(const Run& run, std::string_view key, double unknown) {
  const auto at = std::ranges::find(run.settings, key, &Run::Setting::key);
  if (at == run.settings.end()) return unknown;
  return parse_number(at->value.substr(0, at->value.find(' '))).value_or(unknown);
}

}  // namespace

RunUse use_of(const Run& run, double operations, double peak_per_s) {
  RunUse use{.operations = operations >= 0 ? operations : number_of(run, "operations", -1),
             .peak_per_s = peak_per_s > 0 ? peak_per_s : 1e12 * number_of(run, "peak", 0)};
  const double npu_seconds = static_cast<double>(window(run)) / 1e12 * static_cast<double>(npus_of(run).size());
  if (use.operations < 0 || npu_seconds == 0) return use;
  use.tflops = use.operations / npu_seconds / 1e12;
  if (use.peak_per_s > 0) use.mfu = use.tflops * 1e12 / use.peak_per_s;
  return use;
}

void tell_use(Run& run, const std::string& operations, double peak_per_s) {
  run.settings.push_back({"operations", operations});
  if (peak_per_s <= 0) return;
  std::string peak;
  append_json_number(peak, peak_per_s / 1e12);
  run.settings.push_back({"peak", peak + std::string(tflops_suffix)});
}

}  // namespace convert
