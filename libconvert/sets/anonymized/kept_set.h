// SPDX-License-Identifier: MIT
// A set that can be read repeatedly, made from a set that may be a stream.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sets/derived/kept_ranks.h"
#include "sets/set_source.h"

namespace convert {

// Stores the ranks of a stream; reads ranks of files again. An algorithm appears as the traces lowered from it.
class KeptSet final : public SetSource {
 public:
  // `source` must outlive this object.
  KeptSet(SetSource& source, unsigned jobs)
      : source_(source),
        ranks_(source, jobs),
        held_(source.independent_ranks() == 0 || source.groups_come_late()) {}

  [[nodiscard]] std::string base_name() const override { return source_.base_name(); }
  [[nodiscard]] bool many() override { return ranks_.size() > 1; }
  [[nodiscard]] bool whole_set() override { return source_.whole_set(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return ranks_.size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return source_.groups(); }
  [[nodiscard]] bool has_subgroups() const override { return source_.has_subgroups(); }
  [[nodiscard]] const WorldSizes* world_sizes() const override { return source_.world_sizes(); }
  [[nodiscard]] const MasterSet* master() const override { return source_.master(); }

 private:
  [[nodiscard]] std::unique_ptr<TraceReader> open(std::size_t next, std::size_t end);

  SetSource& source_;
  KeptRanks ranks_;
  bool held_;
};

}  // namespace convert
