// SPDX-License-Identifier: MIT
// Prints diagnostics on standard error: "et-validate: ring.xml:12:5: error: message [rule]".
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/diagnostic.h"

namespace tools {

// Returns whether to colour a stream. `choice` is auto, always or never; auto depends on the terminal, NO_COLOR and
// TERM.
[[nodiscard]] bool use_color(std::string_view choice, int descriptor);

class Reporter {
 public:
  struct Style {
    std::string tool;
    bool color = false;
    bool source = false;  // show the source line and a caret, if the file is text
    bool quiet = false;   // no warnings and notes
    bool warnings_are_errors = false;
    std::size_t max_errors = 20;  // messages per file and severity, ten times as many in total; 0: all
  };

  explicit Reporter(Style style) : style_(std::move(style)) {}

  // Prints what was added since the last call, each hint once.
  void print_new(const convert::Diagnostics& diagnostics);
  // Skips what was added since the last call: it was printed by other means.
  void skip_new(const convert::Diagnostics& diagnostics) { printed_ = diagnostics.all().size(); }
  // Prints the number of suppressed messages, by file.
  void print_held_back(const convert::Diagnostics& diagnostics);
  void print(const convert::Diagnostic& d) const;

 private:
  struct Count {
    std::size_t errors = 0;
    std::size_t warnings = 0;
    std::size_t held_back = 0;
  };
  [[nodiscard]] std::string paint(std::string_view text, const char* code) const;

  Style style_;
  std::size_t printed_ = 0;
  std::map<std::string, Count> counts_;
  std::set<std::string> hints_;  // already printed
  std::size_t total_ = 0;
  std::size_t total_held_back_ = 0;
};

}  // namespace tools
