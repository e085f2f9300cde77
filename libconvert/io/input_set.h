// SPDX-License-Identifier: MIT
// Opens the streams that operands name: files, trace sets by prefix, directories and tar archives that hold a set.
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

// Opens in order the streams that the command line's operands name. An operand is a file; "-" (standard input); a
// tar (members NAME.R.et in any order, or one NAME.etm before them, or R.json; others are skipped, see skipped());
// a directory that holds exactly one set (without ranks one NAME.etm, or files R.json); or the prefix of a set
// (ranks 0…N-1, or one rank), if there is no file of that name. The constructor throws Error(system) for an operand
// that names nothing, Error(usage) for "-" twice. It or next() throws Error(input) for a gap in a set (with the
// missing file; of a tar, at its end), two files of a rank, no set or two in a tar or directory, and what TarReader
// refuses.
class InputSet {
 public:
  // With `any_ranks` a set may have gaps. A non-empty `groups_file` replaces the groups of the operands.
  explicit InputSet(std::vector<std::string> operands, bool any_ranks = false, const std::string& groups_file = {});
  ~InputSet();
  InputSet(const InputSet&) = delete;
  InputSet& operator=(const InputSet&) = delete;

  // Returns the next stream; nothing at the end. It ends the previous stream's life if that was a tar's member.
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
  // Returns the given groups file, or the groups file of the first set, if there is one: PREFIX.groups.json, or a
  // tar's member of that name. In tars of etkit it comes first; in others it may come late, and next() throws
  // Error(input) if groups() was called before: call it after the last next(). Both throw Error(input) if it has
  // more than 64 MiB.
  [[nodiscard]] const std::optional<Groups>& groups() const;
  // Returns files and members of tars, met so far, whose names are nearly those of ranks ("ring.07.et").
  [[nodiscard]] const NearRanks& near_ranks() const;
  // Returns members of tars, met so far, that are no ranks, as "ARCHIVE(MEMBER)".
  [[nodiscard]] const std::vector<std::string>& skipped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
