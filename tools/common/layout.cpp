// SPDX-License-Identifier: MIT
#include "common/layout.h"

#include "core/diagnostic.h"
#include "core/units.h"
#include "io/subprocess.h"

namespace tools {

namespace {
constexpr std::size_t max_picture_bytes = std::size_t{1} << 30;

convert::Error failure(const std::string& message) { return {convert::Error::Kind::system, {}, message}; }
}  // namespace

bool is_picture(std::string_view type) { return type == "svg" || type == "png" || type == "pdf"; }

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
                  "; draw fewer nodes, raise --timeout, or write -t dot or -t graphml, which need no layout");
  }
  if (child.too_large) throw failure("the picture is larger than 1 GiB; draw fewer nodes, or write -t graphml");
  if (child.exit_code != 0)
    throw failure("Graphviz's dot failed with status " + std::to_string(child.exit_code) + ": " +
                  child.err.substr(0, child.err.find('\n')));
  return std::move(child.out);
}

}  // namespace tools
