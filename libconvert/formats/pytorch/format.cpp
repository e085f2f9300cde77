// SPDX-License-Identifier: MIT
#include "formats/format.h"

#include "formats/kineto/kineto.h"
#include "formats/pytorch/pytorch.h"

namespace convert {

extern const Format pytorch_format;
const Format pytorch_format = {
    .name = "pytorch",
    .summary = "PyTorch host execution trace, linked or with its Kineto trace",
    .read_options = {{"device", "FILE", "Kineto trace of the same rank"},
                     {"gaps", "keep|drop", "keep: write the time between operators as delay nodes (default)"},
                     {"metadata-nodes", "keep", "write declarations of process groups as METADATA nodes"},
                     {"data-deps", "yes|no",
                      "add dependencies between writers and readers of a tensor (default: no)"},
                     {"reduce", "yes|no", "remove dependencies implied by others (default: no)"},
                     {"mismatched", "yes|no", "accept files of different processes (default: no)"},
                     {"compat", "chakra", "reproduce MLCommons Chakra's converter byte for byte"}},
    .sniff = sniff_pytorch,
    .linked = true,
};

extern const Format kineto_format;
const Format kineto_format = {
    .name = "kineto",
    .summary = "Kineto trace alone: the profiler's recording without the host trace",
    .read_options = {{"gaps", "keep|drop", "keep: write the time between operators as delay nodes (default)"},
                     {"reduce", "yes|no", "remove dependencies implied by others (default: no)"}},
    .sniff = sniff_kineto,
    .told_rank = told_rank_of_kineto,
    .linked = true,
};

}  // namespace convert
