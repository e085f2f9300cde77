// SPDX-License-Identifier: MIT
// Members of the rows of a profile's tables, in file order; used for both writing and reading.
#pragma once

#include <string_view>

#include "profile/workload_profile.h"

namespace convert {

inline constexpr std::string_view profile_kind = "etkit profile";

// Each calls visit(member, member, …) once for a struct, which is a JSON array; nested structs are nested arrays.
template <class Visit>
void fields(NodeLane& x, const Visit& visit) {
  visit(x.kind, x.number);
}
template <class Visit>
void fields(GroupSlot& x, const Visit& visit) {
  visit(x.kind, x.ordinal);
}
template <class Visit>
void fields(CommDetails& x, const Visit& visit) {
  visit(x.root, x.bytes_out, x.group_size, x.priority, x.dims, x.dtype);
}
template <class Visit>
void fields(ProfileClass& x, const Visit& visit) {
  visit(x.type, x.on_cpu, x.location, x.optimizer, x.collective, x.size, x.sizes, x.splits, x.slot, x.offset,
        x.details);
}
template <class Visit>
void fields(SizeCluster& x, const Visit& visit) {
  visit(x.bytes, x.count);
}
template <class Visit>
void fields(SplitPool& x, const Visit& visit) {
  visit(x.sizes, x.sent_spread, x.received_spread);
}
template <class Visit>
void fields(TokenDep& x, const Visit& visit) {
  visit(x.kinds, x.of_class, x.what, x.back);
}
template <class Visit>
void fields(Token& x, const Visit& visit) {
  visit(x.node_class, x.lane, x.magnitude, x.deps);
}
template <class Visit>
void fields(CostCluster& x, const Visit& visit) {
  visit(x.count, x.mean.duration_ns, x.spread, x.mean.delay_ns, x.mean.operations, x.mean.bytes);
}
template <class Visit>
void fields(LoosePiece& x, const Visit& visit) {
  visit(x.symbol, x.count, x.position);
}
template <class Visit>
void fields(ProfilePlace::Segment& x, const Visit& visit) {
  visit(x.symbol, x.count);
}
template <class Visit>
void fields(ProfilePlace& x, const Visit& visit) {
  visit(x.segments, x.loose_segments, x.loose, x.factors);
}
template <class Visit>
void fields(ProfileScript::Step& x, const Visit& visit) {
  visit(x.place, x.token, x.pool, x.after);
}
template <class Visit>
void fields(ProfileScript& x, const Visit& visit) {
  visit(x.steps, x.last_place);
}
template <class Visit>
void fields(ProfileJob::Unit& x, const Visit& visit) {
  visit(x.part, x.count, x.scripts);
}
template <class Visit>
void fields(DataRanks& x, const Visit& visit) {
  visit(x.stride, x.count, x.ranks);
}
template <class Visit>
void fields(ProfileJob& x, const Visit& visit) {
  visit(x.ranks, x.data, x.groups, x.slots, x.units, x.work_ns, x.rest);
}
template <class A, class B, class Visit>
void fields(std::pair<A, B>& x, const Visit& visit) {
  visit(x.first, x.second);
}

// Calls table(name, rows) for each table of a profile.
template <class Table>
void tables(WorkloadProfile& p, const Table& table) {
  table("lanes", p.lanes);
  table("classes", p.classes);
  table("sizes", p.sizes);
  table("splits", p.splits);
  table("tokens", p.tokens);
  table("rules", p.rules);
  table("pools", p.pools);
  table("costs", p.costs);
  table("together", p.together);
  table("places", p.places);
  table("rest", p.rest);
  table("scripts", p.scripts);
  table("slots", p.slots);
  table("jobs", p.jobs);
}

}  // namespace convert
