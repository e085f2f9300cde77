// SPDX-License-Identifier: MIT
#include "diff/options.h"

#include <algorithm>

#include "common/form.h"
#include "common/option_texts.h"
#include "core/diagnostic.h"
#include "core/rank_list.h"
#include "core/units.h"
#include "core/words.h"

namespace tools {
namespace {

constexpr std::size_t rows_of_diff = 20;

// Parses "1%" or "5us".
void read_tolerance(const std::string& text, convert::DiffWishes& to) {
  if (text.ends_with('%')) {
    const auto percent = convert::parse_number(std::string_view(text).substr(0, text.size() - 1));
    if (percent && *percent >= 0) to.tolerance_part = *percent / 100;
    if (percent && *percent >= 0) return;
  } else if (const auto time = convert::parse_time(text)) {
    to.tolerance_ps = *time;
    return;
  }
  throw convert::usage_error("--tolerance " + text + ": expected a share or a time, such as 1% or 5us");
}

std::vector<convert::Rank> read_side(const std::string& side, const std::string& piece) {
  try {
    return convert::parse_ranks(side);
  } catch (const convert::Error&) {
    throw convert::usage_error("--map-ranks " + piece + ": expected ranks of A and of B, such as 0-3=4-7 or 8=0");
  }
}

// Parses "0-3=4-7,8=0": ranks of A and their partners in B.
std::map<convert::Rank, convert::Rank> read_ranks(const std::string& text) {
  std::map<convert::Rank, convert::Rank> ranks;
  for (const std::string& piece : convert::split(text, ',')) {
    const std::vector<std::string> sides = convert::split(piece, '=');
    if (sides.size() != 2)
      throw convert::usage_error("--map-ranks " + piece + ": expected ranks of A and of B, such as 0-3=4-7 or 8=0");
    const auto a = read_side(sides[0], piece), b = read_side(sides[1], piece);
    if (a.size() != b.size())
      throw convert::usage_error("--map-ranks " + piece + ": " + convert::counted(a.size(), "rank") + " of A and " +
                                 std::to_string(b.size()) + " of B; give lists of equal length");
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool free =
          std::ranges::none_of(ranks, [&](const auto& r) { return r.first == a[i] || r.second == b[i]; });
      if (!free)
        throw convert::usage_error("--map-ranks " + text + ": rank " + std::to_string(a[i]) + " of A or " +
                                   std::to_string(b[i]) + " of B occurs twice; each rank has one partner");
      ranks[a[i]] = b[i];
    }
  }
  return ranks;
}

}  // namespace

void DiffOptions::check_statistics() const {
  if (structure || times || tolerance || !ignore.empty() || map_ranks)
    throw convert::usage_error(
        "--statistics does not compare nodes; omit --structure, --times, --tolerance, --ignore-fields and "
        "--map-ranks");
  if (no_simulation && !networks.empty())
    throw convert::usage_error("--network and --no-simulation cannot be combined; give only one");
}

convert::DiffWishes DiffOptions::wishes() const {
  if (no_simulation || !networks.empty())
    throw convert::usage_error(std::string(no_simulation ? "--no-simulation" : "--network") +
                               " requires --statistics");
  if (structure && times)
    throw convert::usage_error("--structure ignores times and --times compares only times; give only one");
  if (structure && tolerance)
    throw convert::usage_error("--tolerance is for times, which --structure ignores; omit one of the two");
  convert::DiffWishes w{.structure = structure, .times = times};
  if (tolerance) read_tolerance(*tolerance, w);
  w.ignore.insert(ignore.begin(), ignore.end());
  if (map_ranks) w.ranks = read_ranks(*map_ranks);
  return w;
}

std::size_t DiffOptions::rows() const {
  if (top) return static_cast<std::size_t>(*top);
  return form() == "text" ? rows_of_diff : 0;
}

std::string DiffOptions::form() const { return format ? *format : form_of_suffix(output, {"json"}); }

void declare_diff(App& app, DiffOptions& o) {
  app.group("Input");
  app.add_operands(o.operands, "A B", "two sets, or two runs; one may be - for stdin");
  app.add_option("-f,--from", o.from, "FORMAT[,KEY=VALUE...]", "format of the input (default: by content)");
  app.group("Comparison");
  app.add_option("--groups", o.groups, "FILE", "process groups (default: from the trace set)").advanced();
  app.add_flag("--statistics", o.statistics, "how well B represents A: distributions, work, times, traffic");
  app.add_flag("--structure", o.structure, "compare everything except times");
  app.add_flag("--times", o.times, "compare only the times of nodes in both");
  app.add_option("--tolerance", o.tolerance, "1%|5us", "ignore smaller differences of times");
  app.add_list("--ignore-fields", o.ignore, "ATTR,...", "do not compare these attributes");
  app.add_option("--map-ranks", o.map_ranks, "A=B,...", "which rank of B each rank of A is, such as 0-3=4-7")
      .advanced();
  app.group("Statistics");
  app.add_texts("-n,--network", o.networks, "NETWORK", option_text::network);
  app.add_flag("--no-simulation", o.no_simulation, "compare recorded times only").advanced();
  app.group("Output");
  app.add_choice("--format", o.format, {"text", "json"}, option_text::format);
  app.add_integer("--top", o.top, 0, 1'000'000'000, "N", option_text::top);
  app.add_option("-o,--output", o.output, "PATH", option_text::output);
}

}  // namespace tools
