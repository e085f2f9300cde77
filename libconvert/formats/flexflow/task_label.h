// SPDX-License-Identifier: MIT
// Parser of the record label of a task, such as "{ npu_id=3 | NAME | … | COMP_NODE | runtime=0.00123 }".
//
// chakra  { key=RANK | NAME | TEXT | COMP_NODE | key=SECONDS }
//         { key=RANK | NAME | TEXT | COMM_SEND_RECV_NODE | key=SOURCE | key=DESTINATION | key=BYTES }
// stock   { NAME | TYPE | { START | END } } in milliseconds; an empty NAME is omitted with its bar
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

struct TaskLabel {
  Dialect dialect = Dialect::chakra;
  std::string name;
  std::string type;
  Rank owner = no_rank;  // first field of the chakra dialect
};

struct BadLabel {
  std::size_t offset;  // in the text of the label
  std::string message;
};

// Sets kind, ranks, bytes and times of `task`. `raw` is the text between the quotes, with joined lines resolved and
// all other escapes kept. Throws BadLabel.
void parse_label(std::string_view raw, TaskLabel& label, Task& task);

}  // namespace convert::flexflow
