// SPDX-License-Identifier: MIT
#include "formats/astra_text/astra_text.h"

#include <limits>
#include <optional>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

std::optional<std::uint64_t> count(const FormatOptions& options, std::string_view key, std::uint64_t most) {
  const auto text = options.get(key);
  if (!text) return std::nullopt;
  const auto value = parse_unsigned(*text);
  if (!value || *value == 0 || *value > most)
    throw usage_error(std::string(key) + "=" + *text + ": expected a number from 1 to " + std::to_string(most));
  return value;
}

std::unique_ptr<DescribedSet> read_set(std::string text, const std::string& file, const FormatOptions& options,
                                       Diagnostics& diagnostics) {
  AstraOptions o;
  const auto npus = count(options, "npus", std::numeric_limits<Rank>::max());
  o.npus = static_cast<Rank>(npus.value_or(1));
  o.passes = count(options, "passes", std::numeric_limits<std::uint32_t>::max()).value_or(1);
  if (const auto compat = options.get("compat")) {
    if (*compat != "chakra") throw usage_error("compat=" + *compat + ": expected chakra");
    o.compat = true;
  }
  AstraWorkload workload = read_astra_text(std::move(text), file, o.compat, diagnostics);
  // Checked last: no number of NPUs helps if the file cannot be read.
  if (!npus)
    throw usage_error("a text workload does not define the number of NPUs; add it: --from astra-text,npus=N");
  return make_astra_set(std::move(workload), o);
}

}  // namespace

extern const Format astra_text_format;
const Format astra_text_format = {
    .name = "astra-text",
    .summary = "ASTRA-sim 1.0 text workload: layers of a training job",
    .read_options = {{"npus", "N", "number of NPUs, required"},
                     {"passes", "P", "training steps (default: 1)"},
                     {"compat", "chakra", "reproduce MLCommons Chakra's converter byte for byte"}},
    .sniff = sniff_astra_text,
    .read_set = read_set,
};

}  // namespace convert
