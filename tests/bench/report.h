// SPDX-License-Identifier: MIT
// Command line and results of all benchmarks: a table of metrics with their floors and limits.
//
//   int main(int argc, char** argv) { return bench::run(argc, argv, {.files = "[FILE.et...]"}, measure_all); }
#pragma once

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "core/diagnostic.h"

namespace bench {

// Limit of a metric: a number of its unit, or a multiple of its floor.
struct Limit {
  enum class Of { nothing, figure, floor } of = Of::nothing;
  double value = 0;
};
inline Limit at_most(double figure) { return {Limit::Of::figure, figure}; }
inline Limit times_floor(double ratio) { return {Limit::Of::floor, ratio}; }

struct Row {
  std::string name;  // unique in its program, the same in each run
  std::string unit;  // of metric and floor
  double figure = 0;
  double floor = 0;  // 0: no floor
  Limit limit{};
  double spread = 0;  // see Best
};

class Report {
 public:
  std::vector<std::string> files;
  bool smoke = false;  // small inputs and one round, to detect failures; no verdicts
  bool slow = false;   // include cases that take minutes

  // Returns whether one of these rows is selected.
  [[nodiscard]] bool wants(std::initializer_list<std::string_view> names) const;
  // Judges and prints a row, if it is selected.
  void add(const Row& row);
  // Adds the time of `count` units, such as nodes.
  void add_time(const std::string& name, const std::string& unit, double count, const Best& best, Limit limit);
  // Returns whether a metric missed its limit.
  [[nodiscard]] bool missed() const { return missed_; }

  // Options: --smoke, --slow, --only TEXT, --json FILE. Throws Error(usage).
  void parse(int argc, char** argv, std::size_t fewest_files, std::size_t most_files);

 private:
  std::string program_;
  std::string only_;
  std::FILE* json_ = nullptr;
  bool missed_ = false;
};

struct Usage {
  const char* files = "";  // text in the usage line
  std::size_t fewest_files = 0;
  std::size_t most_files = 0;
};

// Returns the exit status: 1 if a limit was missed or an input is bad, 2 for an invalid command line.
int run(int argc, char** argv, const Usage& usage, const std::function<void(Report&)>& measure);

// Throws the first error that a reader has reported.
void check(const convert::Diagnostics& diagnostics);

// Returns the last part of a path.
std::string file_name(const std::string& path);

}  // namespace bench
