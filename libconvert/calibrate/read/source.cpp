// SPDX-License-Identifier: MIT
#include "calibrate/read/source.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/units.h"
#include "core/words.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr const char* benchmark_rule = "benchmark";
constexpr double least_time_ns = 1e-3;
constexpr double most_time_ns = 1e18;  // 31 years
constexpr std::uint32_t most_gpus_of_host = 16;

bool has_machine_time(Collective c) {
  return c != Collective::barrier && c != Collective::custom && c != Collective::all_to_allv &&
         c != Collective::reduce_scatter_block && c != Collective::recv;
}

}  // namespace

std::string shown_word(std::string_view text) { return '"' + cut_text(text, 40) + '"'; }

Error BenchmarkSource::failure(std::uint32_t line, const std::string& message) const {
  return input_error({.file = file, .line = line}, message, benchmark_rule);
}

void BenchmarkSource::warn(std::uint32_t line, const std::string& message) const {
  diagnostics.warning({.file = file, .line = line}, benchmark_rule, message);
}

double BenchmarkSource::time_ns(std::uint32_t line, std::string_view noun, std::string_view word,
                                double unit_ns) const {
  const std::optional<double> value = parse_number(word);
  if (!value || !(*value > 0))
    throw failure(line, std::string(noun) + " is not a positive time: " + shown_word(word));
  return checked_ns(line, noun, *value * unit_ns, word);
}

double BenchmarkSource::checked_ns(std::uint32_t line, std::string_view noun, double ns,
                                   std::string_view word) const {
  if (!(ns >= least_time_ns && ns <= most_time_ns))
    throw failure(line, std::string(noun) + " is not a time from 1 ps to 31 years: " + shown_word(word));
  return ns;
}

std::int64_t BenchmarkSource::bytes(std::uint32_t line, std::string_view noun, std::string_view word) const {
  const std::optional<std::int64_t> value = parse_int(word);
  if (!value || *value < 1)
    throw failure(line,
                  std::string(noun) + " is not a whole number of bytes from 1 to 2^63-1: " + shown_word(word));
  return *value;
}

std::uint32_t BenchmarkSource::ranks(std::uint32_t line, std::string_view noun, std::string_view word) const {
  const std::optional<std::int64_t> value = parse_int(word);
  if (!value || *value < 1 || *value > std::int64_t{most_benchmark_ranks})
    throw failure(line, std::string(noun) + " is not a whole number from 1 to " +
                            std::to_string(most_benchmark_ranks) + ": " + shown_word(word));
  return static_cast<std::uint32_t>(*value);
}

std::int64_t BenchmarkSource::times(std::uint32_t line, std::int64_t bytes, std::uint32_t factor) const {
  if (bytes > std::numeric_limits<std::int64_t>::max() / factor)
    throw failure(line, "the size of all ranks is more than 2^63-1 bytes: " + std::to_string(bytes) + " bytes x " +
                            counted(factor, "rank"));
  return bytes * factor;
}

std::optional<std::uint32_t> BenchmarkSource::nodes(std::uint32_t ranks, std::optional<std::uint32_t> hosts) const {
  if (!hosts) return options.nodes;
  if (options.gpus_of_node <= most_gpus_of_host) return std::min(*hosts, ranks);
  return (ranks + options.gpus_of_node - 1) / options.gpus_of_node;
}

std::optional<Collective> benchmark_collective(std::string_view name) {
  name.remove_prefix(std::min(name.find_last_of('/') + 1, name.size()));
  for (const std::string_view suffix : {"_mpi", "_perf"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  if (same_name(name, "sendrecv") || same_name(name, "collective-permute")) return Collective::send;
  return parse_collective(name, has_machine_time);
}

bool BenchmarkLines::next() {
  if (at_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  line_ = text_.substr(at_, end - at_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  at_ = end + 1;
  ++number_;
  return true;
}

}  // namespace convert
