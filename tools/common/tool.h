// SPDX-License-Identifier: MIT
// Common frame of all tools: parses, catches errors, prints messages, chooses the exit status.
#pragma once

#include <functional>
#include <string>

#include "common/app.h"
#include "common/options.h"
#include "common/report.h"
#include "core/diagnostic.h"

namespace tools {

// Run-time context of a tool's work: diagnostics, common options, history.
class Context {
 public:
  Context(const App& app, const CommonOptions& options, Reporter& reporter, std::string history);

  convert::Diagnostics diagnostics;  // printed when the work returns or throws
  const CommonOptions& common;

  [[nodiscard]] unsigned jobs() const;  // threads to use, at least 1
  [[nodiscard]] bool progress() const;  // whether to paint progress on standard error
  // Returns whether the exit status will be 1 (with --werror also for warnings); the tool must not write output
  // then.
  [[nodiscard]] bool failed() const;
  // Prints the diagnostics so far, before output that follows them.
  void report() { reporter_.print_new(diagnostics); }
  // Marks the diagnostics so far as printed, because they were results.
  void set_reported() { reporter_.skip_new(diagnostics); }
  // See App::first_given().
  [[nodiscard]] std::string first_given(std::string_view group) const { return app_.first_given(group); }
  // Returns the line for the metadata attribute `history`: tool, version and canonical command line.
  [[nodiscard]] const std::string& history() const { return history_; }

 private:
  const App& app_;
  Reporter& reporter_;
  std::string history_;
};

// Runs a tool and returns its exit status. `setup` declares the tool's options and does no work; the common options
// are added after it. `run` does the work and returns the exit status: 0, or the tool's own result. Error
// diagnostics raise it to at least 1.
[[nodiscard]] int run_tool(int argc, char** argv, const ToolInfo& info, const std::function<void(App&)>& setup,
                           const std::function<int(Context&)>& run);
// Runs a tool that has one struct of options.
template <class Options>
[[nodiscard]] int run_tool(int argc, char** argv, const ToolInfo& info, void (*declare)(App&, Options&),
                           int (*run)(const Options&, Context&)) {
  Options options;
  return run_tool(
      argc, argv, info, [&](App& app) { declare(app, options); },
      [&](Context& context) { return run(options, context); });
}

}  // namespace tools
