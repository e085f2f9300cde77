// SPDX-License-Identifier: MIT
#include "report/two_runs.h"

#include <string>

#include "analyze/diff/difference.h"
#include "analyze/findings.h"
#include "page/compare/compare.h"
#include "util/json_writer.h"
#include "util/visible.h"

namespace tools {
namespace {

using namespace convert;

// Returns the name of a run: its input, and its title if that is different.
std::string name_of(const Run& run, const std::string& input) {
  if (input.empty() || input == run.title) return visible(run.title);
  return visible(input) + (run.title.empty() ? "" : " (" + visible(run.title) + ")");
}

std::string text_of(const Run& a, const Run& b, const InputNames& inputs, const Difference& difference) {
  std::string out = difference.sentence() + '\n';
  for (const std::string& note : difference.notes) out += "note: " + visible(note) + '\n';
  out += "\nA: " + name_of(a, inputs.a) + '\n';
  append_text(findings_of(a), out);
  out += "\nB: " + name_of(b, inputs.b) + '\n';
  append_text(findings_of(b), out);
  return out;
}

std::string json_of(const Run& a, const Run& b, const Difference& difference) {
  std::string out, findings_a, findings_b;
  append_json(findings_of(a), findings_a);
  append_json(findings_of(b), findings_b);
  JsonWriter json(out);
  json.begin_object().member("same", difference.same()).member("summary", difference.sentence());
  json.key("notes").begin_array();
  for (const std::string& note : difference.notes) json.value(note);
  json.end_array();
  json.key("a").raw(findings_a).key("b").raw(findings_b).end_object();
  return out + '\n';
}

}  // namespace

void write_two_runs(const Run& a, const Run& b, const InputNames& inputs, std::string_view form, Output& out) {
  const Difference difference = compare_runs(a, b, {});
  if (form == "html") return write_compare_page(a, b, difference, inputs, out);
  out.write(form == "json" ? json_of(a, b, difference) : text_of(a, b, inputs, difference));
}

}  // namespace tools
