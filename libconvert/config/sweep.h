// SPDX-License-Identifier: MIT
// Parameter sweeps: the varied keys and their values, from a sweep file or the command line.
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
  std::vector<SweepValue> values{};  // at least one, all different
  std::string option{};              // option that gave the setting: "--sweep", "--size"; empty: a sweep file
};
// Returns the error's message, prefixed with its location if it has one.
[[nodiscard]] std::string with_place(const Error& e);
// Returns the error as an error about a value: Error(input) at the value's location in a file, or Error(usage) with
// the option. Errors about files, and errors that are not Error(input), get no option unless it is --set or
// --sweep.
[[nodiscard]] Error located(const Error& e, const SweepSetting& setting, const SweepValue& value);
struct SweepConfig {
  std::vector<SweepSetting> base{};  // one value each
  std::vector<SweepSetting> axes{};  // in file order
};

// Separator of the elements of a list value, as "a;b", and the name of an empty list.
inline constexpr char element_separator = ';';
inline constexpr std::string_view no_elements = "none";

// All known keys; keys that may end with a dimension number ("bandwidth.0"); keys whose values may be lists; keys
// whose values may have options after commas ("ring:8,bw=50GB/s").
struct SweepKeys {
  std::vector<std::string> keys;
  std::vector<std::string> per_dimension;
  std::vector<std::string> lists{};
  std::vector<std::string> with_options{};
  std::vector<std::string> plain_lists{};  // lists whose elements have no comma

  // Throws an Error of `kind` with the nearest known key if `key` is unknown.
  void check(const std::string& key, const Location& where, Error::Kind kind) const;
};

// Parses a YAML map of `base` (optional; KEY: VALUE) and `sweep` (KEY: VALUE or KEY: [VALUE, …]). The VALUE of a
// key in keys.lists may itself be a YAML list. Throws Error(input) [sweep] with the location.
[[nodiscard]] SweepConfig parse_sweep(const std::string& file, std::string_view text, const SweepKeys& keys);

// Parses "KEY=VALUE,VALUE,…" of the option --sweep. For keys whose values may have options, NAME=TEXT is an
// option of the previous value unless it is a rule for collectives. Throws Error(usage).
[[nodiscard]] SweepSetting parse_sweep_option(std::string_view text, const SweepKeys& keys);
// Parses "KEY=VALUE" of the option --set: one value, in which commas separate the elements of a list. Throws
// Error(usage).
[[nodiscard]] SweepSetting parse_setting_option(std::string_view text, const SweepKeys& keys);

}  // namespace convert
