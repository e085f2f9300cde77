// SPDX-License-Identifier: MIT
// FlexFlow task graphs: whatever is read keeps the rules on traces and sets, is the same in small batches, and runs.
#include <cstdint>
#include <string>

#include "set_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;
}
