// SPDX-License-Identifier: MIT
#include "generate/size_report.h"

#include <array>
#include <cstdio>

#include "util/json_writer.h"

namespace tools {

using namespace convert;

namespace {

double algbw(const SizeRow& row) {
  constexpr double ps_per_ns_of = 1000;  // bytes per ns are GB/s
  return row.total == 0 ? 0 : static_cast<double>(row.bytes) * ps_per_ns_of / static_cast<double>(row.total);
}

double ratio(const SizeRow& row) {
  return row.lower == 0 ? 1 : static_cast<double>(row.total) / static_cast<double>(row.lower);
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace

std::string sizes_text(Collective collective, std::uint32_t npus, std::span<const SizeRow> rows) {
  std::string out;
  std::array<char, 256> line{};
  const auto add = [&](const char* size, const char* time, const char* of_bound, const char* alg, const char* bus,
                       const std::string& method) {
    (void)std::snprintf(line.data(), line.size(), "%12s %12s %9s %12s %12s  ", size, time, of_bound, alg, bus);
    out += line.data() + method + '\n';
  };
  out += std::string(name(collective)) + ", " + counted(npus, "NPU") + '\n';
  add("size", "time", "of bound", "algbw GB/s", "busbw GB/s", "method");
  for (const SizeRow& row : rows) {
    const double bw = algbw(row);
    add(format_bytes(row.bytes).c_str(), format_time(row.total).c_str(), fixed(ratio(row), 3).c_str(),
        fixed(bw, 3).c_str(), fixed(bw * bus_bandwidth_factor(collective, npus), 3).c_str(), row.method);
  }
  return out;
}

std::string sizes_json(Collective collective, std::uint32_t npus, std::span<const SizeRow> rows) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("collective", name(collective)).member("npus", npus);
  json.key("sizes").begin_array();
  for (const SizeRow& row : rows) {
    json.begin_object().member("bytes", row.bytes);
    json.key("time_us").raw(format_exact(row.total, ps_per_us));
    json.key("bound_us").raw(format_exact(row.lower, ps_per_us));
    json.key("algbw_GB_per_s").raw(fixed(algbw(row), 6));
    json.key("busbw_GB_per_s").raw(fixed(algbw(row) * bus_bandwidth_factor(collective, npus), 6));
    json.member("method", row.method).end_object();
  }
  json.end_array().end_object();
  return text + '\n';
}

}  // namespace tools
