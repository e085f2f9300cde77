// SPDX-License-Identifier: MIT
#include "calibrate/options.h"

#include <filesystem>

#include "common/form.h"
#include "common/option_texts.h"
#include "core/diagnostic.h"

namespace tools {

using convert::usage_error;

std::string CalibrateOptions::table() const {
  return std::filesystem::path(*output).replace_extension(".csv").string();
}

void declare_calibrate(App& app, CalibrateOptions& o) {
  app.group("Input");
  app.add_operands(o.operands, "INPUT", "log of a benchmark, or table of measured calls; - = stdin");
  app.group("Calibration");
  app.add_option("-m,--machine", o.machine, "NAME|FILE", option_text::machine);
  app.add_flag("--test", o.test, "predict the calls of INPUT and print the errors; write no machine");
  app.add_flag("--tables-only", o.tables_only, "keep the constants of the machine; replace its table only");
  app.add_flag("--no-tables", o.no_tables, "write the constants only, without a table");
  app.add_option("--program", o.program, "ALGORITHM",
                 "INPUT has times of this algorithm, as of --algorithm; fit library.program only");
  app.group("Output");
  app.add_option("-o,--output", o.output, "OUT.yml", "file or prefix to write");
  app.add_flag("--force", o.force, option_text::force).no_history();
  app.add_option("--plot", o.plot, "FILE", option_text::plot);
  app.add_option("--residuals", o.residuals, "FILE",
                 "also write each call with its measured and predicted time (CSV)");
  app.add_choice("--format", o.format, {"text", "json", "csv"}, option_text::format);
}

void check_usage(const CalibrateOptions& o) {
  if (!o.machine) throw usage_error("-m NAME or -m FILE is missing: the machine (et-replay --list-machines)");
  if (o.operands.empty()) throw usage_error("INPUT is missing: a log of nccl-tests, or a table of measured calls");
  if (o.test) {
    if (o.output) throw usage_error("--test writes no machine; give either --test or -o");
    if (o.tables_only || o.no_tables) throw usage_error("--test has no use for --tables-only and --no-tables");
    return;
  }
  if (!o.output) throw usage_error("-o OUT.yml is missing; to compare only, give --test");
  if (o.program && (o.tables_only || o.no_tables || o.force))
    throw usage_error("--program fits three constants; --tables-only, --no-tables and --force do not apply");
  if (o.tables_only && o.no_tables) throw usage_error("--tables-only and --no-tables exclude each other");
  refuse_suffix_of_other_kind(o.output, "a machine, .yml", {"yml", "yaml"});
  if (!o.output->ends_with(".yml") && !o.output->ends_with(".yaml"))
    throw usage_error("-o " + *o.output + ": a machine is YAML; name it .yml");
}

}  // namespace tools
