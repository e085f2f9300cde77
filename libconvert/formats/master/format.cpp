// SPDX-License-Identifier: MIT
#include "formats/format.h"

#include <utility>

#include "core/master/builder.h"
#include "formats/master/layout.h"
#include "formats/master/master.h"

namespace convert {
namespace {

bool sniff_master(std::string_view head) { return head.starts_with(master_file::kind.magic); }

// Creates the nodes of a rank on demand, all at once.
class MasterReader final : public TraceReader {
 public:
  MasterReader(const MasterSet& set, std::string file, Rank first, Rank last)
      : set_(set), file_(std::move(file)), next_(first), last_(last) {}

  bool next_rank(Trace& out) override {
    if (next_ == last_) return false;
    place_ = set_.place(next_++);
    out = set_.head(place_, file_);
    has_nodes_ = true;
    return true;
  }
  bool next_nodes(Trace& out, std::size_t /*max_nodes*/) override {
    out.nodes.clear();
    if (std::exchange(has_nodes_, false)) set_.nodes(place_, file_, out.nodes);
    return !out.nodes.nodes.empty();
  }

 private:
  const MasterSet& set_;
  std::string file_;
  Rank next_, last_;
  MasterSet::Place place_;
  bool has_nodes_ = false;
};

class MasterFile final : public DescribedSet {
 public:
  MasterFile(MasterSet set, std::string file) : set_(std::move(set)), file_(std::move(file)) {}

  [[nodiscard]] Rank ranks() const override { return static_cast<Rank>(set_.ranks()); }
  [[nodiscard]] std::unique_ptr<TraceReader> open(Rank first, Rank last) const override {
    return open_master(set_, file_, first, last);
  }
  [[nodiscard]] const MasterSet* master() const override { return &set_; }

 private:
  MasterSet set_;
  std::string file_;
};

std::unique_ptr<DescribedSet> read_classes(std::string text, const std::string& file,
                                           const FormatOptions& /*options*/, Diagnostics& /*diagnostics*/) {
  const std::string held = std::move(text);
  const auto input = memory_input(file, held);
  return std::make_unique<MasterFile>(read_master(*input), file);
}

// Collects the set and writes it at the end.
class MasterWriter final : public TraceWriter {
 public:
  bool take_groups(std::string_view json) override {
    groups_ = json;
    return true;
  }
  void begin_rank(const Trace& head, std::size_t /*ordinal*/, bool /*many*/, std::string& /*out*/) override {
    builder_.begin_rank(head.rank, head.metadata);
  }
  void nodes(const Trace& batch, std::string& /*out*/) override { builder_.nodes(batch.nodes); }
  void end_rank(std::string& /*out*/) override { builder_.end_rank(); }
  void end_set(bool /*many*/, std::string& out) override {
    MasterSet set = builder_.finish();
    set.groups = std::move(groups_);
    const auto to = memory_output(out);
    write_master(set, *to);
    to->close();
  }

 private:
  MasterBuilder builder_;
  std::string groups_;
};

std::unique_ptr<TraceWriter> write_collected(const FormatOptions& /*options*/) {
  return std::make_unique<MasterWriter>();
}

}  // namespace

std::unique_ptr<TraceReader> open_master(const MasterSet& set, const std::string& file, Rank first, Rank last) {
  return std::make_unique<MasterReader>(set, file, first, last);
}

extern const Format master_format;
const Format master_format = {
    .name = "master",
    .summary = "class-compressed trace set: ranks with equal structure are stored once",
    .suffixes = {".etm"},
    .sniff = sniff_master,
    .read_set = read_classes,
    .write = write_collected,
    .write_master = write_master,
};

}  // namespace convert
