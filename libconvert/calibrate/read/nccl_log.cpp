// SPDX-License-Identifier: MIT
// Output of nccl-tests and rccl-tests, 2017 to 2026.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "calibrate/read/nccl_line.h"
#include "calibrate/read/source.h"
#include "core/units.h"
#include "core/words.h"
#include "util/utf8.h"

namespace convert {
namespace {

// A number as printed, with the error of its rounding.
struct PrintedNumber {
  double value = 0;
  double error = 0;
};
PrintedNumber printed_number(std::string_view word) {
  const std::size_t point = word.find('.');
  const std::size_t digits = point == std::string_view::npos ? 0 : word.size() - point - 1;
  return {.value = parse_number(word).value_or(0), .error = 0.5 * std::pow(10.0, -static_cast<double>(digits))};
}

struct RanksOfFactor {
  std::uint32_t ranks = 0;
  std::uint32_t least = 0, most = 0;  // that round to the same numbers
};
// Returns the number of ranks that follows from the factor of the bus bandwidth (core/collective.h), if it is near
// an integer.
std::optional<RanksOfFactor> ranks_of_factor(Collective collective, const PrintedNumber& algbw,
                                             const PrintedNumber& busbw) {
  const bool is_all_reduce = collective == Collective::all_reduce;
  const bool is_part = collective == Collective::all_gather || collective == Collective::reduce_scatter ||
                       collective == Collective::all_to_all;
  if (!is_all_reduce && !is_part) return std::nullopt;
  const auto ranks = [&](double factor) { return is_all_reduce ? 2 / (2 - factor) : 1 / (1 - factor); };
  const double n = ranks(busbw.value / algbw.value);
  if (!(n > 1.5 && n <= most_benchmark_ranks) || std::abs(n - std::round(n)) >= 0.02 * n + 0.05)
    return std::nullopt;
  const auto count = static_cast<std::uint32_t>(std::lround(n));
  // A factor beyond the limit of many ranks bounds nothing.
  const auto inside = [](double value, double otherwise) {
    return value > 1 && value < most_benchmark_ranks ? value : otherwise;
  };
  const double least = inside(ranks((busbw.value - busbw.error) / (algbw.value + algbw.error)), 2);
  const double most =
      inside(ranks((busbw.value + busbw.error) / (algbw.value - algbw.error)), double{most_benchmark_ranks});
  return RanksOfFactor{.ranks = count,
                       .least = std::min(count, static_cast<std::uint32_t>(std::ceil(least))),
                       .most = std::max(count, static_cast<std::uint32_t>(most))};
}

struct NcclListedDevice {
  std::uint32_t rank = 0;
  std::string group{}, host{}, pid{};
  std::uint32_t line = 0;
};

struct NcclLogRun {
  std::string program{};   // "all_reduce_perf"
  bool is_stated = false;  // by "Collective test starting"; otherwise by a command
  std::vector<NcclListedDevice> devices{};
  std::optional<NcclLogColumns> columns{};
  std::uint32_t header_line = 0;
  std::vector<BenchmarkPoint> points{};
  std::uint32_t rows = 0;          // also rows of 0 bytes
  PrintedNumber algbw{}, busbw{};  // of the largest row
  std::int64_t largest = 0;
  std::uint32_t cut_rows = 0;
  std::uint32_t first_cut_row = 0;
};

class NcclLogReader {
 public:
  explicit NcclLogReader(const BenchmarkSource& source) : source_(source) {}

  Benchmark read() {
    BenchmarkLines lines(source_.text);
    while (lines.next()) {
      line_ = lines.number();
      take(plain_log_line(lines.line(), scratch_));
    }
    finish_run();
    if (benchmark_.points.empty() && row_without_header_ != 0)
      throw source_.failure(row_without_header_,
                            "the line with the names of the columns is missing before this row; copy the line "
                            "\"# size count type redop root time algbw busbw #wrong ...\" too");
    return std::move(benchmark_);
  }

 private:
  void take(std::string_view line) {
    const auto has = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
    const bool is_start = has("Collective test starting");
    if (is_start || has("Using devices") || (has("nThread ") && has("nGpus "))) {
      if (run_.rows > 0) begin_run();
      if (has("nThread ")) run_.devices.clear();  // of an attempt without rows
    }
    if (!has("Collective test concluded")) take_program(line, is_start);
    if (const std::optional<NcclLogDevice> device = nccl_device(line)) return take_device(*device);
    if (const std::optional<NcclLogColumns> columns = nccl_columns(line)) return take_header(*columns);
    if (has("Out of bounds values") && has("FAILED")) {
      const std::string_view count = line.substr(line.find_last_of(':') + 1);
      throw source_.failure(line_, "the run found wrong values:" + cut_text(count, 40) + "; measure again");
    }
    if (run_.columns) {
      if (const std::optional<NcclLogRow> row = nccl_row(line, *run_.columns)) take_row(*row, has(" NCCL "));
    } else if (row_without_header_ == 0 && is_nccl_row(line)) {
      row_without_header_ = line_;
    }
  }

  void begin_run() {
    finish_run();
    run_ = {};
    run_.program = std::exchange(next_program_, {});
  }

  // A name after the rows of a run is the name of the next run.
  void take_program(std::string_view line, bool is_start) {
    const std::optional<std::string_view> program = nccl_program(line);
    if (!program) return;
    const bool is_known = benchmark_collective(*program) || *program == "hypercube_perf" ||
                          *program == "alltoallv_perf" || *program == "all_reduce_bias_perf";
    if (is_start) {
      run_.program = *program;
      run_.is_stated = true;
    } else if (is_known && run_.rows > 0) {
      next_program_ = *program;
    } else if (is_known && !run_.is_stated) {
      run_.program = *program;
    }
  }

  void take_device(const NcclLogDevice& device) {
    const std::optional<std::int64_t> rank = parse_int(device.rank);
    if (!rank || *rank >= std::int64_t{most_benchmark_ranks})
      throw source_.failure(line_, "the rank is not a whole number from 0 to " +
                                       std::to_string(most_benchmark_ranks - 1) + ": " + shown_word(device.rank));
    run_.devices.push_back({.rank = static_cast<std::uint32_t>(*rank),
                            .group = std::string(device.group),
                            .host = std::string(device.host),
                            .pid = std::string(device.pid),
                            .line = line_});
    if (benchmark_.gpu.empty()) benchmark_.gpu = device.gpu;
  }

  void take_header(const NcclLogColumns& columns) {
    if (run_.rows > 0) begin_run();
    run_.columns = columns;
    run_.header_line = line_;
  }

  void take_row(const NcclLogRow& row, bool has_message) {
    if (row.bytes.find_first_not_of('0') == std::string_view::npos) {
      ++run_.rows;
      return;
    }
    const auto is_time = [](const NcclLogHalf& half) { return half.time != "N/A" && half.time != "-"; };
    // Messages of NCCL may break a row.
    const bool is_broken = has_message && !std::ranges::all_of(row.halves, [](const NcclLogHalf& half) {
                             return parse_number(half.time).has_value();
                           });
    if (row.halves.empty() || is_broken) {
      if (run_.cut_rows++ == 0) run_.first_cut_row = line_;
      return;
    }
    BenchmarkPoint point{.bytes = source_.bytes(line_, "the size", row.bytes), .line = line_};
    for (const NcclLogHalf& half : row.halves) {
      if (!is_time(half)) continue;
      const std::optional<double> wrong = parse_number(half.wrong);
      if (wrong && *wrong > 0)
        throw source_.failure(line_, "the run found wrong values: " + std::string(half.wrong) + "; measure again");
      const bool is_second = &half != &row.halves.front();
      // alltoall and sendrecv up to 2022 measured nothing in place, which their errors show.
      constexpr double least_wrong = 0.5;
      if (is_second && parse_number(half.error).value_or(0) >= least_wrong) continue;
      const double time = source_.time_ns(line_, "the time", half.time, run_.columns->unit_ns);
      if (point.time_ns > 0) {
        point.in_place_ns = time;
      } else {
        point.time_ns = time;
      }
      if (point.bytes > run_.largest) {
        run_.largest = point.bytes;
        run_.algbw = printed_number(half.algbw);
        run_.busbw = printed_number(half.busbw);
      }
    }
    if (point.time_ns == 0)
      throw source_.failure(line_, "the time is not a positive time: " + shown_word(row.halves.front().time));
    ++run_.rows;
    run_.points.push_back(point);
  }

  void finish_run() {
    if (run_.cut_rows > 0) {
      source_.warn(run_.first_cut_row,
                   counted(run_.cut_rows, "row") + (run_.cut_rows == 1 ? " lacks" : " lack") +
                       " columns and count for nothing; the log is cut or other messages are within its rows");
    }
    if (run_.points.empty()) return;
    const std::optional<Collective> collective =
        run_.program.empty() ? source_.options.collective : benchmark_collective(run_.program);
    if (!collective && run_.program.empty())
      throw source_.failure(
          run_.header_line,
          "the collective is not stated; give collective=NAME, or add the line \"# Collective test "
          "starting: NAME_perf\" before the table");
    if (!collective) {
      source_.warn(run_.header_line, shown_word(run_.program) + " measures no collective; " +
                                         counted(run_.points.size(), "row") + " omitted");
      return;
    }
    const auto [ranks, nodes] = group_of(*collective);
    if (ranks == 1)
      source_.warn(run_.header_line,
                   "the run has 1 rank; for several processes, build nccl-tests with MPI=1 and start one job");
    for (BenchmarkPoint& point : run_.points) {
      point.collective = *collective;
      point.ranks = ranks;
      point.nodes = nodes;
      point.run = runs_;
      benchmark_.points.push_back(point);
    }
    ++runs_;
  }

  // Returns the ranks of a call and their nodes. Groups of ranks (NCCL_TESTS_SPLIT) call at the same time.
  [[nodiscard]] std::pair<std::uint32_t, std::optional<std::uint32_t>> group_of(Collective collective) {
    if (run_.devices.empty()) {
      const std::uint32_t ranks = source_.options.ranks ? *source_.options.ranks : ranks_of_rates(collective);
      return {ranks, source_.nodes(ranks, std::nullopt)};
    }
    std::ranges::stable_sort(run_.devices, {}, &NcclListedDevice::rank);
    const NcclListedDevice& first = run_.devices.front();
    std::set<std::string_view> hosts;
    std::uint32_t all = 0, members = 0;
    const NcclListedDevice* before = nullptr;
    for (const NcclListedDevice& device : run_.devices) {
      if (before != nullptr && before->rank == device.rank) {
        if (before->pid == device.pid && before->host == device.host) continue;
        throw source_.failure(std::max(before->line, device.line),
                              "rank " + std::to_string(device.rank) +
                                  " is listed twice, by separate processes; build nccl-tests with MPI=1 and start "
                                  "one job");
      }
      before = &device;
      ++all;
      if (device.group != first.group) continue;
      ++members;
      hosts.insert(device.host);
    }
    const std::uint32_t last = run_.devices.back().rank;
    if (last + 1 > all) {
      const std::uint32_t ranks = source_.options.ranks.value_or(last + 1);
      source_.warn(first.line, "the list of devices is incomplete: " + counted(all, "line") +
                                   ", and the last rank is " + std::to_string(last) + "; read as " +
                                   counted(ranks, "rank"));
      return {ranks, source_.nodes(ranks, std::nullopt)};
    }
    if (members < all)
      source_.warn(first.line, "the run has groups of ranks that call at the same time; read as calls of " +
                                   counted(members, "rank"));
    return {members, source_.nodes(members, static_cast<std::uint32_t>(hosts.size()))};
  }

  [[nodiscard]] std::uint32_t ranks_of_rates(Collective collective) const {
    const std::optional<RanksOfFactor> found = ranks_of_factor(collective, run_.algbw, run_.busbw);
    if (!found)
      throw source_.failure(run_.header_line,
                            "the number of ranks is not stated, and no device is listed; give ranks=N");
    const std::string fits = found->least < found->most ? std::to_string(found->least) + " to " : "";
    source_.warn(run_.header_line, "no device is listed; busbw / algbw fits " + fits +
                                       counted(found->most, "rank") + ", read as " + std::to_string(found->ranks) +
                                       "; ranks=N overrides it");
    return found->ranks;
  }

  const BenchmarkSource& source_;
  Benchmark benchmark_;
  NcclLogRun run_;
  std::string next_program_;
  std::string scratch_;
  std::uint32_t line_ = 0;
  std::uint32_t runs_ = 0;
  std::uint32_t row_without_header_ = 0;
};

}  // namespace

Benchmark read_nccl_log(const BenchmarkSource& source) { return NcclLogReader(source).read(); }

bool is_nccl_log(std::string_view text) {
  BenchmarkLines lines(text);
  std::string scratch;
  while (lines.next()) {
    const std::string_view line = plain_log_line(lines.line(), scratch);
    if (line.find("Using devices") != std::string_view::npos || nccl_columns(line) || nccl_device(line) ||
        is_nccl_row(line))
      return true;
  }
  return false;
}

}  // namespace convert
