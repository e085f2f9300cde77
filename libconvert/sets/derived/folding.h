// SPDX-License-Identifier: MIT
// Folds a set: keeps one rank of each rank class, with a table of the ranks that it represents.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "sets/classes/set.h"

namespace convert {

// Ranks belong to one class if their nodes differ only in values (core/master/master_set.h). The first rank of each
// class is kept, with its number.
class FoldedSet final : public SetSource {
 public:
  // Reads the source, which must outlive this, unless it is class-compressed.
  FoldedSet(SetSource& source, unsigned jobs) : source_(source), set_(source, jobs) {}

  [[nodiscard]] std::string base_name() const override { return source_.base_name(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return set_->classes.size(); }
  [[nodiscard]] bool many() override { return independent_ranks() > 1; }
  [[nodiscard]] bool whole_set() override { return false; }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return source_.groups(); }

  [[nodiscard]] std::uint64_t ranks() const { return set_->ranks(); }
  // Returns the table as JSON, {"0": [0, 1, 2], "3": [3]}: the ranks that each kept rank represents, including
  // itself.
  [[nodiscard]] std::string table() const;

 private:
  [[nodiscard]] std::unique_ptr<TraceReader> open(std::size_t first, std::size_t last) const;

  SetSource& source_;
  Classes set_;
};

}  // namespace convert
