// SPDX-License-Identifier: MIT
#include "passes/link/communication.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "core/element_type.h"
#include "passes/link/comm_names.h"
#include "passes/link/tensor_text.h"

namespace convert {
namespace {

// A word that names a communication, in lower case and without '_' and '-'.
struct Word {
  std::string_view text;
  CommKind kind;
  Collective type = Collective::all_reduce;
};
constexpr std::array<Word, 15> words = {{
    // longer words precede their prefixes
    {"allreduce", CommKind::collective, Collective::all_reduce},
    {"allgather", CommKind::collective, Collective::all_gather},
    {"reducescatter", CommKind::collective, Collective::reduce_scatter},
    {"alltoall", CommKind::collective, Collective::all_to_all},
    {"broadcast", CommKind::collective, Collective::broadcast},
    {"barrier", CommKind::collective, Collective::barrier},
    {"gather", CommKind::collective, Collective::gather},
    {"scatter", CommKind::collective, Collective::scatter},
    {"reduce", CommKind::collective, Collective::reduce},
    {"send", CommKind::send},
    {"recv", CommKind::recv},
    {"coalesced", CommKind::group},
    {"batchisendirecv", CommKind::group},
    {"groupcall", CommKind::group},
    {"batched", CommKind::group},
}};

// Sets kind and type from the first matching word.
template <class Fits>
void take_word(const Fits& fits, CommFacts& to) {
  const auto* const word = std::find_if(words.begin(), words.end(), fits);
  if (word != words.end()) to.kind = word->kind, to.type = word->type;
}

// Sets kind and type from the prefix of a name such as "allgather_into_tensor_coalesced".
void name_collective(std::string_view text, CommFacts& to) {
  const std::string name = plain_name(text);
  take_word([&](const Word& w) { return name.starts_with(w.text); }, to);
}

// Sets kind and type from any part of a kernel's name: "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)".
void name_kernel(std::string_view text, CommFacts& to) {
  const std::string name = plain_name(function_name(text));
  if (name.find("sendrecv") != std::string::npos) return;  // may be an all-to-all; the call decides
  take_word([&](const Word& w) { return w.kind == CommKind::collective && name.find(w.text) != std::string::npos; },
            to);
}

// Reads the ranks of "send 0->1" or "recv 1<-0": this rank before the arrow, the peer after it.
void name_peer(std::string_view name, CommFacts& to) {
  const std::size_t arrow = std::min(name.find("->"), name.find("<-"));
  if (arrow == std::string_view::npos) return;
  const auto take = [](std::string_view text, std::int64_t& rank) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && number >= 0) rank = number;
  };
  take(name.substr(0, arrow).substr(name.find(' ') + 1), to.own);
  take(name.substr(arrow + 2), to.peer);
}

// Keys of host traces and of the profiler.
enum class Key : std::uint8_t {
  name,
  in,
  out,
  size,
  dtype,
  in_splits,
  out_splits,
  group,
  description,
  ranks,
  source,
  target
};

std::optional<Key> key_of(Name name) {
  static const std::array<std::pair<Name, Key>, 22> keys = {{
      {attr::collective_name, Key::name},
      {attr::in_msg_nelems, Key::in},
      {attr::out_msg_nelems, Key::out},
      {attr::pg_size, Key::size},
      {attr::dtype, Key::dtype},
      {attr::in_split_size, Key::in_splits},
      {attr::out_split_size, Key::out_splits},
      {attr::pg_name, Key::group},
      {attr::pg_desc, Key::description},
      {Name("Collective name"), Key::name},
      {Name("In msg nelems"), Key::in},
      {Name("Out msg nelems"), Key::out},
      {Name("Group size"), Key::size},
      {Name("In split size"), Key::in_splits},
      {Name("Out split size"), Key::out_splits},
      {Name("Process Group Name"), Key::group},
      {Name("Process Group Description"), Key::description},
      {Name("Process Group Ranks"), Key::ranks},
      {Name("Src Rank"), Key::source},
      {Name("Dst Rank"), Key::target},
      {Name("src_rank"), Key::source},
      {Name("dst_rank"), Key::target},
  }};
  for (const auto& [key, meaning] : keys) {
    if (key == name) return meaning;
  }
  return std::nullopt;
}

CommFacts comm_of_attributes(const AttrTable& table, std::span<const Attr> attrs) {
  CommFacts facts;
  std::int64_t source = -1, target = -1, in_elements = -1, out_elements = -1;
  for (const Attr& a : attrs) {
    const auto key = key_of(a.name);
    if (!key) continue;
    const std::string_view text = a.kind == Kind::string_val ? table.string(a) : std::string_view{};
    const std::int64_t number = int_value(&a) ? int_value(&a).value : -1;
    switch (*key) {
      case Key::name: name_collective(text, facts); break;
      case Key::in: in_elements = number; break;
      case Key::out: out_elements = number; break;
      case Key::size: facts.group_size = number; break;
      case Key::dtype: facts.dtype = text; break;
      case Key::in_splits: facts.in_splits = text; break;
      case Key::out_splits: facts.out_splits = text; break;
      case Key::group: facts.group = text; break;
      case Key::description: facts.group_description = text; break;
      case Key::ranks: facts.group_ranks = text; break;
      case Key::source: source = number; break;
      case Key::target: target = number; break;
    }
  }
  facts.peer_rank = facts.kind == CommKind::recv ? source : facts.kind == CommKind::send ? target : -1;
  const std::optional<ElementType> type = element_type(facts.dtype);
  const std::int64_t bytes = type ? type->bytes : -1;
  const auto scaled = [&](std::int64_t elements) {
    if (bytes < 0 || elements < 0 || elements > std::numeric_limits<std::int64_t>::max() / bytes)
      return std::int64_t{-1};
    return elements * bytes;
  };
  facts.in_bytes = scaled(in_elements);
  facts.out_bytes = scaled(out_elements);
  return facts;
}

// Returns the elements of a list in Python's text form.
std::vector<std::string_view> elements(std::string_view text) {
  std::vector<std::string_view> out;
  if (text.size() < 2) return out;
  text = text.substr(1, text.size() - 2);
  std::size_t depth = 0, begin = 0;
  char quote = '\0';
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (quote != '\0' && i < text.size()) {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ',' && (depth == 0 || i == text.size())) {
      if (i > begin) out.push_back(text.substr(begin, i - begin));
      begin = i + 2;  // ", "
    }
  }
  return out;
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '\'' || text.front() == '"') ? text.substr(1, text.size() - 2) : text;
}

// Returns the bytes of a node's inputs or outputs; -1 if it has none, or they are unknown.
std::int64_t bytes_of_tensors(const Trace& host, std::uint32_t io) {
  if (io == 0 || host.nodes.io[io - 1].values.size <= 2) return -1;
  return tensor_bytes(host.nodes.view(host.nodes.io[io - 1].values));
}

// Before schema 1.1, the inputs of record_param_comms contain all facts: [tensors,] number, group, rank, 'name',
// [input splits], [output splits], [first rank, stride,] size.
CommFacts comm_of_inputs(const Trace& host, const Node& node) {
  CommFacts facts;
  if (node.inputs == 0) return facts;
  const IoInfo& in = host.nodes.io[node.inputs - 1];
  const auto values = elements(host.nodes.view(in.values));
  const auto types = elements(host.nodes.view(in.types));
  const auto is = [&](std::size_t i, std::string_view type) { return unquoted(types[i]) == type; };
  if (values.size() != types.size()) return facts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is(i, "Tuple[String,String]") && facts.group.empty()) {
      const auto pair = elements(values[i]);
      if (pair.size() == 2) facts.group = unquoted(pair[0]), facts.group_description = unquoted(pair[1]);
    }
    if (!is(i, "String")) continue;
    name_collective(unquoted(values[i]), facts);
    if (i + 2 < values.size()) facts.in_splits = values[i + 1], facts.out_splits = values[i + 2];
    break;
  }
  if (!values.empty() && is(values.size() - 1, "Int"))
    (void)std::from_chars(values.back().data(), values.back().data() + values.back().size(), facts.group_size);
  if (!types.empty() && types[0].find("Tensor") != std::string_view::npos) facts.in_bytes = tensor_bytes(values[0]);
  facts.out_bytes = bytes_of_tensors(host, node.outputs);
  return facts;
}

// Returns the bytes of all inputs; -1 if an input is unknown, or there is no input.
std::int64_t sum_of(std::span<const std::int64_t> inputs) {
  std::int64_t sum = 0;
  for (const std::int64_t bytes : inputs) {
    if (bytes < 0 || __builtin_add_overflow(sum, bytes, &sum)) return -1;
  }
  return inputs.empty() ? -1 : sum;
}

// Returns the size of a group, or 0 if the size is implausible.
std::uint32_t believable(std::int64_t group_size) {
  constexpr std::int64_t most_ranks = 1 << 24;
  return group_size < 0 || group_size > most_ranks ? 0 : static_cast<std::uint32_t>(group_size);
}

}  // namespace

constinit const std::array<std::string_view CommFacts::*, 7> CommFacts::texts = {
    &CommFacts::group, &CommFacts::group_description, &CommFacts::group_ranks, &CommFacts::group_hint,
    &CommFacts::dtype, &CommFacts::in_splits,         &CommFacts::out_splits};

void CommFacts::complete(const CommFacts& o) {
  if (kind == CommKind::none) kind = o.kind, type = o.type;
  for (const auto number : {&CommFacts::in_bytes, &CommFacts::out_bytes, &CommFacts::group_size, &CommFacts::own,
                            &CommFacts::peer, &CommFacts::peer_rank}) {
    if (this->*number < 0) this->*number = o.*number;
  }
  for (const auto text : texts) {
    if ((this->*text).empty()) this->*text = o.*text;
  }
  on_host = on_host || o.on_host;
  any_group = any_group || o.any_group;
}

CommFacts comm_of_name(std::string_view operation) {
  CommFacts facts;
  name_collective(operation, facts);
  return facts;
}

bool is_comm_call(std::string_view name) { return name == "record_param_comms" || backend_call(name); }

CommFacts comm_of_call(const Trace& host, const Node* node, const Profile* device, const Profile::CpuOp* event) {
  CommFacts facts;
  const std::string_view name = node != nullptr ? host.nodes.name(*node) : device->name(*event);
  if (event != nullptr) facts = comm_of_attributes(device->args, device->args.view(event->args));
  if (node != nullptr) {
    facts.complete(comm_of_attributes(host.nodes, host.nodes.attributes(*node)));
    if (name == "record_param_comms") facts.complete(comm_of_inputs(host, *node));
  }
  if (const auto call = backend_call(name)) {
    CommFacts named = comm_of_name(call->operation);
    name_peer(call->operation, named);
    named.on_host = call->on_host;
    facts.complete(named);
    if (node != nullptr && facts.in_bytes < 0) facts.in_bytes = bytes_of_tensors(host, node->inputs);
    if (node == nullptr && facts.in_bytes < 0) facts.in_bytes = sum_of(device->inputs_of(*event));
  }
  return facts;
}

bool is_comm_kernel(const Profile& device, const Profile::DeviceOp& kernel, const NamedKernel& named) {
  static const Name collective("Collective name");
  return named.communicates || kernel.is_collective || find(device.args.view(kernel.args), collective) != nullptr;
}

CommFacts comm_of_kernel(const Profile& device, const Profile::DeviceOp& kernel, const NamedKernel& named) {
  CommFacts facts = comm_of_attributes(device.args, device.args.view(kernel.args));
  CommFacts by_name;
  if (named.type) {
    by_name.kind = CommKind::collective;
    by_name.type = *named.type;
  } else {
    name_kernel(device.name(kernel), by_name);
  }
  facts.complete(by_name);
  return facts;
}

namespace {

bool is_reduction(std::string_view text) {
  constexpr std::array<std::string_view, 12> reductions = {"sum",     "avg", "mean", "min", "max",  "prod",
                                                           "product", "mul", "band", "bor", "bxor", "premul_sum"};
  return std::ranges::find(reductions, text) != reductions.end();
}

// Returns the first text among an operator's inputs that is not a reduction.
std::string_view group_hint_of(const Trace& host, const Node* node, const Profile* device,
                               const Profile::CpuOp* event) {
  if (node != nullptr && node->inputs != 0) {
    const IoInfo& in = host.nodes.io[node->inputs - 1];
    const auto values = elements(host.nodes.view(in.values));
    const auto types = elements(host.nodes.view(in.types));
    for (std::size_t i = 0; i < std::min(values.size(), types.size()); ++i) {
      const std::string_view text = unquoted(values[i]);
      if (unquoted(types[i]) == "String" && !text.empty() && !is_reduction(text)) return text;
    }
  }
  if (event == nullptr) return {};
  for (std::string_view rest = device->text_inputs_of(*event); !rest.empty();) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    if (!is_reduction(text)) return text;
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
  }
  return {};
}

}  // namespace

CommFacts comm_of_operator(Collective type, const Trace& host, const Node* node, const Profile* device,
                           const Profile::CpuOp* event) {
  CommFacts facts;
  facts.kind = CommKind::collective;
  facts.type = type;
  facts.any_group = true;
  facts.group_hint = group_hint_of(host, node, device, event);
  const std::string_view name = node != nullptr ? host.nodes.name(*node) : device->name(*event);
  // Skip the buffer of one_shot_all_reduce_copy(symm_buffer, local_input, …) of PyTorch's symmetric memory, as it
  // may be larger.
  std::size_t skipped = name.find("_copy") != std::string_view::npos ? 1 : 0;
  const auto take = [&](std::int64_t bytes) {
    if (bytes >= 0 && facts.in_bytes < 0 && skipped-- == 0) facts.in_bytes = bytes;
  };
  if (node != nullptr && node->inputs != 0) {
    for_each_tensor(host.nodes.view(host.nodes.io[node->inputs - 1].values), [&](const TensorText& t) {
      std::int64_t bytes = 0;
      if (t.elements >= 0 && t.element_bytes >= 0 && !__builtin_mul_overflow(t.elements, t.element_bytes, &bytes))
        take(bytes);
    });
  } else if (event != nullptr) {
    for (const std::int64_t bytes : device->inputs_of(*event)) take(bytes);
  }
  return facts;
}

std::optional<std::int64_t> comm_size(const CommFacts& f) {
  const auto known = [](std::int64_t first, std::int64_t second) {
    const std::int64_t bytes = first >= 0 ? first : second;
    return bytes >= 0 ? std::optional(bytes) : std::nullopt;
  };
  if (f.kind == CommKind::recv) return known(f.out_bytes, f.in_bytes);
  if (f.kind == CommKind::collective && f.type == Collective::barrier) return 0;
  if (f.kind == CommKind::collective && f.type == Collective::scatter)
    return known(f.out_bytes, f.in_bytes >= 0 && f.group_size > 0 ? f.in_bytes / f.group_size : -1);
  return known(f.in_bytes, f.out_bytes);
}

std::int64_t tensor_bytes(std::string_view values) {
  std::int64_t sum = 0;
  bool fits = true;
  for_each_tensor(values, [&](const TensorText& t) {
    std::int64_t bytes = 0;
    if (t.elements < 0 || t.element_bytes < 0) return;
    fits = fits && !__builtin_mul_overflow(t.elements, t.element_bytes, &bytes) &&
           !__builtin_add_overflow(sum, bytes, &sum);
  });
  return fits ? sum : -1;
}

std::optional<std::vector<std::int64_t>> integer_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<std::int64_t> out;
  const char* p = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (true) {
    while (p != end && *p == ' ') ++p;
    if (p == end) return out;
    const auto [after, error] = std::from_chars(p, end, out.emplace_back());
    if (error != std::errc()) return std::nullopt;
    if (after == end) return out;
    if (*after != ',') return std::nullopt;
    p = after + 1;
  }
}

ListedRanks listed_ranks(std::string_view text, std::uint32_t size) {
  constexpr std::string_view cut_mark = ", ...";
  const std::size_t cut = text.find(cut_mark);
  const auto ranks_of = [](const std::string& list) {
    const auto numbers = integer_list(list);
    const bool sound =
        numbers && std::ranges::all_of(*numbers, [](std::int64_t r) { return r >= 0 && r < (1 << 30); });
    return sound ? std::vector<std::uint32_t>(numbers->begin(), numbers->end()) : std::vector<std::uint32_t>{};
  };
  ListedRanks out{ranks_of(std::string(text.substr(0, cut)) + (cut == std::string_view::npos ? "" : "]")), true};
  if (cut == std::string_view::npos) return out;
  // Complete the list if the last rank, which some versions list, is the one that a constant stride leads to.
  std::string_view rest = text.substr(cut + cut_mark.size());
  const auto last = ranks_of(rest.starts_with(", ") ? "[" + std::string(rest.substr(2)) : "[]");
  const std::vector<std::uint32_t>& first = out.ranks;
  const std::size_t known = first.size();
  const std::uint64_t step = known < 2 || first[1] <= first[0] ? 0 : first[1] - first[0];
  const auto at = [&](std::uint64_t i) { return first[0] + i * step; };
  constexpr std::uint32_t most = 1 << 20;  // a size is only a claim
  out.all = last.size() == 1 && step != 0 && size > known && size <= most && at(size - 1) == last[0];
  for (std::size_t i = 2; i < known; ++i) out.all = out.all && first[i] == at(i);
  for (std::uint64_t i = known; out.all && i < size; ++i) out.ranks.push_back(static_cast<std::uint32_t>(at(i)));
  return out;
}

GroupTable::GroupTable(const std::vector<ProcessGroup>& known) {
  for (const ProcessGroup& k : known) {
    Group& g = get(k.name);
    if (g.description.empty()) g.description = k.description;
    if (g.ranks.empty()) g.ranks = k.ranks;
    g.size = std::max({g.size, believable(k.size), static_cast<std::uint32_t>(g.ranks.size())});
  }
}

// Names that are numbers in the usual form are the ids. Other names (PyTorch hashes the ranks of some groups) get a
// number derived from the name, equal on every rank, above the used numbers.
GroupTable::Group& GroupTable::get(std::string_view name) {
  if (name.empty()) name = "0";
  const auto [at, added] = index_.try_emplace(std::string(name), groups_.size());
  if (!added) return groups_[at->second];
  std::int32_t id = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  const bool usual =
      error == std::errc() && end == name.data() + name.size() && (name[0] != '0' || name.size() == 1);
  if (!usual || id < 0) {
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    id = static_cast<std::int32_t>(1'000'000'000U + hash % 1'000'000'000U);
  }
  groups_.push_back({.id = id, .name = at->first});
  return groups_.back();
}

const GroupTable::Group& GroupTable::of(const CommFacts& facts) {
  Group& g = get(facts.group);
  if (g.description.empty()) g.description = facts.group_description;
  if (g.size == 0) g.size = believable(facts.group_size);
  if (g.ranks.empty() && g.first_ranks.empty() && !facts.group_ranks.empty()) {
    ListedRanks listed = listed_ranks(facts.group_ranks, g.size);
    (listed.all ? g.ranks : g.first_ranks) = std::move(listed.ranks);
  }
  return g;
}

std::optional<std::string> GroupTable::meant(std::string_view hint, std::uint32_t rank) const {
  if (hint.empty()) return std::nullopt;
  if (const auto named = index_.find(std::string(hint)); named != index_.end()) return named->first;
  const auto described = [&](std::string_view text) {
    const Group* found = nullptr;
    std::size_t count = 0;
    for (const Group& g : groups_) {
      if (g.description != text || (!g.ranks.empty() && std::ranges::find(g.ranks, rank) == g.ranks.end()))
        continue;
      found = &g;
      ++count;
    }
    return count == 1 ? std::optional(found->name) : std::nullopt;
  };
  if (auto name = described(hint)) return name;
  const std::size_t colon = hint.rfind(':');
  return colon == std::string_view::npos || colon == 0 ? std::nullopt : described(hint.substr(0, colon));
}

bool GroupTable::all_of_size(std::uint32_t world) const {
  return !groups_.empty() && std::ranges::all_of(groups_, [&](const Group& g) { return g.size == world; });
}

}  // namespace convert
