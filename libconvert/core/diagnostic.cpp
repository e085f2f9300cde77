// SPDX-License-Identifier: MIT
#include "core/diagnostic.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace convert {

namespace {

// Replaces null characters, at which what() would end.
std::string without_nulls(const std::string& message) {
  std::string out;
  for (const char c : message) c == '\0' ? out += "\\x00" : out += c;
  return out;
}

// Returns the only candidate that fits, or an empty text.
template <class Fits>
std::string only_one(const std::vector<std::string>& candidates, const Fits& fits) {
  const auto first = std::ranges::find_if(candidates, fits);
  if (first == candidates.end() || std::find_if(first + 1, candidates.end(), fits) != candidates.end()) return {};
  return *first;
}

// Returns true if `full` has the letters of `word` in that order and begins with the first: bw, bandwidth.
bool shortens(std::string_view word, std::string_view full) {
  if (!full.starts_with(word[0])) return false;
  std::size_t found = 0;
  for (const char c : full) found += found < word.size() && word[found] == c ? 1 : 0;
  return found == word.size();
}

}  // namespace

Error::Error(Kind kind, Location where, const std::string& message, std::string rule)
    : std::runtime_error(without_nulls(message)), kind_(kind), where_(std::move(where)), rule_(std::move(rule)) {}

Error input_error(Location where, const std::string& message, std::string rule) {
  return {Error::Kind::input, std::move(where), message, std::move(rule)};
}

Error system_error(const std::string& subject, int error_number) {
  return {Error::Kind::system, Location{.file = subject}, std::strerror(error_number)};
}

Error usage_error(const std::string& message) { return {Error::Kind::usage, {}, message}; }

void Diagnostics::add(Diagnostic d) {
  const bool wanted = !wanted_ || wanted_(d);
  const std::lock_guard lock(mutex_);
  if (!wanted) {
    refused_errors_ += d.severity == Severity::error ? 1 : 0;
    return;
  }
  errors_ += d.severity == Severity::error ? 1 : 0;
  warnings_ += d.severity == Severity::warning ? 1 : 0;
  if (keep_ != 0 && all_.size() >= keep_) {
    ++dropped_;
  } else {
    all_.push_back(std::move(d));
  }
}

void Diagnostics::error(Location where, std::string_view rule, std::string message,
                        std::vector<std::string> notes) {
  add({Severity::error, std::move(where), std::string(rule), std::move(message), std::move(notes)});
}

void Diagnostics::warning(Location where, std::string_view rule, std::string message,
                          std::vector<std::string> notes) {
  add({Severity::warning, std::move(where), std::string(rule), std::move(message), std::move(notes)});
}

void Diagnostics::append(Diagnostics& other) {
  const std::size_t errors = other.errors_;
  const std::size_t warnings = other.warnings_;
  std::size_t kept_errors = 0;
  std::size_t kept_warnings = 0;
  for (Diagnostic& d : other.all_) {
    kept_errors += d.severity == Severity::error ? 1 : 0;
    kept_warnings += d.severity == Severity::warning ? 1 : 0;
    add(std::move(d));
  }
  errors_ += errors - kept_errors;
  warnings_ += warnings - kept_warnings;
  dropped_ += other.dropped_;
  refused_errors_ += other.refused_errors_;
  other.all_.clear();
  other.errors_ = other.warnings_ = other.dropped_ = other.refused_errors_ = 0;
}

std::unique_ptr<Diagnostics> Diagnostics::sibling() const {
  auto other = std::make_unique<Diagnostics>(keep_);
  other->wanted_ = wanted_;
  return other;
}

std::string_view severity_name(Severity severity) { return severity == Severity::warning ? "warning" : "error"; }

std::string format_location(const Location& where) {
  std::string out = where.file;
  if (where.line != 0) {
    out += ':' + std::to_string(where.line);
    if (where.column != 0) out += ':' + std::to_string(where.column);
  } else if (where.offset >= 0) {
    char text[32];
    std::snprintf(text, sizeof text, ":@0x%llx", static_cast<unsigned long long>(where.offset));
    out += text;
  }
  return out;
}

std::string format_diagnostic(const Diagnostic& d) {
  std::string place = format_location(d.where);
  if (!place.empty()) place += ": ";
  std::string out = place;
  out += severity_name(d.severity);
  out += ": ";
  out += d.message;
  if (!d.rule.empty()) out += " [" + d.rule + "]";
  for (const std::string& note : d.notes) out.append("\n").append(place).append("note: ").append(note);
  return out;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() < 2) return {};  // one letter is similar to every other letter
  std::string best = only_one(candidates, [&](const std::string& c) { return c.starts_with(word); });
  if (!best.empty()) return best;
  // Candidates at a greater distance are not helpful.
  const std::size_t limit = word.size() < 4 ? 1 : word.size() < 7 ? 2 : word.size() / 3;
  std::size_t best_distance = limit + 1;
  std::vector<std::size_t> row;
  for (const std::string& candidate : candidates) {
    row.resize(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t substitute = diagonal + (word[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  return only_one(candidates, [&](const std::string& c) { return shortens(word, c); });
}

}  // namespace convert
