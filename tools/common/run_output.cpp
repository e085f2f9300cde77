// SPDX-License-Identifier: MIT
#include "common/run_output.h"

#include <string>

#include "core/diagnostic.h"
#include "page/report/report.h"

namespace tools {

using namespace convert;

bool RunForm::binary() const { return !page() && choice.format->name != "chrome"; }

std::optional<RunForm> run_form(const std::optional<std::string>& to, const std::optional<std::string>& path) {
  if (to) {
    if (*to == "html") return RunForm{};
    RunForm form{parse_format_choice(*to, Direction::write)};
    return form.choice.format->write_runs != nullptr ? std::optional(form) : std::nullopt;
  }
  if (!path) return std::nullopt;
  const std::string_view name = without_compression_suffix(*path);
  if (name.ends_with(".html")) return RunForm{};
  if (name.ends_with(".json")) return RunForm{{&find_format("chrome"), {}}};
  const Format* format = format_by_suffix(name, Direction::write);
  if (format == nullptr || format->write_runs == nullptr) return std::nullopt;
  return RunForm{{format, {}}};
}

void write_runs(const RunForm& form, std::span<const Run> runs, Output& out) {
  if (form.page()) {
    if (runs.size() != 1)
      throw usage_error("a page shows one run, not " + std::to_string(runs.size()) + "; et-report compares two");
    return write_report_page(runs.front(), out);
  }
  form.choice.format->write_runs(runs, form.choice.options, out);
}

}  // namespace tools
