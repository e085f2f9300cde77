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

// The streams that the command line's operands name, in order:
//   a file; "-" (standard input); a tar (each member NAME.R.et, any order; other members are skipped and listed in
//   skipped()); a directory that holds exactly one set; a prefix of a set (ranks 0…N-1, or one rank).
// An existing file wins over a prefix. A gap in a set is an Error(input) that names the missing file; so are a tar
// without its two end blocks, a member with an absolute name or "..", two ranks of one number, two sets in one tar
// or directory, an empty directory. What a tar lacks shows at its end: next() throws then.
// Error(system): an operand that names nothing. Error(usage): "-" twice.
class InputSet {
 public:
  // With `any_ranks` a set may have gaps.
  explicit InputSet(std::vector<std::string> operands, bool any_ranks = false);
  ~InputSet();
  InputSet(const InputSet&) = delete;
  InputSet& operator=(const InputSet&) = delete;

  // Returns the next stream, or none at the end. The previous item's stream ends then if it was a tar member.
  [[nodiscard]] std::optional<InputItem> next();

  // Returns the paths of all streams if they are independent files, which several threads may open in any order;
  // nothing if one is a tar or standard input. Looks into files only to see whether they are a tar.
  struct File {
    std::string path;
    std::optional<std::uint32_t> rank;
  };
  [[nodiscard]] const std::vector<File>& files() const;

  // Returns the base of output names: "ring" for ring.xml, ring.0.et, out/ring or a directory; "stdin" for "-".
  [[nodiscard]] std::string base_name() const;
  // Returns the groups file of the first operand that is a set: prefix.groups.json beside it, or the member
  // NAME.groups.json of a tar, if there is one. A tar of etkit begins with it; a tar packed by others may have it
  // later: ask after the last next(), which throws Error(input) if it was asked too early or has more than 64 MiB.
  struct Groups {
    std::string name;  // "out/ring.groups.json", "a.tar(ring.groups.json)"
    std::string json;
  };
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
