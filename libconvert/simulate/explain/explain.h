// SPDX-License-Identifier: MIT
// Explains why a node started when it did, by the chain of what it waited for, back to time 0.
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
    replayed,    // communication for the time that the trace says
    message,     // of a send: over all wires, or over `wire` alone
    receive,     // takes no time: the message was there already
    request,     // with rendezvous, of a receive: as `message`, to its sender
    requested,   // of a send; takes no time: the request was there already
    collective,  // what one collective did, on several ranks
    delay,       // of what was recorded: `node` could have begun, and begins after its start delay
  };
  // Says how the end of one step led to the beginning of the next.
  enum class Then : std::uint8_t {
    dependency,  // `next` depends on it
    resource,    // `next` gets `slot`, which it held
    indirect,    // `next` depends on it through nodes that take no time
    offer,       // `next` was free and is tried again; so is, by ASTRA-sim's rules, what INVALID nodes free
    wire,        // the message of `next` gets the wire, for which it waited
    memory,      // `next` is served next by the remote memory
    chunk,       // a chunk of `next`, a collective, gets its place
    go_on,       // `next` goes on, which had started before
    begin,       // `next` begins, which is the node of this step
    end,         // the replay ends
  };
  struct Step {
    What what = What::compute;
    NodeRef node{};  // of a collective: on the rank where the step ended
    std::string name{};
    Picoseconds begin = 0;
    Picoseconds time = 0;
    // Messages; a collective has their number and sum, and how many came from the queue of a wire. The wait there
    // is not part of the time: what had the wire meanwhile is an earlier step.
    Rank to = 0;
    std::int64_t bytes = 0;
    std::string wire{};
    Picoseconds waited = 0;
    std::uint64_t messages = 0;
    std::uint64_t queued = 0;
    Picoseconds message_time = 0;
    // Collectives.
    Collective op = Collective::all_reduce;
    std::int64_t group = 0;
    std::uint32_t number = 0;

    Then then = Then::dependency;
    NodeRef next{};
    // The node whose end counted, if it is another: a receive, a collective's part.
    std::optional<NodeRef> through{};
    Slot slot = Slot::communication;
  };

  std::optional<NodeRef> target{};  // nothing: the end of the replay
  std::string name{};
  Picoseconds at = 0;
  std::vector<Step> steps{};  // the latest first; each ends where the one before it in the list begins
};
[[nodiscard]] std::string_view name(Explanation::What what);
[[nodiscard]] std::string_view name(Explanation::Then then);
// Returns how the end of a step led to the next: "3:18 depends on it".
[[nodiscard]] std::string describe_then(const Explanation::Step& step);

class SystemState;

// Refers to what an explanation is made of.
struct ExplainSources {
  const ReplayProgram& program;
  const SystemState& system;
  const Network& network;
  const std::vector<Causes::Detail>& chain;  // from time 0 on
  std::optional<Causes::Detail> target;      // of Causes::target(); nothing: the end of the replay
  Picoseconds at;                            // when the target started or the replay ended
};
// Returns the explanation, which holds copies of all that it needs.
[[nodiscard]] Explanation explain(const ExplainSources& sources);

// Append text for people (at most `max_steps` steps; 0: all), CSV with a line for each step, or a JSON object.
// et-replay(1), OUTPUT, says what the columns and keys mean.
void append_text(const Explanation& e, std::string& out, std::size_t max_steps);
void append_csv(const Explanation& e, std::string& out);
void append_json(const Explanation& e, std::string& out);

}  // namespace convert
