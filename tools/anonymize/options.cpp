// SPDX-License-Identifier: MIT
#include "anonymize/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "about/version.h"
#include "common/form.h"
#include "common/option_texts.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "passes/anonymize/kept.h"

namespace tools {

using namespace convert;

namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

double share_of(const std::string& text) {
  const auto percent =
      text.ends_with('%') ? number_of(std::string_view(text).substr(0, text.size() - 1)) : std::nullopt;
  if (!percent || !(*percent > 0 && *percent < 100))
    throw usage_error("--jitter " + text + ": expected a percentage above 0% and below 100%, such as 5%");
  return *percent / 100;
}

double scale_of(const std::string& text) {
  constexpr double most = 1e6;
  const auto factor = number_of(text);
  if (!factor || !(*factor >= 1 / most && *factor <= most))
    throw usage_error("--scale-all " + text + ": expected a factor from 0.000001 to 1000000, such as 1.37");
  return *factor;
}

// Attributes that name ranks or devices would reveal the old numbers of renumbered ranks, and replay wrongly.
void check_kept(const AnonymizeToolOptions& o) {
  static constexpr std::array numbered = {"comm_src", "comm_dst",   "npu",         "link_seq",
                                          "link_via", "link_scope", "ten.network", "ten.relays"};
  for (const std::string& name : o.keep) {
    if (o.permute_ranks && std::ranges::find(numbered, name) != numbered.end())
      throw usage_error("--keep " + name +
                        ": the attribute names ranks, which --permute-ranks renumbers; drop one of the two");
  }
}

void check_files(const AnonymizeToolOptions& o) {
  if (o.key && o.key_out) throw usage_error("--key-out writes a new random key; it cannot be combined with --key");
  if (o.table && o.names != "keyed")
    throw usage_error("--table lists the names of --names keyed; it cannot be combined with --names " + o.names);
  if (!o.report && o.network) throw usage_error("--network requires --report FILE, whose proof uses it");
  refuse_suffix_of_other_kind(o.report, "a report, .json", {"json"}, "--report");
  refuse_suffix_of_other_kind(o.key_out, "a key as text", {}, "--key-out");
  refuse_suffix_of_other_kind(o.table, "a table of names, .json", {"json"}, "--table");
  std::vector<std::string_view> to_stdout;
  if (o.output.to_stdout()) to_stdout.emplace_back("the set");
  if (o.report == "-") to_stdout.emplace_back("--report -");
  if (o.key_out == "-") to_stdout.emplace_back("--key-out -");
  if (o.table == "-") to_stdout.emplace_back("--table -");
  if (to_stdout.size() > 1)
    throw usage_error(std::string(to_stdout[1]) + " and " + std::string(to_stdout[0]) +
                      " both write to standard output; name a file for one of the two");
}

}  // namespace

void add_anonymize_options(App& app, AnonymizeToolOptions& o) {
  add_set_input_options(app, o.input);
  app.group("Hiding");
  app.add_choice("--names", o.names, {"keyed", "type", "class"},
                 "new names of nodes: keyed hashes, the type, or numbers in order of appearance");
  app.add_list("--keep", o.keep, "NAME,...", "attributes to keep in addition to replay attributes");
  app.add_flag("--permute-ranks", o.permute_ranks, "renumber the ranks, in an order derived from the key");
  app.add_flag("--no-times", o.no_times, "remove start times; durations stay").advanced();
  app.add_option("--jitter", o.jitter, "P%", "change the duration of each node by at most this share");
  app.add_integer("--quantize-times", o.time_digits, 1, 9, "DIGITS", "round times to this many significant digits")
      .advanced();
  app.add_choice("--sizes", o.sizes, {"pow2", "2"}, "round sizes up to a power of two, or to two digits");
  app.add_integer("--k", o.least_uses, 1, std::int64_t{1} << 40U, "N", option_text::k);
  app.add_option("--scale-all", o.scale, "FACTOR", "multiply sizes and times").advanced();
  app.add_flag("--merge-chains", o.merge_chains, "merge consecutive computations into one node").advanced();
  app.group("Key");
  app.add_option("--key", o.key, "FILE", "secret key, 64 hexadecimal digits (default: random, not kept)");
  app.add_option("--key-out", o.key_out, "FILE", "write the random key, which can test names later").advanced();
  app.add_option("--table", o.table, "FILE", "write old and new names: for the owner only").advanced();
  app.group("Proof");
  app.add_option("--report", o.report, "FILE", option_text::report);
  app.add_option("-n,--network", o.network, "NETWORK", option_text::network);
  add_output_options(app, o.output);
}

AnonymizeOptions anonymize_options(const AnonymizeToolOptions& o) {
  check_files(o);
  check_kept(o);
  AnonymizeOptions out;
  if (o.names == "type") out.names = HiddenNames::type;
  if (o.names == "class") out.names = HiddenNames::number;
  for (const std::string& name : o.keep) out.keep.emplace_back(std::string_view(name));
  if (!o.output.no_history) out.note = "etkit " + std::string(version_number);
  out.starts = !o.no_times;
  if (o.jitter) out.jitter = share_of(*o.jitter);
  if (o.time_digits) out.time_digits = static_cast<int>(*o.time_digits);
  if (o.sizes) out.sizes = *o.sizes == "pow2" ? SizeRounding::power_of_two : SizeRounding::two_digits;
  if (o.scale) out.scale = scale_of(*o.scale);
  out.least_uses = static_cast<std::uint64_t>(o.least_uses);
  out.merge_chains = o.merge_chains;
  out.permute_ranks = o.permute_ranks;
  return out;
}

std::string note_of_turns(std::uint64_t sends) {
  return "the link order of " + counted(sends, "send") +
         " is removed, because the NPUs of the network are renumbered; control dependencies keep the order of "
         "each rank's sends, which wait for arrivals";
}

}  // namespace tools
