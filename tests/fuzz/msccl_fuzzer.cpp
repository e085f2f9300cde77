// SPDX-License-Identifier: MIT
// MSCCL-IR: structure, proof, lowering and export of all valid input. A proved algorithm must stay proved as
// traces.
#include <cstdint>
#include <string>

#include "fuzzer.h"
#include "proof_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

std::string written(const Algorithm& algorithm) {
  std::string out;
  find_format("msccl").write_algorithm(algorithm, {}, out);
  return out;
}

// A nop only waits for its dependencies, and traces keep only these.
Algorithm with_plain_nops(Algorithm algorithm) {
  for (Step& s : algorithm.steps) {
    if (s.type == StepType::nop) s = {.depid = s.depid, .deps = s.deps};
  }
  return algorithm;
}

// An algorithm without a structural error, unmatched message or deadlock, as et-convert requires.
void check_lowering(const Algorithm& algorithm, const Diagnostics& proof, std::uint32_t variant) {
  std::optional<std::int64_t> size;
  if ((variant & 32U) == 0) size = std::int64_t{algorithm.chunks} * 1000 + variant % 1000;
  const std::vector<Trace> traces = lowered(algorithm, size);
  Diagnostics rules;
  check_rules(traces, rules);
  check_no_errors(rules, "a lowered algorithm breaks a rule");

  Diagnostics findings;
  const StepGraph graph = make_step_graph(traces, findings);
  verify(graph, {.dataflow = true, .collective = {}, .soft = Severity::error}, findings);
  if (proof.errors() == 0) check_no_errors(findings, "the algorithm is proved, its traces are not");

  Diagnostics exported;
  const Algorithm back = export_algorithm(traces, exported);
  check(exported.warnings() == 0 && written(back) == written(with_plain_nops(algorithm)),
        "export changes an untouched algorithm");
  Algorithm header = algorithm;
  if (findings.errors() == 0) (void)pack_threadblocks(graph, std::move(header));

  draw(traces);
}

}  // namespace

FUZZER(msccl) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > max_input_bytes) return 0;
  (void)find_format("msccl").sniff(bytes.substr(0, 4096));
  const std::uint32_t variant = variant_of(bytes);
  may_refuse([&] {
    Diagnostics diagnostics;
    const Algorithm algorithm = read_msccl_text(bytes, diagnostics);
    if (diagnostics.errors() == 0) {
      Diagnostics again;
      const std::string text = written(algorithm);
      check(written(read_msccl_text(text, again)) == text, "what was written reads back differently");
      check_no_errors(again, "what was written does not read back");
    }
    check_structure(algorithm, diagnostics);
    std::optional<Collective> claimed;
    if ((variant & 3U) == 3U) claimed = static_cast<Collective>(variant >> 2U & 7U);
    const StepGraph graph = make_step_graph(algorithm);
    Diagnostics proof;
    if (claimed || diagnostics.errors() != 0) {
      verify(graph, {.dataflow = true, .collective = claimed, .soft = Severity::error}, proof);
      return;
    }
    verify(graph, {.dataflow = true, .collective = {}, .soft = Severity::error}, proof);
    verify(graph, {.dataflow = false, .collective = {}, .soft = Severity::warning}, diagnostics);
    if (diagnostics.errors() == 0) check_lowering(algorithm, proof, variant);
  });
  return 0;
}
