// SPDX-License-Identifier: MIT
#include "graph/layout.h"

#include <algorithm>
#include <cmath>

#include "core/diagnostic.h"
#include "core/units.h"
#include "io/subprocess.h"

namespace tools {

namespace {
constexpr std::size_t max_picture_bytes = std::size_t{1} << 30;

convert::Error failure(const std::string& message) { return {convert::Error::Kind::system, {}, message}; }
}  // namespace

bool is_picture(std::string_view type) { return type == "svg" || type == "png" || type == "pdf"; }

// Estimate, measured with Graphviz 2.43 on traces of 90 to 5,000 nodes: 0.15 s times the square of the work in
// thousands, within a factor of three.
void check_layout(const convert::drawing::Drawing& drawing, const std::string& name,
                  std::chrono::milliseconds timeout) {
  const double thousands = convert::drawing::layout_work(drawing) / 1000;
  const double seconds = 0.15 * thousands * thousands;
  if (seconds * 1000 <= 3 * static_cast<double>(timeout.count())) return;
  constexpr double shown_s = 86400;
  const auto whole = static_cast<std::int64_t>(std::ceil(std::min(seconds, shown_s)));
  throw convert::Error(
      convert::Error::Kind::input, {.file = name},
      "Graphviz would require about " + convert::format_time(whole * 1'000'000'000'000) +
          (seconds > shown_s ? " or more" : "") + " for the layout (limit " +
          convert::format_time(timeout.count() * 1'000'000'000) +
          "); draw a part with --ranks, --nodes or --around, raise --timeout, or write -t dot or -t graphml, which "
          "need no layout");
}

std::string draw(const std::string& type, std::string_view dot, std::chrono::milliseconds timeout) {
  convert::ChildResult child;
  try {
    child = convert::run_child({"dot", "-T" + type}, dot, timeout, max_picture_bytes);
  } catch (const convert::Error& e) {
    throw failure("cannot run Graphviz's program dot (" + std::string(e.what()) +
                  "); install the package graphviz, or write -t dot or -t graphml, which need no layout");
  }
  if (child.timed_out) {
    throw failure("Graphviz found no layout within " + convert::format_time(timeout.count() * 1'000'000'000) +
                  "; draw a part with --ranks, --nodes or --around, raise --timeout, or write -t dot or -t "
                  "graphml, which need no layout");
  }
  if (child.too_large) throw failure("the picture is larger than 1 GiB; draw fewer nodes, or write -t graphml");
  if (child.exit_code != 0)
    throw failure("Graphviz's dot failed with status " + std::to_string(child.exit_code) + ": " +
                  child.err.substr(0, child.err.find('\n')));
  return std::move(child.out);
}

}  // namespace tools
