// SPDX-License-Identifier: MIT
#include "anonymize/leaks.h"

#include <algorithm>
#include <initializer_list>

#include "anonymize/texts.h"
#include "core/units.h"
#include "core/words.h"
#include "formats/format.h"
#include "io/output.h"
#include "io/set_path.h"

namespace tools {
namespace {

using namespace convert;

// Returns the name without the suffixes of formats: "run7.0" for "run7.0.et.gz".
std::string_view without_suffixes(std::string_view name) {
  name = without_compression_suffix(name);
  if (name.ends_with(".tar")) name.remove_suffix(4);
  for (const Format* const format : all_formats()) {
    for (const std::string_view suffix : format->suffixes) {
      if (name.size() > suffix.size() && name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

class Leaks {
 public:
  Leaks(const AnonymizeToolOptions& options, const AnonymizeCounts& counts) : o_(options), counts_(counts) {}

  [[nodiscard]] std::string inferred() const {
    std::vector<std::string> leaks;
    if (const std::string sizes = sizes_left(); !sizes.empty()) leaks.push_back("the model (" + sizes + ")");
    leaks.emplace_back("the numbers of layers and micro-batches (repetition)");
    if (has({attr::pg_name, attr::comm_src, attr::comm_dst}))
      leaks.emplace_back("the parallel plan (process groups and peers)");
    if (const std::string times = times_left(); !times.empty()) leaks.push_back("the hardware (" + times + ")");
    if (has({attr::link_seq})) leaks.emplace_back("the network (link order, and its id)");
    const bool comparable = o_.names == "keyed" && (o_.key || o_.key_out);
    leaks.emplace_back(comparable ? "sets of one program (equal structure and names)"
                                  : "sets of one program (equal structure)");
    return "the output still reveals " + join(leaks);
  }

  [[nodiscard]] std::string verbatim() const {
    std::vector<std::string> kept;
    if (has({attr::comm_tag})) kept.emplace_back("tags");
    if (has({attr::comm_priority})) kept.emplace_back("priorities");
    if (has({attr::stream})) kept.emplace_back("stream numbers");
    if (has({attr::num_ops}) && !o_.sizes && !o_.scale) kept.emplace_back("numbers of operations");
    for (const std::string& name : o_.keep) kept.push_back(name);
    std::vector<std::string> options;
    if (!o_.sizes) options.emplace_back("--sizes pow2");
    if (!o_.merge_chains) options.emplace_back("--merge-chains");
    if (o_.least_uses <= 1) options.emplace_back("--k 3");
    if (!o_.jitter && !o_.time_digits) options.emplace_back("--jitter 10%");
    const std::string more = options.empty() ? "" : "to hide more: " + join(options) + "; ";
    return (kept.empty() ? "" : "kept unchanged: " + join(kept) + "; ") + more +
           "see WHAT LEAKS ANYWAY in et-anonymize(1)";
  }

 private:
  [[nodiscard]] bool has(std::initializer_list<Name> any) const {
    return std::any_of(any.begin(), any.end(), [&](Name name) { return counts_.kept.test(name.index()); });
  }

  [[nodiscard]] std::string sizes_left() const {
    if (!has({attr::comm_size, attr::num_ops, attr::tensor_size, attr::inputs, attr::outputs})) return {};
    std::string text = o_.sizes == "pow2" ? "sizes within a factor of two"
                       : o_.sizes         ? "two digits of sizes"
                       : o_.scale         ? "ratios of sizes"
                                          : "sizes";
    if (o_.scale) text += ", and the factor of --scale-all, from sizes in all programs, such as 4 bytes of a norm";
    return text;
  }

  [[nodiscard]] std::string times_left() const {
    if (!counts_.durations && !has({attr::duration_nanos, attr::start_nanos})) return {};
    if (o_.jitter) return "average times of equal nodes, in which --jitter cancels out";
    return o_.time_digits ? "rounded times" : "times";
  }

  const AnonymizeToolOptions& o_;
  const AnonymizeCounts& counts_;
};

}  // namespace

void warn_of_output_name(const AnonymizeToolOptions& options, const std::vector<std::string>& names,
                         Diagnostics& diagnostics) {
  if (options.output.to_stdout()) return;
  TextsOfSet words;
  for (const std::string& name : names) words.add(without_suffixes(name));
  const TextSearch search(words);
  const auto found = search.find(without_suffixes(file_name_part(*options.output.path)));
  if (!found.empty())
    diagnostics.warning({.file = *options.output.path}, "names",
                        "the output's name contains \"" + search.text(found.front()) +
                            "\", as the input's does; choose another name");
}

void warn_of_leaks(const AnonymizeToolOptions& options, const SizeRule& sizes, Diagnostics& diagnostics) {
  for (const std::string& name : options.keep)
    diagnostics.warning({}, "keep",
                        "--keep " + name + ": the values are written unchanged, with all words in them");
  for (const auto& [owner, nodes] : sizes.few())
    diagnostics.warning({}, "k",
                        describe(owner) + ": " + counted(nodes, "value") + " in total, fewer than --k " +
                            std::to_string(options.least_uses) + "; all are replaced by one rounded value");
}

std::vector<std::string> remaining_leaks(const AnonymizeToolOptions& options, const AnonymizeCounts& counts) {
  const Leaks leaks(options, counts);
  return {leaks.inferred(), leaks.verbatim()};
}

}  // namespace tools
