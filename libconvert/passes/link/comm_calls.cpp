// SPDX-License-Identifier: MIT
#include "passes/link/comm_calls.h"

#include <algorithm>
#include <cassert>
#include <ranges>
#include <utility>

namespace convert {
namespace {

constexpr std::string_view outer_prefix = "c10d::";  // operators of PyTorch that call a backend

}  // namespace

std::uint32_t CommCalls::add(const CommFacts& facts, std::uint32_t op) {
  comms_.push_back(facts);
  calls_.push_back({.op = op});
  return static_cast<std::uint32_t>(comms_.size() - 1);
}

std::uint32_t CommCalls::under_way(std::span<const std::uint32_t> open) const {
  for (const std::uint32_t op : std::views::reverse(innermost(open))) {
    if (comm_of_[op] != 0) return comm_of_[op];
  }
  return 0;
}

void CommCalls::note_recorded(std::span<const std::uint32_t> open) {
  const auto around = innermost(open);
  recorded_.insert(around.begin(), around.end());
}

// Adds the data of an annotation inside a call (nccl:send 0->1 in record_param_comms) to the call.
void CommCalls::begin(std::span<const std::uint32_t> open) {
  const Operator& op = operators_.all[open.back()];
  const Node* node = op.host == no_index ? nullptr : &host_.nodes.nodes[op.host];
  const Profile::CpuOp* event = op.event == no_index ? nullptr : &device_->cpu_ops[op.event];
  assert(node != nullptr || event != nullptr);
  const std::string_view name = name_of(open.back());
  if (event != nullptr && name.starts_with(outer_prefix)) {
    const CommFacts named = comm_of_name(name.substr(outer_prefix.size()));
    if (named.kind != CommKind::none) outer_calls_[{named.kind, named.type}].push_back(open.back());
  }
  if (!is_comm_call(name)) return;
  const CommFacts facts = comm_of_call(host_, node, device_, event);
  const auto is_outer = [&](std::uint32_t o) { return name_of(o).starts_with(outer_prefix); };
  if (facts.on_host && std::ranges::none_of(innermost(open), is_outer)) ++on_host_[{facts.kind, facts.type}];
  note_recorded(open);
  const bool profiled = !operators_.timed || event != nullptr;
  if (const std::uint32_t outer = under_way(open.first(open.size() - 1)); outer != 0) {
    comms_[outer - 1].complete(facts);
    if (profiled) calls_[outer - 1].op = open.back();
    comm_of_[open.back()] = outer;
    return;
  }
  const std::uint32_t comm = add(facts, profiled ? open.back() : no_index);
  comm_of_[open.back()] = comm + 1;
  if (op.event != no_index && facts.kind != CommKind::none && facts.kind != CommKind::group)
    collectable_[op.thread].push_back(comm);
}

// Takes the sends and receives that the thread called since its last call with a kernel; the collectives if there
// are none. PyTorch does not name the process group at the end of a batch; the group of the last call applies.
Range CommCalls::take_group(std::uint32_t thread, std::string_view group) {
  const auto found = collectable_.find(thread);
  if (found == collectable_.end()) return {};
  std::vector<std::uint32_t>& open = found->second;
  const auto last_carried =
      std::find_if(open.rbegin(), open.rend(), [&](std::uint32_t c) { return calls_[c].carried; });
  open.erase(open.begin(), last_carried.base());
  std::erase_if(open, [&](std::uint32_t c) { return comms_[c].on_host; });
  if (group.empty() && !open.empty()) group = comms_[open.back()].group;
  const auto of_group =
      std::stable_partition(open.begin(), open.end(), [&](std::uint32_t c) { return comms_[c].group != group; });
  std::vector<std::uint32_t> calls(of_group, open.end());
  open.erase(of_group, open.end());
  const auto is_message = [&](std::uint32_t c) { return comms_[c].kind != CommKind::collective; };
  if (std::any_of(calls.begin(), calls.end(), is_message))
    std::erase_if(calls, [&](std::uint32_t c) { return !is_message(c); });
  for (const std::uint32_t c : calls) calls_[c].carried = true;
  const Range parts{static_cast<std::uint32_t>(parts_.size()), static_cast<std::uint32_t>(calls.size())};
  parts_.insert(parts_.end(), calls.begin(), calls.end());
  return parts;
}

std::string_view CommCalls::name_of(std::uint32_t op) const {
  const Operator& o = operators_.all[op];
  return o.host != no_index ? host_.nodes.name(host_.nodes.nodes[o.host])
                            : device_->name(device_->cpu_ops[o.event]);
}

std::optional<Collective> CommCalls::operator_type(std::uint32_t op) const { return named_operator(name_of(op)); }

// Completes a kernel outside all calls by the innermost operator that names a collective. An operator around that
// operator may name the group (vllm::all_reduce around _C_custom_ar::all_reduce).
void CommCalls::complete_by_operator(std::span<const std::uint32_t> open, CommFacts& facts) const {
  bool found = false;
  for (const std::uint32_t op : std::views::reverse(innermost(open))) {
    const auto type = operator_type(op);
    if (!type || (facts.kind == CommKind::collective && facts.type != *type)) continue;
    const Operator& o = operators_.all[op];
    const CommFacts named =
        comm_of_operator(*type, host_, o.host == no_index ? nullptr : &host_.nodes.nodes[o.host], device_,
                         o.event == no_index ? nullptr : &device_->cpu_ops[o.event]);
    if (!std::exchange(found, true)) {
      facts.complete(named);
    } else if (facts.group_hint.empty()) {
      facts.group_hint = named.group_hint;
    }
    if (!facts.group_hint.empty()) return;
  }
}

Range CommCalls::one(std::uint32_t comm) {
  parts_.push_back(comm);
  return {static_cast<std::uint32_t>(parts_.size() - 1), 1};
}

Range CommCalls::launch(std::span<const std::uint32_t> open, std::uint32_t thread, std::uint32_t operation,
                        bool called) {
  const Profile::DeviceOp& d = device_->device_ops[operation];
  const std::string_view name = device_->name(d);
  const auto [at, added] = kernels_.try_emplace(name);
  if (added) at->second = named_kernel(name);
  const NamedKernel& named = at->second;
  if (d.kind != DeviceOpKind::kernel) return named.communicates ? one(add({}, no_index)) : Range{};
  const std::uint32_t call = under_way(open);
  const bool known = is_comm_kernel(*device_, d, named);
  if (!known && (!called || open.empty() || named.computes)) return {};
  if (!known && call == 0) {
    if (operator_type(open.back())) {
      suspects_.push_back({operation, open.back()});
      note_recorded(open);
    }
    return {};
  }
  // The first operation that the call itself launches implements the call if no kernel with a known name does.
  const bool direct = call != 0 && comm_of_[open.back()] == call && !comms_[call - 1].on_host &&
                      comms_[call - 1].kind != CommKind::none && !calls_[call - 1].carried;
  if (!known && !direct) return {};
  CommFacts facts = comm_of_kernel(*device_, d, named);
  if (call != 0) {
    // The call defines whether a send-and-receive kernel is an all-to-all.
    const CommFacts& of_call = comms_[call - 1];
    if (of_call.kind != CommKind::none) facts.kind = of_call.kind, facts.type = of_call.type;
    facts.complete(of_call);
    calls_[call - 1].carried = true;
    if (const std::uint32_t guess = std::exchange(calls_[call - 1].guess, no_index); guess != no_index)
      calls_[guess].withdrawn = true;
  } else {
    complete_by_operator(open, facts);
    facts.any_group = facts.any_group || (facts.kind == CommKind::collective && facts.type == Collective::barrier);
    const auto around = innermost(open);
    communicating_.insert(around.begin(), around.end());
    note_recorded(open);
  }
  if (facts.kind == CommKind::group) {
    if (const Range parts = take_group(thread, facts.group); parts.count != 0) return parts;
    facts.kind = CommKind::none;
  }
  const std::uint32_t comm = add(facts, no_index);
  if (call != 0 && !known) calls_[call - 1].guess = comm;
  return one(comm);
}

std::vector<CommFacts> CommCalls::take(std::vector<char>& texts) {
  std::size_t size = 0;
  for (const CommFacts& c : comms_) {
    for (const auto text : CommFacts::texts) size += (c.*text).size();
  }
  texts.reserve(size);
  for (CommFacts& c : comms_) {
    for (const auto text : CommFacts::texts) {
      const std::size_t begin = texts.size();
      texts.insert(texts.end(), (c.*text).begin(), (c.*text).end());
      c.*text = {texts.data() + begin, texts.size() - begin};
    }
  }
  return std::move(comms_);
}

}  // namespace convert
