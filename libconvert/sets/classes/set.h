// SPDX-License-Identifier: MIT
// Class-compressed sets for writing and processing; each rank is expanded on demand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/master/builder.h"
#include "core/master/master_set.h"
#include "formats/master/master.h"
#include "sets/set_source.h"

namespace convert {

// Classes of a set: existing classes, or classes found by reading all ranks.
class Classes {
 public:
  // The set must outlive this object. Throws Error(input) if a rank read is repeated.
  Classes(SetSource& source, unsigned jobs) : set_(source.master()) {
    if (set_ != nullptr) return;
    MasterBuilder builder;
    source.for_each_trace(jobs, [&](Trace&& t) {
      builder.begin_rank(t.rank, t.metadata);
      builder.nodes(t.nodes);
      builder.end_rank();
    });
    set_ = &made_.emplace(builder.finish());
  }
  Classes(const Classes&) = delete;
  Classes& operator=(const Classes&) = delete;
  [[nodiscard]] const MasterSet& operator*() const { return *set_; }
  [[nodiscard]] const MasterSet* operator->() const { return set_; }

 private:
  const MasterSet* set_;
  std::optional<MasterSet> made_;
};

class ClassSet : public SetSource {
 public:
  // File names begin with `name`.
  ClassSet(std::string name, MasterSet set) : name_(std::move(name)), set_(std::move(set)) {}

  [[nodiscard]] std::string base_name() const override { return name_; }
  [[nodiscard]] bool many() override { return set_.ranks() > 1; }
  [[nodiscard]] std::size_t independent_ranks() const override { return set_.ranks(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override {
    return open_master(set_, name_, static_cast<Rank>(i), static_cast<Rank>(i + 1));
  }
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override {
    return open_master(set_, name_, 0, static_cast<Rank>(set_.ranks()));
  }
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override {
    if (set_.groups.empty()) return std::nullopt;
    return InputSet::Groups{name_ + ".groups.json", set_.groups};
  }
  [[nodiscard]] const MasterSet* master() const override { return &set_; }

 private:
  std::string name_;
  MasterSet set_;
};

}  // namespace convert
