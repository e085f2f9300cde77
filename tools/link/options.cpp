// SPDX-License-Identifier: MIT
#include "link/options.h"

#include "common/form.h"
#include "common/option_texts.h"
#include "core/diagnostic.h"

namespace tools {

void add_link_options(App& app, LinkToolOptions& to) {
  app.group("Input");
  app.add_option("--host", to.host, "FILE", "host execution trace; %r in the name is the rank, * any text");
  app.add_option("--device", to.device, "FILE", option_text::device);
  app.add_integer("--rank", to.rank, 0, 0xffffff, "N", "rank of a single input (default: from the input)");
  app.add_option("--ranks", to.ranks, "LIST", option_text::ranks);
  app.group("Linking");
  app.add_choice("--gaps", to.gaps, {"keep", "drop"}, "CPU time between operators: delay nodes, or nothing");
  app.add_choice("--metadata-nodes", to.metadata_nodes, {"drop", "keep"},
                 "definitions of process groups: no nodes, or METADATA nodes")
      .advanced();
  app.add_flag("--data-deps", to.data_deps, "add dependencies between writers and readers of a tensor").advanced();
  app.add_flag("--reduce", to.reduce, "remove dependencies that others imply");
  app.add_flag("--relax", to.relax, "remove the order that makes ranks wait for each other in a cycle");
  app.add_choice("--compat", to.compat, {"chakra"}, option_text::compat).advanced();
  app.group("Checks");
  app.add_flag("--mismatched", to.mismatched, "link files of different processes or ranks anyway").advanced();
  app.add_choice("--unmatched", to.unmatched, {"warn", "error", "keep"}, "operations without a partner")
      .no_history();
  app.add_choice("--check", to.check, {"error", "warn", "off"},
                 "collectives and messages across ranks (default: error; with --ranks: warn)")
      .no_history();
  app.add_option("--report", to.report, "FILE", option_text::report).no_history();
  app.add_flag("--list-unmatched", to.list_unmatched, "name each unmatched operation in the report")
      .no_history()
      .advanced();
}

namespace {

using convert::usage_error;

void check_compat(const LinkToolOptions& options, bool to_linked) {
  if (!options.compat) {
    if (to_linked) throw usage_error("-t linked is the format of MLCommons Chakra's linker; add --compat chakra");
    return;
  }
  if (options.unmatched != "warn" || options.check)
    throw usage_error("--compat chakra checks nothing; omit --unmatched and --check");
  if (options.mismatched) throw usage_error("--compat chakra links any files; omit --mismatched");
  if (options.gaps != "keep" || options.metadata_nodes != "drop" || options.data_deps || options.reduce ||
      options.relax || options.report) {
    throw usage_error(
        "--compat chakra follows the rules of another program; omit --gaps, --metadata-nodes, "
        "--data-deps, --reduce, --relax and --report");
  }
}

}  // namespace

void check_link_options(const LinkToolOptions& options, const OutputOptions& output, bool many, bool alone) {
  refuse_suffix_of_other_kind(options.report, "a report, .json", {"json"}, "--report");
  if (many && options.rank)
    throw usage_error("--rank is for a single pair of files; use --ranks to select among many");
  if (!many && options.ranks)
    throw usage_error("--ranks requires %r in the names of the files; for a linked set, use et-split --ranks");
  if (options.list_unmatched && !options.report) throw usage_error("--list-unmatched requires --report");
  if (options.relax && !many) throw usage_error("--relax is for several ranks; use %r in the names of the files");
  if (options.relax && !alone)
    throw usage_error("--relax requires all ranks in one process; link without it, then use et-validate --fix");
  if (!alone && output.to_stdout())
    throw usage_error("several processes write one file per rank; name a prefix with -o");
  if (options.report && output.path && *options.report == *output.path && *options.report != "-")
    throw usage_error("-o and --report name the same file; name two files");
  if (options.report && *options.report == "-" && output.to_stdout()) {
    throw usage_error("--report -: standard output is for the trace; name a file with -o or --report");
  }
  check_compat(options, output.to && output.to->starts_with("linked"));
}

}  // namespace tools
