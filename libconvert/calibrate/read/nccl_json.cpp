// SPDX-License-Identifier: MIT
// Output of nccl-tests' option -J.
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "calibrate/read/json_input.h"
#include "core/units.h"

namespace convert {
namespace {

// Values as written.
struct NcclJsonHalf {
  std::string time{};
  std::string wrong{};
};
struct NcclJsonResult {
  std::string bytes{};
  NcclJsonHalf out_of_place{}, in_place{};
  std::uint32_t line = 0;
};
struct NcclJsonDevice {
  std::string group{}, host{}, gpu{};
};
struct NcclJsonLog {
  std::string version{};
  std::string collective{};
  bool has_wrong_values = false;
  std::vector<NcclJsonDevice> devices{};
  std::vector<NcclJsonResult> results{};
};

NcclJsonHalf read_half(JsonCursor& in) {
  NcclJsonHalf half;
  json_members_or_skip(in, [&](std::string_view key) {
    const std::string_view value = in.skip();
    if (key == "time" || key == "cpu_time") half.time = value;
    if (key == "nwrong") half.wrong = value;
  });
  return half;
}

NcclJsonResult read_result(JsonCursor& in, const BenchmarkJson& json) {
  NcclJsonResult result{.line = json.line_of(in.here())};
  json_members(in, [&](std::string_view key) {
    if (key == "size") {
      result.bytes = in.scalar();
    } else if (key == "out_of_place") {
      result.out_of_place = read_half(in);
    } else if (key == "in_place") {
      result.in_place = read_half(in);
    } else {
      (void)in.skip();
    }
  });
  return result;
}

void read_devices(JsonCursor& in, NcclJsonLog& log) {
  log.devices.clear();
  in.array([&] {
    NcclJsonDevice& device = log.devices.emplace_back();
    json_members(in, [&](std::string_view key) {
      if (key == "hostname") {
        device.host = json_text(in);
      } else if (key == "device_info") {
        device.gpu = json_text(in);
      } else if (key == "group") {
        device.group = in.scalar();
      } else {
        (void)in.skip();
      }
    });
  });
}

NcclJsonLog read_nccl_json_log(JsonCursor& in, const BenchmarkJson& json) {
  NcclJsonLog log;
  json_members(in, [&](std::string_view key) {
    if (key == "version") {
      log.version = in.scalar();
    } else if (key == "args") {
      in.array([&] {
        const std::string argument = json_text(in);
        if (log.collective.empty() && benchmark_collective(argument)) log.collective = argument;
      });
    } else if (key == "config") {
      json_members_or_skip(in, [&](std::string_view name) {
        if (name == "devices") {
          read_devices(in, log);
        } else {
          (void)in.skip();
        }
      });
    } else if (key == "devices") {
      read_devices(in, log);
    } else if (key == "results") {
      in.array([&] { log.results.push_back(read_result(in, json)); });
    } else if (key == "out_of_bounds") {
      json_members_or_skip(in, [&](std::string_view name) {
        if (in.skip() == "false" && name == "okay") log.has_wrong_values = true;
      });
    } else {
      (void)in.skip();
    }
  });
  return log;
}

class NcclJsonReader {
 public:
  explicit NcclJsonReader(const BenchmarkSource& source) : source_(source) {}

  Benchmark read() {
    BenchmarkJson json(source_);
    const auto read_log = [&](JsonCursor& in) { return read_nccl_json_log(in, json); };
    while (const std::optional<NcclJsonLog> log = json.next(read_log)) take(*log, json.line());
    return std::move(benchmark_);
  }

 private:
  void take(const NcclJsonLog& log, std::uint32_t line) {
    if (log.version != "1" && !log.version.empty())
      source_.warn(line, "the version of the log is not 1: " + shown_word(log.version) + "; read as version 1");
    if (log.has_wrong_values) throw source_.failure(line, "the run found wrong values; measure again");
    const std::optional<Collective> collective =
        log.collective.empty() ? source_.options.collective : benchmark_collective(log.collective);
    if (!collective)
      throw source_.failure(line,
                            "the collective is not stated; give collective=NAME, or name a program such as "
                            "all_reduce_perf in args");
    const auto [ranks, nodes] = group_of(log, line);
    for (const NcclJsonResult& result : log.results) {
      if (result.bytes.find_first_not_of('0') == std::string::npos) continue;
      BenchmarkPoint point{.collective = *collective,
                           .ranks = ranks,
                           .nodes = nodes,
                           .bytes = source_.bytes(result.line, "size", result.bytes),
                           .run = runs_,
                           .line = result.line};
      const std::optional<double> out = time_of(result, result.out_of_place);
      const std::optional<double> in = time_of(result, result.in_place);
      if (!out && !in) throw source_.failure(result.line, "the result of " + result.bytes + " bytes has no time");
      point.time_ns = out ? *out : *in;
      if (out) point.in_place_ns = in;
      benchmark_.points.push_back(std::move(point));
    }
    ++runs_;
  }

  [[nodiscard]] std::optional<double> time_of(const NcclJsonResult& result, const NcclJsonHalf& half) const {
    if (half.time.empty() || half.time == "null") return std::nullopt;
    const std::string of_size = " of " + result.bytes + " bytes";
    const std::optional<double> wrong = parse_number(half.wrong);
    if (wrong && *wrong > 0)
      throw source_.failure(result.line,
                            "the run found wrong values" + of_size + ": " + half.wrong + "; measure again");
    return source_.time_ns(result.line, "the time" + of_size, half.time, 1000);
  }

  [[nodiscard]] std::pair<std::uint32_t, std::optional<std::uint32_t>> group_of(const NcclJsonLog& log,
                                                                                std::uint32_t line) {
    if (log.devices.empty()) {
      if (!source_.options.ranks)
        throw source_.failure(line, "the number of ranks is not stated, and no device is listed; give ranks=N");
      return {*source_.options.ranks, source_.nodes(*source_.options.ranks, std::nullopt)};
    }
    if (benchmark_.gpu.empty()) benchmark_.gpu = log.devices.front().gpu;
    std::set<std::string_view> hosts;
    std::size_t members = 0;
    for (const NcclJsonDevice& device : log.devices) {
      if (device.group != log.devices.front().group) continue;
      ++members;
      if (!device.host.empty()) hosts.insert(device.host);
    }
    const std::uint32_t ranks = source_.ranks(line, "the number of devices", std::to_string(members));
    if (members < log.devices.size())
      source_.warn(line, "the run has groups of ranks that call at the same time; read as calls of " +
                             counted(ranks, "rank"));
    const auto number = static_cast<std::uint32_t>(hosts.size());
    return {ranks, source_.nodes(ranks, hosts.empty() ? std::nullopt : std::optional(number))};
  }

  const BenchmarkSource& source_;
  Benchmark benchmark_;
  std::uint32_t runs_ = 0;
};

}  // namespace

Benchmark read_nccl_json(const BenchmarkSource& source) { return NcclJsonReader(source).read(); }

}  // namespace convert
