// SPDX-License-Identifier: MIT
// The constants of a collective library: keys of machine files, with units and bounds. Machine files and
// calibration use this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "machine/machine.h"

namespace convert {

enum class ConstantUnit : std::uint8_t { time, share, rate, number };  // ns, part of 1, bytes per ns, bare

// Parts of a calibration, in its order: rings, trees and in-switch reductions of a node; messages of a node; these
// over several nodes.
enum class ConstantGroup : std::uint8_t { ring, tree, nvls, messages, across, across_messages };

struct LibraryConstant {
  std::string_view key;   // path in the map `library`: "ring.LL"
  std::string_view part;  // "step" or "share" of a pair [TIME, SHARE]; else empty
  ConstantUnit unit;
  ConstantGroup group;
  double low;  // bounds, in the unit
  double high;
  // Returns the constant; a constant of nvls requires `costs` with nvls. The value in LibraryCosts{} is the
  // default.
  double& (*of)(LibraryCosts& costs);

  // Returns "ring.LL.step", "launch".
  [[nodiscard]] std::string name() const;
};
// Returns all, in the order of a calibration.
[[nodiscard]] std::span<const LibraryConstant> library_constants();

}  // namespace convert
