// SPDX-License-Identifier: MIT
#include "bench/options.h"

#include <algorithm>

#include "collectives/collective.h"
#include "common/form.h"
#include "common/option_texts.h"
#include "core/diagnostic.h"
#include "core/words.h"
#include "scenario/settings.h"
#include "sets/schedules.h"

namespace tools {

using namespace convert;

namespace {

constexpr std::int64_t least_bytes = 8;
constexpr std::int64_t most_bytes = std::int64_t{8} << 30U;
constexpr std::int64_t size_factor = 2;
constexpr std::string_view all_algorithms = "all";
constexpr std::string_view networks_own = "library";  // chosen by the network

// Returns the algorithms of a series with their texts in requests.
std::vector<PlannedSeries> with_algorithms(const BenchOptions& o, const BenchRequest& base) {
  std::vector<PlannedSeries> out;
  const auto add = [&](std::string algorithm, bool optional) {
    out.push_back({base, optional});
    out.back().request.algorithm = std::move(algorithm);
  };
  if (o.algorithms.empty()) add("", false);
  for (const std::string& text : o.algorithms) {
    if (text == all_algorithms) {
      add("", true);
      for (std::string& known : algorithms_to_bench(base.collective, find_network(base.network)))
        add(std::move(known), true);
    } else {
      if (names_library_algorithm(text)) (void)usual_builtin(text, base.collective);  // refuses other collectives
      add(text == networks_own ? "" : text, false);
    }
  }
  return out;
}

// Returns the sizes of the calls in bytes, before they are rounded.
std::vector<std::int64_t> sizes_to_bench(const BenchOptions& o) {
  if (!o.sizes.empty()) {
    if (o.min || o.max || o.factor) throw usage_error("--size cannot be combined with --min, --max and --factor");
    std::vector<std::int64_t> sizes = o.sizes;
    std::ranges::sort(sizes);
    return sizes;
  }
  const std::int64_t last = o.max.value_or(most_bytes);
  const std::int64_t factor = o.factor.value_or(size_factor);
  std::vector<std::int64_t> sizes;
  std::int64_t bytes = o.min.value_or(std::min(least_bytes, last));
  if (bytes == 0) throw usage_error("--min 0: nothing is transferred; give at least 1 byte");
  if (bytes > last)
    throw usage_error("--min " + std::to_string(bytes) + " is larger than --max " + std::to_string(last));
  while (bytes <= last) {
    sizes.push_back(bytes);
    if (__builtin_mul_overflow(bytes, factor, &bytes)) break;
  }
  return sizes;
}

}  // namespace

void declare_bench(App& app, BenchOptions& o) {
  app.group("Input");
  app.add_texts("--against", o.against, "FILE", "compare with this benchmark log of collectives");
  app.add_operands(o.collectives, "COLLECTIVE",
                   "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, ...");
  app.group("Output");
  app.add_choice("--format", o.format, {"text", "json", "csv"}, option_text::format);
  app.add_option("--plot", o.plot, "FILE", option_text::plot);
  app.group("Calls");
  app.add_bytes("--min", o.min, "SIZE", "smallest size (default: 8)");
  app.add_bytes("--max", o.max, "SIZE", "largest size (default: 8GiB)");
  app.add_integer("--factor", o.factor, 2, most_bytes, "N", "ratio of a size to the previous size (default: 2)");
  app.add_bytes("--size", o.sizes, "BYTES,...", option_text::size);
  app.add_integer("--npus", o.npus, 1, max_npus, "N", option_text::npus);
  app.group("Network");
  app.add_texts("-n,--network", o.networks, "NETWORK", option_text::network);
  app.add_texts("-a,--algorithm", o.algorithms, "ALGORITHM|library|all", option_text::algorithm);
  app.add_texts("--set", o.set, "KEY=VALUE", option_text::set).advanced();
}

void check_bench(const BenchOptions& o) {
  if (o.plot) check_plot_name(*o.plot);
  const bool sized = !o.sizes.empty() || o.min || o.max || o.factor;
  if (sized && !o.against.empty())
    throw usage_error("--against has the sizes of the benchmark; omit --min, --max, --factor and --size");
  require_one_standard_input(o.against);
}

std::vector<Collective> collectives_of(const BenchOptions& o) {
  std::vector<Collective> out;
  for (const std::string& text : o.collectives) {
    const auto collective = parse_collective(text, can_bench);
    if (!collective)
      throw usage_error("'" + text + "' is not a collective with a benchmark; choose from " +
                        join(names_of(can_bench)));
    out.push_back(*collective);
  }
  return out;
}

std::vector<PlannedSeries> series_of(const BenchOptions& o, Collective collective) {
  if (o.networks.empty())
    throw usage_error("no network is given; give -n, such as -n dgx-h100 or -n ring:8,bw=50GB/s,lat=500ns");
  BenchRequest base{.collective = collective};
  if (o.npus) base.npus = static_cast<std::uint32_t>(*o.npus);
  for (const std::string& text : o.set) base.settings.push_back(parse_setting_option(text, sweep_keys()));
  std::vector<PlannedSeries> out;
  for (const std::string& network : o.networks) {
    base.network = network;
    for (PlannedSeries& series : with_algorithms(o, base)) out.push_back(std::move(series));
  }
  return out;
}

std::vector<PlannedSeries> planned_series(const BenchOptions& o) {
  if (o.collectives.empty())
    throw usage_error("no COLLECTIVE is given; give one or more of " + join(names_of(can_bench)));
  const std::vector<std::int64_t> sizes = sizes_to_bench(o);
  std::vector<PlannedSeries> out;
  for (const Collective collective : collectives_of(o)) {
    for (PlannedSeries& series : series_of(o, collective)) {
      series.bytes = sizes;
      out.push_back(std::move(series));
    }
  }
  return out;
}

}  // namespace tools
