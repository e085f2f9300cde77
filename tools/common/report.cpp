// SPDX-License-Identifier: MIT
#include "common/report.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "passes/findings_order.h"
#include "util/visible.h"

namespace tools {

using convert::Diagnostic;
using convert::Severity;

namespace {

constexpr std::size_t total_factor =
    10;  // total messages, as a multiple of the limit per file: sets have many files
constexpr std::size_t source_width = 100;  // bytes of a source line to show

bool set_and_not_empty(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

struct SourceLine {
  std::string text;
  std::size_t caret = 0;  // 0-based position in text
};

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Returns a window of the line around the column, because a line may be a whole large file. Empty if the position
// cannot be shown: compressed files, pipes, archive members, deleted files.
SourceLine read_source_line(const convert::Location& where) {
  struct stat status {};
  if (where.line == 0 || where.column == 0 || stat(where.file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return {};
  }
  const File file(std::fopen(where.file.c_str(), "re"));
  if (!file) return {};
  const std::size_t column = where.column - 1;
  const std::size_t first = column < source_width * 3 / 4 ? 0 : column - source_width / 2;
  SourceLine out{{}, column - first};
  std::uint32_t line = 1;
  std::size_t position = 0;
  std::array<char, 65536> block{};
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
    for (std::size_t i = 0; i < n; ++i) {
      if (block[i] == '\n') {
        if (++line > where.line) return out;
        continue;
      }
      if (line < where.line || position++ < first) continue;
      const bool control = static_cast<unsigned char>(block[i]) < 0x20 || block[i] == 0x7f;
      if (control && block[i] != '\t' && block[i] != '\r') return {};  // not text
      out.text += control ? ' ' : block[i];
      if (out.text.size() >= source_width) return out;
    }
  }
  return out;
}

}  // namespace

bool use_color(std::string_view choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::strcmp(term, "dumb") == 0;
  return !set_and_not_empty("NO_COLOR") && !dumb && isatty(descriptor) == 1;
}

std::string Reporter::paint(std::string_view text, const char* code) const {
  if (!style_.color) return std::string(text);
  return std::string("\x1b[") + code + 'm' + std::string(text) + "\x1b[0m";
}

void Reporter::print(const Diagnostic& d) const {
  Diagnostic shown = d;
  shown.where.file = convert::visible(d.where.file);
  shown.message = convert::visible(d.message);
  for (std::string& note : shown.notes) note = convert::visible(note);
  if (style_.warnings_are_errors && shown.severity == Severity::warning) shown.severity = Severity::error;
  std::string text = convert::format_diagnostic(shown);
  std::string out;
  const std::string word = std::string(convert::severity_name(shown.severity)) + ':';
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    const std::string& label = first ? word : std::string("note:");
    // The label is the first match after the location; the message may contain the same word.
    const std::size_t at = line.find(label, convert::format_location(shown.where).size());
    const char* code = label == "error:" ? "1;31" : label == "warning:" ? "1;35" : "1;36";
    if (at != std::string::npos) line.replace(at, label.size(), paint(label, code));
    out += paint(style_.tool + ':', "1") + ' ' + line + '\n';
    if (first && style_.source) {
      const SourceLine source = read_source_line(d.where);
      if (!source.text.empty() && source.caret <= source.text.size()) {
        const std::string before = convert::visible(source.text.substr(0, source.caret));
        out += "  " + before + convert::visible(source.text.substr(source.caret)) + "\n  " +
               std::string(before.size(), ' ') + paint("^", "1;32") + '\n';
      }
    }
  }
  std::fputs(out.c_str(), stderr);
}

void Reporter::print_new(const convert::Diagnostics& diagnostics) {
  const auto fresh = std::span(diagnostics.all()).subspan(printed_);
  printed_ = diagnostics.all().size();
  for (const Diagnostic* const finding : convert::in_order_of_lines(fresh)) {
    const Diagnostic& d = *finding;
    const bool error =
        d.severity == Severity::error || (style_.warnings_are_errors && d.severity == Severity::warning);
    if (!error && style_.quiet) continue;
    Count& count = counts_[d.where.file];
    std::size_t& shown = error ? count.errors : count.warnings;
    if (style_.max_errors != 0 && shown >= style_.max_errors) {
      ++count.held_back;
      continue;
    }
    if (style_.max_errors != 0 && total_ >= total_factor * style_.max_errors) {
      ++total_held_back_;
      continue;
    }
    ++shown;
    ++total_;
    Diagnostic told = d;
    std::erase_if(told.notes,
                  [&](const std::string& n) { return n.starts_with("hint: ") && !hints_.insert(n).second; });
    print(told);
  }
}

void Reporter::print_held_back(const convert::Diagnostics& diagnostics) {
  const auto line = [&](const std::string& file, std::size_t n) {
    const std::string place = file.empty() ? "" : convert::visible(file) + ": ";
    std::fprintf(stderr, "%s %s\u2026 %zu more (use --max-errors 0)\n", paint(style_.tool + ':', "1").c_str(),
                 place.c_str(), n);
  };
  std::size_t others = total_held_back_;
  std::size_t lines = 0;
  for (const auto& [file, count] : counts_) {
    if (count.held_back == 0) continue;
    if (++lines <= total_factor) {
      line(file, count.held_back);
    } else {
      others += count.held_back;
    }
  }
  if (others > 0) line({}, others);
  if (diagnostics.dropped() > 0) {
    std::fprintf(stderr, "%s \u2026 %zu more were counted but not kept\n", paint(style_.tool + ':', "1").c_str(),
                 diagnostics.dropped());
  }
}

}  // namespace tools
