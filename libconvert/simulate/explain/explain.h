// SPDX-License-Identifier: MIT
// Explanation of a node's start time: the chain of its causes, back to time 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/explain/causes.h"
#include "simulate/networks/network.h"
#include "simulate/program/program.h"
#include "simulate/waits/deadlock.h"

namespace convert {

struct Explanation {
  enum class What : std::uint8_t {
    compute,
    cpu,
    memory,      // an access to remote memory
    replayed,    // communication for the time recorded in the trace
    message,     // message of a send: over all links, or over `wire` alone
    receive,     // takes no time: the message had arrived before
    request,     // with rendezvous, request of a receive to its sender; has the fields of `message`
    requested,   // of a send; takes no time: the request had arrived before
    collective,  // activity of one collective, on several ranks
    delay,       // recorded delay: `node` was free, and begins after its start delay
  };
  // How the end of one step led to the beginning of the next.
  enum class Then : std::uint8_t {
    dependency,  // `next` depends on this step
    resource,    // `next` gets `slot`, which this step held
    indirect,    // `next` depends on this step through nodes that take no time
    offer,       // `next` was free and is tried again; by ASTRA-sim's rules also dependents of INVALID nodes
    wire,        // the message of `next` gets the link for which it waited
    memory,      // the remote memory serves `next` after this step
    chunk,       // a chunk of the collective `next` gets its slot
    go_on,       // `next` continues; it had started before
    begin,       // `next`, the node of this step, begins
    end,         // the replay ends
  };
  struct Step {
    What what = What::compute;
    NodeRef node{};  // for a collective: on the rank where the step ended
    std::string name{};
    Picoseconds begin = 0;
    Picoseconds time = 0;
    // Messages. For a collective: their number and sum, and the number that came from the queue of a link. The time
    // excludes the wait in the queue: the previous holder of the link is an earlier step.
    Rank to = 0;
    std::int64_t bytes = 0;
    std::string wire{};
    Picoseconds waited = 0;
    std::uint64_t messages = 0;
    std::uint64_t queued = 0;
    Picoseconds message_time = 0;
    // For collectives.
    Collective op = Collective::all_reduce;
    std::int64_t group = 0;
    std::uint32_t number = 0;

    Then then = Then::dependency;
    NodeRef next{};
    // Node whose end counted, if it is another node: a receive, a node of a collective.
    std::optional<NodeRef> through{};
    Slot slot = Slot::communication;
  };

  std::optional<NodeRef> target{};  // nothing: the end of the replay
  std::string name{};
  Picoseconds at = 0;
  std::vector<Step> steps{};  // latest first; each step ends where the previous one in the list begins
};
[[nodiscard]] std::string_view name(Explanation::What what);
[[nodiscard]] std::string_view name(Explanation::Then then);
// Returns how the end of a step led to the next step, for example "3:18 depends on it".
[[nodiscard]] std::string describe_then(const Explanation::Step& step);

class SystemState;

// Inputs of explain(); must outlive the call.
struct ExplainSources {
  const ReplayProgram& program;
  const SystemState& system;
  const Network& network;
  const std::vector<Causes::Detail>& chain;  // from time 0
  std::optional<Causes::Detail> target;      // see Causes::target(); nothing: the end of the replay
  Picoseconds at;                            // when the target started or the replay ended
};
// Returns the explanation, which contains copies of all its data.
[[nodiscard]] Explanation explain(const ExplainSources& sources);

// Append text for people (at most `max_steps` steps; 0: all), CSV with a line for each step, or a JSON object. The
// columns and keys are documented in et-simulation(7), RESULTS.
void append_text(const Explanation& e, std::string& out, std::size_t max_steps);
void append_csv(const Explanation& e, std::string& out);
void append_json(const Explanation& e, std::string& out);

}  // namespace convert
