// SPDX-License-Identifier: MIT
// Draws pictures with Graphviz, which runs as a child process with limits of time and size.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "formats/graphs/drawing.h"

namespace tools {

// Returns whether `type` is one of the picture types that need a layout: svg, png, pdf.
[[nodiscard]] bool is_picture(std::string_view type);

// Throws Error(input) about `name` if dot would need far longer than `timeout` for the drawing.
void check_layout(const convert::drawing::Drawing& drawing, const std::string& name,
                  std::chrono::milliseconds timeout);

// Returns the bytes of the picture. Throws Error(system) if Graphviz is not installed, is too slow or fails; the
// message names an alternative.
[[nodiscard]] std::string draw(const std::string& type, std::string_view dot, std::chrono::milliseconds timeout);

}  // namespace tools
