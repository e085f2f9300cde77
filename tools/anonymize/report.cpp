// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>

#include "about/version.h"
#include "anonymize/proof.h"
#include "core/units.h"
#include "util/json_writer.h"

namespace tools {

using namespace convert;

namespace {

std::string fixed_text(const char* format, double value) {
  constexpr std::size_t longest = 48;
  std::array<char, longest> text{};
  (void)std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string percent_text(double share) { return fixed_text("%.3g %%", 100 * share); }

std::string bits_text(double bits) { return fixed_text("%.2f bits", bits); }

void write_outcome(JsonWriter& w, const char* key, const ReplayOutcome& o) {
  w.key(key).begin_object().member("status", o.status).member("total_ps", o.total_ps).end_object();
}

void write_replays(JsonWriter& w, const AnonymityProof& proof) {
  w.line(1).key("replays").begin_array();
  for (const ReplayProof& r : proof.replays) {
    w.line(2).begin_object().member("how", r.how);
    write_outcome(w, "before", r.before);
    write_outcome(w, "after", r.after);
    w.member("npus", r.before.npus.size()).member("equal", r.equal);
    w.key("largest_difference").begin_object();
    for (std::size_t k = 0; k < replay_figures.size(); ++k) w.member(replay_figures.at(k), r.largest.at(k));
    w.end_object();
    if (r.promised) w.member("promised", *r.promised);
    w.member("holds", r.holds()).end_object();
  }
  w.line(1).end_array();
}

void write_verdicts(JsonWriter& w, const AnonymityProof& proof) {
  w.line(1).key("rules").begin_array();
  for (const auto& [rule, v] : proof.verdicts) {
    w.line(2).begin_object().member("rule", rule);
    w.key("errors").begin_array().value(v.errors_before).value(v.errors_after).end_array();
    w.key("warnings").begin_array().value(v.warnings_before).value(v.warnings_after).end_array();
    w.member("same", v.same()).end_object();
  }
  w.line(1).end_array();
}

void write_texts(JsonWriter& w, const TextProof& t) {
  w.line(1).key("texts").begin_object();
  w.member("searched", t.searched).member("not_searched", t.left_out).member("bytes", t.bytes);
  w.member("of_the_format", t.in_vocabulary).member("in_numbers", t.in_numbers);
  w.key("survive").begin_array();
  for (const std::string& s : t.survive) w.value(s);
  w.end_array().end_object();
}

void write_rare(JsonWriter& w, const NumbersProof& n) {
  w.line(1).key("numbers_that_occur_once").begin_array();
  for (const auto& [name, rare] : n.rare) {
    w.line(2).begin_object().member("attribute", name).member("before", rare.once).member("survive", rare.survive);
    w.key("largest").begin_array();
    for (const std::uint64_t v : rare.largest) w.value(v);
    w.end_array().end_object();
  }
  w.line(1).end_array();
}

void write_left(JsonWriter& w, const char* key, const LeftApart& left) {
  w.key(key).begin_object().member("before", left.before).member("after", left.after);
  w.key("bits_before").raw(fixed_text("%.4f", left.bits_before));
  w.key("bits_after").raw(fixed_text("%.4f", left.bits_after)).end_object();
}

std::string outcome_text(const ReplayOutcome& o) {
  return o.status == "complete" ? format_time(o.total_ps) : o.status;
}

std::string replay_text(const ReplayProof& r) {
  std::string text = r.how + ": " + outcome_text(r.before) + " before";
  if (r.equal)
    return text + " and after; " +
           std::string(r.before.npus.empty() ? "nothing to compare" : "all metrics of all NPUs are equal");
  text += ", " + outcome_text(r.after) + " after; at most";
  for (std::size_t k = 0; k < replay_figures.size(); ++k)
    text += (k == 0 ? " " : ", ") + percent_text(r.largest.at(k)) + " of " + std::string(replay_figures.at(k));
  if (r.promised) text += "; promised: " + percent_text(*r.promised) + " of finish";
  return text;
}

std::string left_text(const char* what, const LeftApart& left) {
  return std::string(what) + ": " + std::to_string(left.before) + " before (" + bits_text(left.bits_before) +
         "), " + std::to_string(left.after) + " after (" + bits_text(left.bits_after) + ")\n";
}

}  // namespace

std::string proof_json(const AnonymityProof& proof) {
  std::string out;
  JsonWriter w(out);
  const std::vector<std::string> failures = proof.failures();
  w.begin_object().line(1).member("tool", "et-anonymize " + std::string(version_number));
  w.line(1).member("holds", failures.empty());
  w.line(1).key("failures").begin_array();
  for (const std::string& f : failures) w.value(f);
  w.end_array();
  write_replays(w, proof);
  write_verdicts(w, proof);
  write_texts(w, proof.texts);
  write_rare(w, proof.numbers);
  w.line(1).key("left").begin_object();
  write_left(w, "names", proof.numbers.names);
  write_left(w, "sizes", proof.numbers.sizes);
  write_left(w, "computations", proof.numbers.computations);
  w.key("nodes").begin_array().value(proof.numbers.nodes_before).value(proof.numbers.nodes_after).end_array();
  w.key("nodes_in_chains").begin_array().value(proof.numbers.mergeable_before).value(proof.numbers.mergeable_after);
  w.end_array().end_object().line().end_object();
  out += '\n';
  return out;
}

std::string proof_text(const AnonymityProof& proof) {
  std::string out;
  for (const std::string& f : proof.failures()) out += "FAILS: " + f + '\n';
  out += "replays\n";
  for (const ReplayProof& r : proof.replays) out += "  " + replay_text(r) + '\n';
  out += "rules\n";
  for (const auto& [rule, v] : proof.verdicts)
    out += "  " + rule + ": " + counted(v.errors_before, "error") + " and " +
           counted(v.warnings_before, "warning") + " before, " + std::to_string(v.errors_after) + " and " +
           std::to_string(v.warnings_after) + " after\n";
  if (proof.verdicts.empty()) out += "  no findings before and after\n";
  const TextProof& t = proof.texts;
  out += "texts\n  " + counted(t.searched, "text") + " searched in " + counted(t.bytes, "byte") + ", " +
         std::to_string(t.survive.size()) + " found; " + std::to_string(t.in_vocabulary) +
         " are words of the format, " + std::to_string(t.in_numbers) + " in numbers by chance, " +
         std::to_string(t.left_out) + " too similar to numbers to search\n";
  for (const std::string& s : t.survive) out += "  survives: " + s + '\n';
  out += "numbers that occur once\n";
  for (const auto& [name, rare] : proof.numbers.rare)
    out += "  " + name + ": " + std::to_string(rare.once) + ", " + std::to_string(rare.survive) + " survive\n";
  const NumbersProof& n = proof.numbers;
  out += "distinguishable values\n  " + left_text("names", n.names) + "  " + left_text("sizes", n.sizes) + "  " +
         left_text("computations", n.computations) + "  nodes: " + std::to_string(n.nodes_before) + " before, " +
         std::to_string(n.nodes_after) +
         " after; in chains, except the first: " + std::to_string(n.mergeable_before) + " before, " +
         std::to_string(n.mergeable_after) + " after\n";
  return out;
}

std::string proof_line(const AnonymityProof& proof) {
  std::string out = proof.failures().empty() ? "proved: " : "not proved: ";
  for (const ReplayProof& r : proof.replays)
    out += "replay " + (r.how == "as recorded" ? r.how : "on " + r.how) +
           (r.equal ? " equal, " : " within " + percent_text(r.largest[0]) + ", ");
  std::uint64_t other = 0;
  for (const auto& [rule, v] : proof.verdicts) other += v.same() ? 0 : 1;
  out += other == 0 ? "the same findings, " : "other findings of " + counted(other, "rule") + ", ";
  return out + std::to_string(proof.texts.survive.size()) + " of " + counted(proof.texts.searched, "text") +
         " survive";
}

}  // namespace tools
