// SPDX-License-Identifier: MIT
#include "machine/constants.h"

#include <array>

namespace convert {
namespace {

constexpr double us = 1000;  // in ns
using Costs = LibraryCosts;

constexpr auto constants = std::to_array<LibraryConstant>({
    {"launch", "", ConstantUnit::time, ConstantGroup::ring, 2 * us, 400 * us,
     [](Costs& c) -> double& { return c.launch_ns; }},
    {"ring.LL", "step", ConstantUnit::time, ConstantGroup::ring, 0.1 * us, 12 * us,
     [](Costs& c) -> double& { return c.ring.LL.step_ns; }},
    {"ring.LL", "share", ConstantUnit::share, ConstantGroup::ring, 0.02, 1,
     [](Costs& c) -> double& { return c.ring.LL.share; }},
    {"ring.LL128", "step", ConstantUnit::time, ConstantGroup::ring, 0.1 * us, 20 * us,
     [](Costs& c) -> double& { return c.ring.LL128.step_ns; }},
    {"ring.LL128", "share", ConstantUnit::share, ConstantGroup::ring, 0.02, 1,
     [](Costs& c) -> double& { return c.ring.LL128.share; }},
    {"ring.Simple", "step", ConstantUnit::time, ConstantGroup::ring, 0.1 * us, 30 * us,
     [](Costs& c) -> double& { return c.ring.Simple.step_ns; }},
    {"ring.Simple", "share", ConstantUnit::share, ConstantGroup::ring, 0.02, 1,
     [](Costs& c) -> double& { return c.ring.Simple.share; }},
    {"copy", "", ConstantUnit::rate, ConstantGroup::ring, 50, 20'000,
     [](Costs& c) -> double& { return c.copy_bytes_per_ns; }},
    {"reduce", "", ConstantUnit::rate, ConstantGroup::ring, 50, 20'000,
     [](Costs& c) -> double& { return c.reduce_bytes_per_ns; }},
    {"tree.LL", "step", ConstantUnit::time, ConstantGroup::tree, 0.1 * us, 60 * us,
     [](Costs& c) -> double& { return c.tree[0].step_ns; }},
    {"tree.LL", "share", ConstantUnit::share, ConstantGroup::tree, 0.01, 0.6,
     [](Costs& c) -> double& { return c.tree[0].share; }},
    {"tree.Simple", "step", ConstantUnit::time, ConstantGroup::tree, 0.1 * us, 60 * us,
     [](Costs& c) -> double& { return c.tree[1].step_ns; }},
    {"tree.Simple", "share", ConstantUnit::share, ConstantGroup::tree, 0.01, 0.6,
     [](Costs& c) -> double& { return c.tree[1].share; }},
    {"nvls.latency", "", ConstantUnit::time, ConstantGroup::nvls, 3 * us, 100 * us,
     [](Costs& c) -> double& { return c.nvls->latency_ns; }},
    {"nvls.depth", "", ConstantUnit::number, ConstantGroup::nvls, 0.5, 12,
     [](Costs& c) -> double& { return c.nvls->depth; }},
    {"nvls.sync", "", ConstantUnit::time, ConstantGroup::nvls, 0.05 * us, 20 * us,
     [](Costs& c) -> double& { return c.nvls->sync_ns; }},
    {"nvls.share", "", ConstantUnit::share, ConstantGroup::nvls, 0.1, 1,
     [](Costs& c) -> double& { return c.nvls->share; }},
    {"messages.launch", "", ConstantUnit::time, ConstantGroup::messages, 2 * us, 600 * us,
     [](Costs& c) -> double& { return c.messages.launch_ns; }},
    {"messages.LL", "step", ConstantUnit::time, ConstantGroup::messages, 0.02 * us, 5 * us,
     [](Costs& c) -> double& { return c.messages.LL.step_ns; }},
    {"messages.LL", "share", ConstantUnit::share, ConstantGroup::messages, 0.01, 1,
     [](Costs& c) -> double& { return c.messages.LL.share; }},
    {"messages.Simple", "step", ConstantUnit::time, ConstantGroup::messages, 0.02 * us, 5 * us,
     [](Costs& c) -> double& { return c.messages.Simple.step_ns; }},
    {"messages.Simple", "share", ConstantUnit::share, ConstantGroup::messages, 0.01, 1,
     [](Costs& c) -> double& { return c.messages.Simple.share; }},
    {"messages.copy", "", ConstantUnit::rate, ConstantGroup::messages, 50, 20'000,
     [](Costs& c) -> double& { return c.messages.copy_bytes_per_ns; }},
    {"across.LL", "step", ConstantUnit::time, ConstantGroup::across, 0.5 * us, 300 * us,
     [](Costs& c) -> double& { return c.across.ring.LL.step_ns; }},
    {"across.LL", "share", ConstantUnit::share, ConstantGroup::across, 0.01, 1,
     [](Costs& c) -> double& { return c.across.ring.LL.share; }},
    {"across.LL128", "step", ConstantUnit::time, ConstantGroup::across, 0.5 * us, 300 * us,
     [](Costs& c) -> double& { return c.across.ring.LL128.step_ns; }},
    {"across.LL128", "share", ConstantUnit::share, ConstantGroup::across, 0.02, 1,
     [](Costs& c) -> double& { return c.across.ring.LL128.share; }},
    {"across.Simple", "step", ConstantUnit::time, ConstantGroup::across, 0.5 * us, 300 * us,
     [](Costs& c) -> double& { return c.across.ring.Simple.step_ns; }},
    {"across.Simple", "share", ConstantUnit::share, ConstantGroup::across, 0.05, 1,
     [](Costs& c) -> double& { return c.across.ring.Simple.share; }},
    {"across.depth", "", ConstantUnit::number, ConstantGroup::across, 0.1, 20,
     [](Costs& c) -> double& { return c.across.depth; }},
    {"across.messages", "step", ConstantUnit::time, ConstantGroup::across_messages, 0.5 * us, 400 * us,
     [](Costs& c) -> double& { return c.across.messages.step_ns; }},
    {"across.messages", "share", ConstantUnit::share, ConstantGroup::across_messages, 0.05, 1,
     [](Costs& c) -> double& { return c.across.messages.share; }},
});

}  // namespace

std::string LibraryConstant::name() const {
  return std::string(key) + (part.empty() ? "" : "." + std::string(part));
}

std::span<const LibraryConstant> library_constants() { return constants; }

}  // namespace convert
