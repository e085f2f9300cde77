// SPDX-License-Identifier: MIT
// Collectives with shards of different sizes.
//
// All-to-alls with send_splits and recv_splits: each member sends its shards to all others at once, and ends when
// it has sent and received all shards. Some of the members may have equal shards.
//
// All-gathers, gathers and scatters whose members declare different comm_size: they run as with equal shards, but
// with the bytes of each member.
#include <algorithm>
#include <map>

#include "core/algorithm/chunk_bytes.h"
#include "core/attr_names.h"
#include "core/units.h"
#include "simulate/program/builder.h"

namespace convert {
namespace {

// Returns the bytes that place `from` sends to each place. With equal shards, the first places get one of the
// remaining bytes each. For a rank that does not make the call, returns the bytes that the others expect.
std::vector<std::int64_t> sent_by(std::size_t from, const UnevenMembers& members) {
  const std::optional<UnevenMember>& m = members[from];
  if (m && m->told != nullptr && !m->told->sends.empty()) return m->told->sends;
  std::vector<std::int64_t> parts(members.size(), 0);
  for (std::size_t to = 0; to < parts.size(); ++to) {
    if (m) {
      parts[to] = part_bytes(m->bytes, static_cast<std::int64_t>(members.size()), static_cast<std::int64_t>(to));
    } else if (members[to] && members[to]->told != nullptr && !members[to]->told->receives.empty()) {
      parts[to] = members[to]->told->receives[from];
    }
  }
  return parts;
}

// Returns the bytes that each rank sends to place `at` of an all-to-all of equal shards.
std::int64_t equal_part(const UnevenMember& m, std::size_t at, std::size_t places) {
  return part_bytes(m.bytes, static_cast<std::int64_t>(places), static_cast<std::int64_t>(at));
}

// Returns the operations of place `at` as a trace of an algorithm; `sends` are bytes from place to place.
Trace messages_of(std::size_t at, const std::vector<std::vector<std::int64_t>>& sends) {
  Trace trace;
  trace.rank = static_cast<Rank>(at);
  NodeTable& out = trace.nodes;
  const auto add = [&](NodeType type, std::size_t from, std::size_t to) {
    if (sends[from][to] == 0) return;
    out.add_node(out.nodes.size(), type, {});
    out.add_int(attr::comm_src, Kind::int32_val, static_cast<std::int64_t>(from));
    out.add_int(attr::comm_dst, Kind::int32_val, static_cast<std::int64_t>(to));
    out.add_int(attr::comm_tag, Kind::int32_val, 0);
    out.add_int(attr::comm_size, Kind::int64_val, sends[from][to]);
    out.end_node();
  };
  const std::size_t places = sends.size();
  for (std::size_t apart = 1; apart < places; ++apart) {
    add(NodeType::comm_send, at, (at + apart) % places);
    add(NodeType::comm_recv, (at + places - apart) % places, at);
  }
  if (out.nodes.empty()) {  // an algorithm needs a node; this one takes no time
    out.add_node(0, NodeType::metadata, {});
    out.end_node();
  }
  return trace;
}

}  // namespace

// Records a call that depends on calls of other ranks: the node's channel is ~ its number until all are gathered.
void ReplayBuilder::State::note_uneven(UnevenCall call, Op& op) {
  op.channel = ~static_cast<std::uint32_t>(uneven.size());
  uneven.push_back(std::move(call));
}

// Returns whether the shards of the all-to-all differ or are wrong. Reports wrong shards; records a call with
// different shards.
bool ReplayBuilder::State::note_splits(const Trace& trace, std::uint32_t index, const CollectiveCall& call,
                                       Op& op) {
  UnevenCall u{.call = call, .where = location_of(trace, index), .node = trace.nodes.nodes[index].id};
  const auto attrs = trace.nodes.attributes(trace.nodes.nodes[index]);
  for (const auto& [name, parts] :
       {std::pair{attr::send_splits, &u.sends}, std::pair{attr::recv_splits, &u.receives}}) {
    const Attr* const list = find(attrs, name);
    if (list == nullptr) continue;
    if (!is_list(list->kind) || !is_integer(scalar_of(list->kind))) {
      compiler.error(trace, index, "attributes",
                     "attribute " + std::string(name.view()) + " is of kind " + std::string(kind_name(list->kind)) +
                         ", not int64_list");
      return true;
    }
    std::int64_t sum = 0;
    for (const std::uint64_t bits : trace.nodes.list(*list)) {
      parts->push_back(static_cast<std::int64_t>(bits));
      if (parts->back() < 0 || __builtin_add_overflow(sum, parts->back(), &sum)) {
        compiler.error(trace, index, "attributes", std::string(name.view()) + " are not valid sizes");
        return true;
      }
    }
  }
  // Equal shards that match comm_size are treated as no lists.
  const auto uneven_parts = [&](const std::vector<std::int64_t>& parts) {
    if (parts.empty()) return false;
    const auto n = static_cast<std::int64_t>(parts.size());
    const bool equal = std::all_of(parts.begin(), parts.end(), [&](std::int64_t p) { return p == parts.front(); });
    return !equal || call.bytes / n != parts.front() || call.bytes % n != 0;
  };
  // Lists whose length differs from the group's size are errors once all members are known.
  const auto members = call.group != 0
                           ? program.groups[call.group].ranks.size()
                           : static_cast<std::size_t>(std::max<std::int64_t>(program.network.npus(), 0));
  const auto other_length = [&](const std::vector<std::int64_t>& parts) {
    return !parts.empty() && members != 0 && parts.size() != members;
  };
  if (!uneven_parts(u.sends) && !uneven_parts(u.receives) && !other_length(u.sends) && !other_length(u.receives))
    return false;
  note_uneven(std::move(u), op);
  return true;
}

const UnevenCall* ReplayBuilder::State::uneven_of(std::uint32_t call) const {
  const std::uint32_t number = ~call;
  return number < uneven.size() ? &uneven[number] : nullptr;
}

namespace {

// Returns the size of an all-to-all with equal shards in which each member sends to others the most that one member
// sends or receives.
std::int64_t bytes_of_equal(const std::vector<std::vector<std::int64_t>>& sends) {
  const std::size_t places = sends.size();
  std::int64_t most = 0;
  for (std::size_t at = 0; at < places; ++at) {
    std::int64_t sent = 0, received = 0;
    for (std::size_t other = 0; other < places; ++other) {
      if (other == at) continue;
      sent += sends[at][other];
      received += sends[other][at];
    }
    most = std::max({most, sent, received});
  }
  return places < 2 ? 0 : most + most / static_cast<std::int64_t>(places - 1);
}

}  // namespace

// Returns the algorithm that sends all shards at once.
CustomSource ReplayBuilder::State::source_of_parts(const std::vector<std::vector<std::int64_t>>& sends) {
  CustomSource source{.parts = true};
  for (std::size_t at = 0; at < sends.size(); ++at) {
    const Trace trace = messages_of(at, sends);
    const std::shared_ptr<RankCode> code = compile(trace, custom_compiler, {}).code;
    for (Op& op : code->ops) {
      if (op.type != OpType::send && op.type != OpType::recv) continue;
      op.channel = static_cast<std::uint32_t>(source.messages.size());
      source.messages.push_back({});
    }
    source.places.push_back(code);
  }
  return source;
}

// Adds one call of all members, some with unequal shards, as a custom algorithm.
std::uint32_t ReplayBuilder::State::add_uneven(const UnevenCall& first, const UnevenMembers& members) {
  const auto fail = [this](const UnevenCall& u, const std::string& what) {
    failed = true;
    diagnostics.error(u.where, "collectives", "node " + std::to_string(u.node) + ": " + what);
    return 0U;
  };
  const std::size_t places = members.size();
  std::vector<std::vector<std::int64_t>> sends;
  std::int64_t bytes = 0;
  for (const auto& m : members) {
    const UnevenCall* const u = m ? m->told : nullptr;
    for (const bool sent : {true, false}) {
      const std::size_t parts = u == nullptr ? 0 : (sent ? u->sends : u->receives).size();
      if (parts == 0 || parts == places) continue;
      return fail(*u, std::string(sent ? "send_splits" : "recv_splits") + " are for " + counted(parts, "rank") +
                          ", but its group has " + std::to_string(places));
    }
  }
  for (std::size_t at = 0; at < places; ++at) {
    sends.push_back(sent_by(at, members));
    for (std::size_t to = 0; to < places; ++to) {
      if (to != at && __builtin_add_overflow(bytes, sends[at][to], &bytes))
        return fail(first, "all shards together exceed 2^63 bytes");
    }
  }
  for (std::size_t at = 0; at < places; ++at) {
    if (!members[at]) continue;
    const UnevenCall* const u = members[at]->told;
    const bool listed = u != nullptr && !u->receives.empty();
    if (u != nullptr && !listed && !u->sends.empty()) continue;
    for (std::size_t from = 0; from < places; ++from) {
      const std::int64_t expected = listed ? u->receives[from] : equal_part(*members[at], at, places);
      if (!members[from] || from == at || sends[from][at] == expected) continue;
      const auto id = [&](const UnevenMember& m) { return std::to_string(program.ranks[m.rank].code->id(m.node)); };
      return fail(
          u != nullptr ? *u : first,
          (u != nullptr ? "it" : "rank " + std::to_string(members[at]->rank) + " node " + id(*members[at])) +
              " expects " + counted(expected, "byte") + (listed ? " (recv_splits)" : " (equal shards)") +
              " from rank " + std::to_string(members[from]->rank) + ", which sends it " +
              std::to_string(sends[from][at]) + " (node " + id(*members[from]) + ")");
    }
  }
  if (program.options.network.model == NetworkModel::fair) {
    UnevenCall call = first;
    call.call.bytes = bytes_of_equal(sends);
    return add_call(call);
  }
  sources.push_back(source_of_parts(sends));
  CallUse use{.call = first.call, .where = first.where, .node = first.node};
  use.call.bytes = places < 2 ? 0 : bytes / static_cast<std::int64_t>(places - 1);
  use.source = sources.size();
  calls.push_back(std::move(use));
  return static_cast<std::uint32_t>(calls.size() - 1);
}

// Returns the number of a call with equal shards.
std::uint32_t ReplayBuilder::State::add_call(const UnevenCall& call) {
  const std::uint32_t number = call_number(call.call, call.prefix);
  if (number == calls.size()) calls.push_back({call.call, call.prefix, call.where, call.node});
  ++calls[number].nodes;
  return number;
}

// Returns whether different sizes of matching all-gathers, gathers or scatters are valid: the calls are otherwise
// equal, and members of an all-gather that declare equal shards agree.
bool ReplayBuilder::State::parts_may_differ(const UnevenMembers& members) const {
  const auto n = static_cast<std::int64_t>(members.size());
  const auto without_size = [this](const UnevenMember& m) {
    CollectiveCall call = call_of(m.call);
    call.bytes = call.list = 0;
    call.priority = 0;
    return call;
  };
  const UnevenMember* first = nullptr;
  std::optional<std::int64_t> equal_part;
  bool differ = false;
  for (const auto& m : members) {
    if (!m) continue;
    if (first == nullptr) first = &*m;
    if (!(without_size(*m) == without_size(*first))) return false;
    differ = differ || m->bytes != first->bytes;
    if (without_size(*m).op != Collective::all_gather) continue;
    std::int64_t all = 0;
    const bool unequal =
        m->told != nullptr && (__builtin_mul_overflow(m->bytes, n, &all) || all != m->told->bytes_out);
    if (!unequal && equal_part.value_or(m->bytes) != m->bytes) return false;
    if (!unequal) equal_part = m->bytes;
  }
  return differ;
}

// Adds one call of all members with the shard of each member. A member that does not make the call has no shard.
std::uint32_t ReplayBuilder::State::add_parts(const UnevenMembers& members) {
  std::vector<std::int64_t> parts;
  std::int64_t sum = 0;
  const UnevenMember* largest = nullptr;
  const auto fail = [&](const std::string& what) {
    const UnevenCall& at = *std::ranges::find_if(members, [](const auto& m) { return m && m->told; })->value().told;
    failed = true;
    diagnostics.error(at.where, "collectives", "node " + std::to_string(at.node) + ": " + what);
    return 0U;
  };
  for (const auto& m : members) {
    parts.push_back(m ? m->bytes : 0);
    if (__builtin_add_overflow(sum, parts.back(), &sum)) return fail("all shards together exceed 2^63 bytes");
    if (!m) continue;
    if (largest == nullptr || m->bytes > largest->bytes) largest = &*m;
    const std::string& prefix = m->told != nullptr ? m->told->prefix : calls[m->call].prefix;
    if (!prefix.empty()) return fail("its shards differ in size (comm_size); " + prefix + " requires equal shards");
  }
  UnevenCall call = largest->told != nullptr ? *largest->told
                                             : UnevenCall{.call = calls[largest->call].call,
                                                          .where = calls[largest->call].where,
                                                          .node = calls[largest->call].node};
  std::uint32_t& known = known_parts[parts];
  if (known == 0) {
    program.model.parts.push_back(parts);
    known = static_cast<std::uint32_t>(program.model.parts.size());
  }
  call.call.parts = known;
  return add_call(call);
}

void ReplayBuilder::State::join_parts(const UnevenMembers& members, NewCalls& changed) {
  const bool differ = parts_may_differ(members);
  const std::uint32_t all = differ ? add_parts(members) : 0;
  for (const auto& m : members) {
    if (m && (differ || m->told != nullptr))
      changed[m->rank].emplace_back(m->node, differ ? all : add_call(*m->told));
  }
}

void ReplayBuilder::State::join_splits(const UnevenMembers& members, NewCalls& changed) {
  const auto first = std::ranges::find_if(members, [](const auto& m) { return m && m->told != nullptr; });
  if (first == members.end()) return;
  const std::uint32_t call = add_uneven(*(*first)->told, members);
  for (const auto& m : members) {
    if (m) changed[m->rank].emplace_back(m->node, call);
  }
}

// Sets the new calls of nodes.
void ReplayBuilder::State::change_calls(const NewCalls& changed) {
  for (Rank r = 0; r < changed.size(); ++r) {
    if (changed[r].empty()) continue;
    RankProgram& rank = program.ranks[r];
    std::shared_ptr<RankCode> own;
    for (const auto& [node, call] : changed[r]) {
      std::uint32_t& number = rank.plans[rank.code->ops[node].channel];
      if (uneven_of(number) != nullptr) {
        number = call;
        continue;
      }
      if (own == nullptr) own = std::make_shared<RankCode>(*rank.code);  // its call was one of several equal calls
      own->ops[node].channel = static_cast<std::uint32_t>(rank.plans.size());
      rank.plans.push_back(call);
    }
    if (own != nullptr) rank.code = std::move(own);
  }
}

void ReplayBuilder::State::gather_uneven() {
  using GroupOp = std::pair<std::uint32_t, Collective>;
  std::map<GroupOp, std::map<std::uint32_t, UnevenMembers>> calls_of;  // by number among the group's calls
  for (const UnevenCall& u : uneven) calls_of.try_emplace(GroupOp(u.call.group, u.call.op));
  for (Rank r = 0; r < program.ranks.size() && !calls_of.empty(); ++r) {
    const RankCode& code = *program.ranks[r].code;
    for (std::uint32_t node = 0; node < code.ops.size(); ++node) {
      const Op& op = code.ops[node];
      if (op.type != OpType::collective) continue;
      const std::uint32_t number = program.ranks[r].plans[op.channel];
      const CollectiveCall& call = call_of(number);
      const auto kind = calls_of.find(GroupOp(call.group, call.op));
      if (kind == calls_of.end()) continue;
      const SystemGroup& g = program.groups[call.group];
      UnevenMembers& members = kind->second[op.peer];
      members.resize(g.size(program.model));
      members[g.place(r)] = UnevenMember{r, node, op.value, number, uneven_of(number)};
    }
  }
  NewCalls changed(program.ranks.size());
  for (const auto& [kind, all] : calls_of) {
    for (const auto& [number, members] : all) {
      if (kind.second == Collective::all_to_all) {
        join_splits(members, changed);
      } else {
        join_parts(members, changed);
      }
    }
  }
  change_calls(changed);
}

}  // namespace convert
