// SPDX-License-Identifier: MIT
// Metadata attributes under "msccl." that carry an algorithm's header through a trace.
#pragma once

#include <string_view>

#include "core/name.h"

namespace convert::msccl {

inline constexpr std::string_view prefix = "msccl.";
inline constexpr std::string_view gpu_prefix = "msccl.gpu.";  // further attributes of <gpu>

// step_type of a node that stands for a <copy> element, which is no step of a threadblock.
inline constexpr std::string_view copy_step = "copy";

inline const Name algo_name{std::string_view("msccl.name")};
inline const Name proto{std::string_view("msccl.proto")};
inline const Name nchannels{std::string_view("msccl.nchannels")};
inline const Name nchunksperloop{std::string_view("msccl.nchunksperloop")};
inline const Name ngpus{std::string_view("msccl.ngpus")};
inline const Name coll{std::string_view("msccl.coll")};
inline const Name inplace{std::string_view("msccl.inplace")};
inline const Name outofplace{std::string_view("msccl.outofplace")};
inline const Name min_bytes{std::string_view("msccl.minBytes")};
inline const Name max_bytes{std::string_view("msccl.maxBytes")};
inline const Name i_chunks{std::string_view("msccl.i_chunks")};
inline const Name o_chunks{std::string_view("msccl.o_chunks")};
inline const Name s_chunks{std::string_view("msccl.s_chunks")};
inline const Name tb_send{std::string_view("msccl.tb_send")};
inline const Name tb_recv{std::string_view("msccl.tb_recv")};
inline const Name tb_chan{std::string_view("msccl.tb_chan")};
inline const Name copy_i_off{std::string_view("msccl.copy_i_off")};
inline const Name copy_o_off{std::string_view("msccl.copy_o_off")};

}  // namespace convert::msccl
