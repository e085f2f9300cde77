// SPDX-License-Identifier: MIT
// Opens the streams of operands: files, trace sets by prefix, directories and tar archives that hold a set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/input.h"
#include "io/set_path.h"

namespace convert {

// One stream of an input set. `rank` is set if the name contains it ("ring.3.et", "ring.3.et.gz").
struct InputItem {
  std::unique_ptr<Input> input;
  std::optional<std::uint32_t> rank;
};

// Opens the streams of the command line's operands, in order. An operand is one of:
// - a file;
// - "-" (standard input);
// - a tar with members NAME.R.et in any order, or one NAME.etm before them, or R.json; other members are skipped,
//   see skipped();
// - a directory with exactly one set: ranks; without ranks, one NAME.etm, or files R.json;
// - the prefix of a set (ranks 0…N-1, or one rank), if no file has that name.
// The constructor throws Error(system) for an operand that does not exist, and Error(usage) if "-" is given twice.
// The constructor or next() throws Error(input) for a gap in a set (with the missing file; in a tar, at its end),
// two files of a rank, no set or two sets in a tar or directory, and everything that TarReader rejects.
class InputSet {
 public:
  // With `any_ranks`, a set may have gaps. A non-empty `groups_file` replaces the groups of the operands.
  explicit InputSet(std::vector<std::string> operands, bool any_ranks = false, const std::string& groups_file = {});
  ~InputSet();
  InputSet(const InputSet&) = delete;
  InputSet& operator=(const InputSet&) = delete;

  // Returns the next stream; nothing at the end. Invalidates the previous stream if it is a member of a tar.
  [[nodiscard]] std::optional<InputItem> next();

  struct File {
    std::string path;
    std::optional<std::uint32_t> rank;
  };
  // Returns all streams if they are files, which several threads may open in any order; empty if one is a tar, a
  // pipe or standard input.
  [[nodiscard]] const std::vector<File>& files() const;

  // Returns the base of output names: "ring" for ring.xml, ring.0.et, out/ring or a directory; "stdin" for "-".
  [[nodiscard]] std::string base_name() const;
  struct Groups {
    std::string name;  // "out/ring.groups.json", "a.tar(ring.groups.json)"
    std::string json;
  };
  // Returns the given groups file, or the groups file of the first set if there is one: PREFIX.groups.json, or a
  // tar's member of that name. In tars written by etkit this member comes first. In other tars it may come late;
  // then next() throws Error(input) if groups() was called before, so call groups() after the last next(). Both
  // throw Error(input) if the groups file exceeds 64 MiB.
  [[nodiscard]] const std::optional<Groups>& groups() const;
  // Returns the files and members of tars read so far whose names are almost names of ranks ("ring.07.et").
  [[nodiscard]] const NearRanks& near_ranks() const;
  // Returns the members of tars read so far that are not ranks, as "ARCHIVE(MEMBER)".
  [[nodiscard]] const std::vector<std::string>& skipped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
