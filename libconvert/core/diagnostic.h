// SPDX-License-Identifier: MIT
// Findings and failures: location, severity, next step. The library reports them; only tools print.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

enum class Severity : std::uint8_t { warning, error };

// Location of a finding, as far as it is known. Text has line and column, from 1; binary input has a byte offset.
struct Location {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::int64_t offset = -1;
  std::int64_t rank = -1;
  std::int64_t node = -1;
};

struct Diagnostic {
  Severity severity = Severity::error;
  Location where;
  std::string rule;  // stable name such as "deps"; empty for plain failures
  std::string message;
  std::vector<std::string> notes;  // further lines: a chain of nodes, the next step to take
};

// Failure that stops the work. Tools exit with status 1 for input, with 2 for system and usage.
class Error : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { input, system, usage };
  Error(Kind kind, Location where, const std::string& message, std::string rule = {});
  explicit Error(const std::string& message) : Error(Kind::input, {}, message) {}
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const Location& where() const noexcept { return where_; }
  [[nodiscard]] const std::string& rule() const noexcept { return rule_; }

 private:
  Kind kind_;
  Location where_;
  std::string rule_;
};

// Return an Error of each kind. A system error has `subject` as its file, and the message of an errno.
[[nodiscard]] Error input_error(Location where, const std::string& message, std::string rule = {});
[[nodiscard]] Error system_error(const std::string& subject, int error_number);
[[nodiscard]] Error usage_error(const std::string& message);

// Collects findings in the order of their reports. Counts the findings that `wanted` accepts, and keeps the first
// `keep` of these (0: all), so that a billion defects cannot fill memory. Thread-safe: add(), error(), warning(),
// append() and the counts. Not thread-safe while findings are added: set_wanted() and all().
class Diagnostics {
 public:
  using Wanted = std::function<bool(const Diagnostic&)>;
  explicit Diagnostics(std::size_t keep = 10'000) : keep_(keep) {}
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;

  void add(Diagnostic d);
  void error(Location where, std::string_view rule, std::string message, std::vector<std::string> notes = {});
  void warning(Location where, std::string_view rule, std::string message, std::vector<std::string> notes = {});
  // Sets the filter of findings that are counted and kept from now on. By default all are.
  void set_wanted(Wanted wanted) { wanted_ = std::move(wanted); }
  // Returns an empty collector with the same limit and filter.
  [[nodiscard]] std::unique_ptr<Diagnostics> sibling() const;
  // Moves the findings and counts of `other` after the own ones. `other` is a sibling that no other thread uses.
  void append(Diagnostics& other);

  [[nodiscard]] std::size_t errors() const noexcept { return errors_; }
  [[nodiscard]] std::size_t warnings() const noexcept { return warnings_; }
  // Returns the number of findings that were counted but not kept.
  [[nodiscard]] std::size_t dropped() const noexcept { return dropped_; }
  // Returns the number of errors that the filter rejected, for callers that must stop nevertheless.
  [[nodiscard]] std::size_t refused_errors() const noexcept { return refused_errors_; }
  [[nodiscard]] const std::vector<Diagnostic>& all() const noexcept { return all_; }

 private:
  std::mutex mutex_;
  std::vector<Diagnostic> all_;
  std::size_t keep_;
  Wanted wanted_;
  std::atomic<std::size_t> errors_ = 0;
  std::atomic<std::size_t> warnings_ = 0;
  std::atomic<std::size_t> dropped_ = 0;
  std::atomic<std::size_t> refused_errors_ = 0;
};

// Returns "ring.xml:12:5", "ring.3.et:@0x1a2f", "ring.3.et", or "" if nothing is known.
[[nodiscard]] std::string format_location(const Location& where);
// Returns "LOCATION: error: message [rule]", without the tool's name; notes follow as lines "LOCATION: note: …".
[[nodiscard]] std::string format_diagnostic(const Diagnostic& d);
[[nodiscard]] std::string_view severity_name(Severity severity);

// Returns the candidate to suggest for an unknown word: the only one that begins with it, else the first at the
// least edit distance, else the only one that it shortens (bw: bandwidth). Returns an empty text if none is close
// enough.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace convert
