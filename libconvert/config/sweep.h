// SPDX-License-Identifier: MIT
// Parses what a sweep varies: keys and their values, from a sweep file or a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

struct SweepValue {
  std::string text;
  Location where{};
};
struct SweepSetting {
  std::string key;
  Location where{};
  std::vector<SweepValue> values{};  // at least one, no two alike
  std::string option{};              // the option that gave it: "--sweep", "--size"; empty: a sweep file
};
// Returns the error's message, with its place before it if it has one.
[[nodiscard]] std::string with_place(const Error& e);
// Returns the error as one about a value: Error(input) at its place in a file, or Error(usage) with the option,
// except errors of files and of other kinds than Error(input), unless the option is --set or --sweep.
[[nodiscard]] Error located(const Error& e, const SweepSetting& setting, const SweepValue& value);
struct SweepConfig {
  std::vector<SweepSetting> base{};  // one value each
  std::vector<SweepSetting> axes{};  // in the order of the file
};

// Join the elements of a value that is a list, as "a;b", and stand for an empty list.
inline constexpr char element_separator = ';';
inline constexpr std::string_view no_elements = "none";

// All known keys; those that may end with a dimension's number, "bandwidth.0"; those whose values may be lists;
// those whose values may have options behind commas, "ring:8,bw=50GB/s".
struct SweepKeys {
  std::vector<std::string> keys;
  std::vector<std::string> per_dimension;
  std::vector<std::string> lists{};
  std::vector<std::string> with_options{};
  std::vector<std::string> plain_lists{};  // lists whose elements have no comma

  // Throws an Error of `kind` with the nearest key if `key` is unknown.
  void check(const std::string& key, const Location& where, Error::Kind kind) const;
};

// Parses a YAML map of `base` (optional; KEY: VALUE) and `sweep` (KEY: VALUE or KEY: [VALUE, …]). A VALUE of a
// key of keys.lists may be a YAML list itself. Throws Error(input) [sweep] with the place.
[[nodiscard]] SweepConfig parse_sweep(const std::string& file, std::string_view text, const SweepKeys& keys);

// Parses "KEY=VALUE,VALUE,…" of the option --sweep; where values may have options, NAME=TEXT is one of the value
// before it, unless it is a rule for collectives. Throws Error(usage).
[[nodiscard]] SweepSetting parse_sweep_option(std::string_view text, const SweepKeys& keys);
// Parses "KEY=VALUE" of the option --set: one value, in which commas separate the elements of a list. Throws
// Error(usage).
[[nodiscard]] SweepSetting parse_setting_option(std::string_view text, const SweepKeys& keys);

}  // namespace convert
