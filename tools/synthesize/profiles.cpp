// SPDX-License-Identifier: MIT
#include "synthesize/profiles.h"

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "io/input.h"
#include "profile/draw/mixture.h"
#include "profile/json/json.h"
#include "sets/known_file.h"
#include "util/log.h"

namespace tools {
namespace {

using namespace convert;

// Returns the file name of the profile without its suffixes.
std::string set_name(const std::string& operand) {
  if (operand == "-") return "synthetic";
  std::string name = std::filesystem::path(operand).filename();
  for (const std::string_view suffix : {".gz", ".zst", ".json", ".profile"}) {
    if (name.ends_with(suffix) && name.size() > suffix.size()) name.resize(name.size() - suffix.size());
  }
  return name;
}

// Returns the index of the chosen profile.
std::size_t choose(const std::vector<WorkloadProfile>& profiles, const SynthesizeOptions& o) {
  const std::string there =
      "there " + std::string(profiles.size() == 1 ? "is " : "are ") + counted(profiles.size(), "profile");
  if (o.mix) return draw_profile(profiles, static_cast<std::uint64_t>(o.seed));
  if (o.cluster) {
    if (static_cast<std::uint64_t>(*o.cluster) > profiles.size())
      throw usage_error("--cluster " + std::to_string(*o.cluster) + ": " + there + " only");
    return static_cast<std::size_t>(*o.cluster) - 1;
  }
  if (profiles.size() > 1)
    throw usage_error(there + "; choose one at random with --mix, or profile N with --cluster N");
  return 0;
}

// Returns the profiles of a file. The error for another kind of file names that kind.
std::vector<WorkloadProfile> read_profiles(const std::string& operand) {
  const auto input = open_input(operand);
  const std::string text = input->read_rest();
  try {
    return parse_profiles(text, input->name());
  } catch (const Error& e) {
    const auto kind = known_file(std::string_view(text).substr(0, known_file_bytes), input->name());
    if (e.kind() != Error::Kind::input || !kind) throw;
    const std::string what = *kind == FileKind::trace       ? "is a trace; make a profile of it with et-profile"
                             : *kind == FileKind::algorithm ? "is a collective algorithm"
                                                            : describe(*kind);
    throw input_error({.file = input->name()}, "not a profile: it " + what, e.rule());
  }
}

}  // namespace

ChosenProfile choose_profile(const SynthesizeOptions& o) {
  if (o.mix && o.cluster) throw usage_error("--mix and --cluster cannot be combined; give only one");
  InputOptions given;
  given.operands = o.operands;
  const std::vector<std::string> operands = inputs(given);
  require_one_standard_input(operands);
  std::vector<WorkloadProfile> profiles;
  std::vector<std::string> names;  // by profile: its operand
  for (const std::string& operand : operands) {
    for (WorkloadProfile& p : read_profiles(operand)) {
      profiles.push_back(std::move(p));
      names.push_back(operand);
    }
  }
  const std::size_t number = choose(profiles, o);
  if (profiles.size() > 1)
    log_info("profile " + std::to_string(number + 1) + " of " + std::to_string(profiles.size()) + ", of " +
             counted(profiles[number].jobs.size(), "job"));
  return {std::move(profiles[number]), set_name(names[number])};
}

}  // namespace tools
