// SPDX-License-Identifier: MIT
#include "etkit/doctor.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "about/version.h"
#include "core/words.h"
#include "formats/format.h"

namespace tools {
namespace {

struct Program {
  const char* name;
  const char* use;
  const char* package;  // Debian's
};
constexpr std::array<Program, 6> programs = {{
    {"dot", "et-graph's pictures (svg, png, pdf)", "graphviz"},
    {"mpirun", "sweeps and et-link on several machines", "openmpi-bin"},
    {"chromium", "html pages (any browser will do)", "chromium"},
    {"rsvg-convert", "plots (svg) as png or pdf", "librsvg2-bin"},
    {"jq", "the manual's examples with JSON", "jq"},
    {"man", "manual pages", "man-db"},
}};

std::string found_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : convert::split(path == nullptr ? "" : path, ':')) {
    const std::string file = folder + '/' + name;
    if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

void append_row(std::string& out, std::string_view name, std::string_view value) {
  std::string line = "  " + std::string(name);
  line.resize(16, ' ');
  out += line.append(value) + '\n';
}

void append_variable(std::string& out, const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  append_row(out, name, value == nullptr || *value == '\0' ? "not set: " + otherwise : std::string(value));
}

}  // namespace

std::string doctor_report() {
  std::string out = "etkit " + version_text() + "\nFormats (read, write):\n";
  for (const convert::Format* f : convert::all_formats()) {
    append_row(out, f->name,
               std::string(f->can_read() ? "r" : "-") + (f->can_write() ? "w  " : "-  ") + std::string(f->summary));
  }
  out += "\nOptional programs:\n";
  for (const Program& p : programs) {
    const std::string path = found_in_path(p.name);
    append_row(
        out, p.name,
        path.empty() ? "not found; for " + std::string(p.use) + ": install " + p.package : path + ": " + p.use);
  }
  out += "\nMachine:\n";
  append_row(out, "processors", std::to_string(std::thread::hardware_concurrency()));
  append_variable(out, "ET_JOBS", "tools use all processors");
  append_variable(out, "TMPDIR", "temporary files go to /tmp");
  append_variable(out, "NO_COLOR", "messages on a terminal have colours");
  return out;
}

}  // namespace tools
