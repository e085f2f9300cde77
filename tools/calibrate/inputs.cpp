// SPDX-License-Identifier: MIT
#include "calibrate/inputs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "calibrate/fit.h"
#include "calibrate/read/read.h"
#include "calibrate/recording.h"
#include "calibrate/selection.h"
#include "core/units.h"
#include "formats/format.h"
#include "io/input.h"
#include "sets/runs.h"
#include "util/log.h"

namespace tools {
namespace {

using namespace convert;

// Reads each benchmark once for all operands that select rows of it.
class BenchmarkFiles {
 public:
  BenchmarkFiles(std::uint32_t gpus_of_node, bool programs, Context& context)
      : gpus_of_node_(gpus_of_node),
        programs_(programs),
        jobs_(context.jobs()),
        diagnostics_(context.diagnostics) {}

  const Benchmark& read(const BenchmarkSelection& selection) {
    BenchmarkReadOptions options = selection.read;
    options.gpus_of_node = gpus_of_node_;
    options.allow_programs = programs_;
    for (const ReadFile& f : files_)
      if (f.name == selection.file && f.options == options) return f.benchmark;
    files_.push_back({selection.file, options, read_file(selection.file, options)});
    return files_.back().benchmark;
  }

 private:
  Benchmark read_file(const std::string& file, const BenchmarkReadOptions& options) {
    if (is_recording(file)) {
      const Run run = load_runs({.operands = {file}, .hash = false}, jobs_, diagnostics_).front();
      return benchmark_of_run(run, gpus_of_node_, diagnostics_);
    }
    const auto input = open_input(file);
    return read_benchmark(input->name(), input->read_rest(), options, diagnostics_);
  }
  // Returns whether an input is a trace set or a run, not the text of a benchmark.
  static bool is_recording(const std::string& file) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (file == "-") return false;
    if (!fs::is_regular_file(file, error)) return true;
    constexpr std::size_t known_head = 64 << 10;
    const auto input = open_input(file);
    const std::string_view head = input->peek(known_head);
    return !is_benchmark_text(head) && detect_format(head, {}) != nullptr;
  }

  struct ReadFile {
    std::string name;
    BenchmarkReadOptions options;
    Benchmark benchmark;
  };
  std::uint32_t gpus_of_node_;
  bool programs_;
  unsigned jobs_;
  Diagnostics& diagnostics_;
  std::vector<ReadFile> files_;
};

// Notes a log of a GPU whose name lacks the machine's GPU: "a100" of a100-80.
void note_other_gpu(const Benchmark& benchmark, const Machine& machine) {
  const auto lower = [](std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  if (benchmark.gpu.empty() || machine.gpu.empty()) return;
  if (lower(benchmark.gpu).find(lower(machine.gpu.substr(0, machine.gpu.find('-')))) != std::string::npos) return;
  log_note(benchmark.file + ": measured on " + benchmark.gpu + ", but the machine " + machine.name + " has " +
           machine.gpu);
}

}  // namespace

MeasuredInputs read_measured(const std::vector<std::string>& operands, const Machine& machine, bool programs,
                             Context& context) {
  const std::uint32_t gpus_of_node = machine.node.gpus;
  MeasuredInputs inputs;
  BenchmarkFiles files(gpus_of_node, programs, context);
  for (const std::string& operand : operands) {
    const BenchmarkSelection selection = parse_benchmark_selection(operand);
    const Benchmark& benchmark = files.read(selection);
    note_other_gpu(benchmark, machine);
    SelectedCurves selected = select_curves(selection, benchmark, gpus_of_node, context.diagnostics);
    for (BenchmarkCurve& curve : selected.curves) {
      if (selected.fits_harness) inputs.fitted_harness.insert(curve.set);
      if (selection.harness_ns) inputs.harness_ns[harness_key(curve)] = *selection.harness_ns;
      inputs.curves.push_back(std::move(curve));
    }
    inputs.files.push_back(selection.file);
  }
  return inputs;
}

void log_inputs(const MeasuredInputs& inputs) {
  std::size_t calls = 0, fitted = 0;
  for (const BenchmarkCurve& c : inputs.curves) {
    calls += c.bytes.size();
    fitted += is_fitted(c) ? 1 : 0;
  }
  log_info(counted(calls, "call") + " in " + counted(inputs.curves.size(), "curve") + ", " +
           std::to_string(fitted) + " long enough for a fit");
}

}  // namespace tools
