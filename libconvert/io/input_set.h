// SPDX-License-Identifier: MIT
// The streams that operands name: files, trace sets by prefix, directories and tar archives that hold a set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/input.h"
#include "io/set_path.h"

namespace convert {

// One stream of an input set. `rank` is set when the name says it ("ring.3.et", "ring.3.et.gz").
struct InputItem {
  std::unique_ptr<Input> input;
  std::optional<std::uint32_t> rank;
};

// The streams that the command line's operands name, in order:
//   a file; "-" (standard input); a tar (each member NAME.R.et, any order; other members are skipped and listed in
//   skipped()); a directory that holds exactly one set; a prefix of a set (ranks 0…N-1, or one rank).
// An existing file wins over a prefix. A gap in a set is an Error(input) that names the missing file; so are a tar
// without its two end blocks, a member with an absolute name or "..", two ranks of one number, two sets in one tar
// or directory, an empty directory. What a tar lacks shows at its end: next() throws then.
// Error(system): an operand that names nothing. Error(usage): "-" twice.
class InputSet {
 public:
  // With `any_ranks` gaps are no errors.
  explicit InputSet(std::vector<std::string> operands, bool any_ranks = false);
  ~InputSet();
  InputSet(const InputSet&) = delete;
  InputSet& operator=(const InputSet&) = delete;

  // The next stream, or none at the end. The previous item's stream is gone then if it was a tar member.
  [[nodiscard]] std::optional<InputItem> next();

  // Paths of all streams if they are independent files (no tar, no standard input): they may then be opened in
  // any order, also by several threads. Empty otherwise. Looks into files only to see whether they are a tar.
  struct File {
    std::string path;
    std::optional<std::uint32_t> rank;
  };
  [[nodiscard]] const std::vector<File>& files() const;

  // The base for output names: "ring" for ring.xml, ring.0.et, a prefix out/ring or a directory; "stdin" for "-".
  [[nodiscard]] std::string base_name() const;
  // Of the first operand that is a set: prefix.groups.json beside it, or the member NAME.groups.json of a tar, if
  // there is one. In a tar of ours it comes first and is known at once. A tar packed by others may have it later:
  // ask after the last next() then; to have asked too early is an Error(input) from next(). So is a text of more
  // than 64 MiB.
  struct Groups {
    std::string name;  // "out/ring.groups.json", "a.tar(ring.groups.json)"
    std::string json;
  };
  [[nodiscard]] const std::optional<Groups>& groups() const;
  // Files and members of tars that are named like ranks and are none, as far as they were met.
  [[nodiscard]] const NearRanks& near_ranks() const;
  // Members of tars that are no ranks, as "ARCHIVE(MEMBER)", as far as they were read.
  [[nodiscard]] const std::vector<std::string>& skipped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
