// SPDX-License-Identifier: MIT
#include "formats/format.h"

#include "formats/kineto/kineto.h"
#include "formats/pytorch/pytorch.h"

namespace convert {

extern const Format pytorch_format;
const Format pytorch_format = {
    .name = "pytorch",
    .summary = "PyTorch host execution trace, with its Kineto trace or linked",
    .read_options = {{"device", "FILE", "Kineto trace of the same rank"},
                     {"gaps", "keep|drop", "time between operators as delay nodes (default: keep)"},
                     {"metadata-nodes", "keep", "announcements of process groups as METADATA nodes"},
                     {"data-deps", "yes|no", "dependencies between tensors' writers and readers (default: no)"},
                     {"reduce", "yes|no", "without dependencies that others imply (default: no)"},
                     {"mismatched", "yes|no", "files of different processes all the same (default: no)"},
                     {"compat", "chakra", "as MLCommons Chakra converts, byte for byte"}},
    .sniff = sniff_pytorch,
    .linked = true,
};

extern const Format kineto_format;
const Format kineto_format = {
    .name = "kineto",
    .summary = "Kineto trace alone: what a profiler recorded, without the host trace",
    .read_options = {{"gaps", "keep|drop", "time between operators as delay nodes (default: keep)"},
                     {"reduce", "yes|no", "without dependencies that others imply (default: no)"}},
    .sniff = sniff_kineto,
    .told_rank = told_rank_of_kineto,
    .linked = true,
};

}  // namespace convert
