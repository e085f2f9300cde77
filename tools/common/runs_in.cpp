// SPDX-License-Identifier: MIT
#include "common/runs_in.h"

#include <filesystem>

#include "formats/format.h"
#include "io/input.h"

namespace tools {

std::optional<convert::Run> run_in(const std::string& operand) {
  using namespace convert;
  std::error_code ignored;
  if (operand == "-" || !std::filesystem::is_regular_file(operand, ignored)) return std::nullopt;
  const std::unique_ptr<Input> input = open_input(operand);
  constexpr std::size_t head_bytes = 4096;
  const Format* const format = detect_format(input->peek(head_bytes), operand);
  if (format == nullptr || format->read_run == nullptr) return std::nullopt;
  Diagnostics diagnostics;
  const FormatOptions options;
  return format->read_run({*input, std::nullopt, options, diagnostics});
}

}  // namespace tools
