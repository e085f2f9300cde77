// SPDX-License-Identifier: MIT
#include "bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "util/json_writer.h"

namespace bench {

using namespace convert;

namespace {

std::string number(double value) {
  char text[32];
  const double size = std::abs(value);
  std::snprintf(text, sizeof text, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
  return text;
}

std::string limit_text(const Limit& limit) {
  if (limit.of == Limit::Of::nothing) return "-";
  return number(limit.value) + (limit.of == Limit::Of::floor ? " x" : "");
}

std::string json_line(const std::string& program, const Row& row, const char* verdict) {
  std::string out;
  JsonWriter w(out);
  const auto known = [&w](const char* key, double value, bool there) {
    w.key(key);
    if (there && std::isfinite(value)) {
      w.value(value);
    } else {
      w.raw("null");
    }
  };
  w.begin_object().member("bench", program).member("name", row.name).member("unit", row.unit);
  known("figure", row.figure, true);
  known("floor", row.floor, row.floor != 0);
  known("ratio", row.figure / row.floor, row.floor != 0);
  known("limit", row.limit.value, row.limit.of != Limit::Of::nothing);
  w.member("limit_of", row.limit.of == Limit::Of::floor ? "ratio" : "figure");
  known("spread", row.spread, true);
  w.member("verdict", verdict).end_object();
  return out + '\n';
}

}  // namespace

bool Report::wants(std::initializer_list<std::string_view> names) const {
  return std::any_of(names.begin(), names.end(),
                     [this](std::string_view name) { return name.find(only_) != std::string_view::npos; });
}

void Report::add(const Row& row) {
  if (!wants({row.name})) return;
  const double judged = row.limit.of == Limit::Of::floor ? row.figure / row.floor : row.figure;
  const char* verdict = smoke || row.limit.of == Limit::Of::nothing ? "-"
                        : judged <= row.limit.value                 ? "kept"
                                                                    : "MISSED";  // also if it is not a number
  missed_ = missed_ || *verdict == 'M';
  std::printf("%-62s %9s %-12s %9s %7s %8s  %s\n", row.name.c_str(), number(row.figure).c_str(), row.unit.c_str(),
              row.floor == 0 ? "-" : number(row.floor).c_str(),
              row.floor == 0 ? "-" : number(row.figure / row.floor).c_str(), limit_text(row.limit).c_str(),
              verdict);
  std::fflush(stdout);
  if (json_ == nullptr) return;
  std::fputs(json_line(program_, row, verdict).c_str(), json_);
  std::fflush(json_);
}

void Report::add_time(const std::string& name, const std::string& unit, double count, const Best& best,
                      Limit limit) {
  add({.name = name,
       .unit = "ns/" + unit,
       .figure = best.work * 1e9 / count,
       .floor = best.floor * 1e9 / count,
       .limit = limit,
       .spread = best.spread});
}

void Report::parse(int argc, char** argv, std::size_t fewest_files, std::size_t most_files) {
  program_ = file_name(argv[0]);
  bool head = true;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] {
      if (i + 1 == argc) throw usage_error("option '" + option + "' needs a value");
      return argv[++i];
    };
    if (option == "--smoke") {
      smoke = true;
    } else if (option == "--slow") {
      slow = true;
    } else if (option == "--only") {
      only_ = value();
    } else if (option == "--json") {
      head = false;  // the caller prints one table of several programs
      const char* path = value();
      json_ = std::fopen(path, "w");
      if (json_ == nullptr) throw system_error(path, errno);
    } else if (option.size() > 1 && option[0] == '-') {
      throw usage_error("unknown option '" + option + "'");
    } else {
      files.push_back(option);
    }
  }
  if (files.size() < fewest_files || files.size() > most_files) {
    throw usage_error(std::to_string(files.size()) + " files are given");
  }
  if (smoke) rounds = 1;
  if (head) {
    std::printf("%-62s %9s %-12s %9s %7s %8s  %s\n", "name", "figure", "unit", "floor", "ratio", "limit",
                "verdict");
  }
}

int run(int argc, char** argv, const Usage& usage, const std::function<void(Report&)>& measure) {
  const std::string program = file_name(argv[0]);
  try {
    Report report;
    report.parse(argc, argv, usage.fewest_files, usage.most_files);
    measure(report);
    return report.missed() ? 1 : 0;
  } catch (const Error& e) {
    const Diagnostic d{.where = e.where(), .rule = e.rule(), .message = e.what(), .notes = {}};
    std::fprintf(stderr, "%s: %s\n", program.c_str(), format_diagnostic(d).c_str());
    if (e.kind() != Error::Kind::usage) return 1;
    std::fprintf(stderr, "usage: %s [--smoke] [--slow] [--only TEXT] [--json FILE] %s\n", program.c_str(),
                 usage.files);
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: error: %s\n", program.c_str(), e.what());
    return 1;
  }
}

void check(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) throw input_error(d.where, d.message, d.rule);
  }
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace bench
