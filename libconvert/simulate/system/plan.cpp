// SPDX-License-Identifier: MIT
#include "simulate/system/plan.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string>

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

// A logical ring or tree that can carry a phase.
struct LogicalDim {
  AlgorithmChoice choice{};
  std::uint32_t dim = 0;
  std::uint32_t members = 0;
  std::uint32_t stride = 1;
  std::uint32_t cell_stride = 1;
  bool group_ring = false;
};

[[noreturn]] void refuse(const std::string& why) { throw input_error({}, why, "system"); }

class Planner {
 public:
  Planner(const SystemModel& model, const SystemGroup& group, const CollectiveCall& call)
      : model_(model), group_(group), call_(call) {}

  CollectivePlan run() {
    plan_.call = call_;
    cut_into_chunks();
    check_chunks();
    if (call_.custom != 0 || plan_.chunks == 0) return std::move(plan_);
    if (!is_listed(call_.op)) {
      plan_rooted();
      return std::move(plan_);
    }
    const std::vector<LogicalDim> dims = involved(logical_dims());
    if (dims.empty()) {
      if (!model_.rules.refuses_collectives_of_one() && group_.size(model_) == 1) {  // nothing to do
        plan_.chunks = 0;
        return std::move(plan_);
      }
      if (group_.size(model_) == 1) {
        refuse(
            "the collective has one NPU and no dimension: it never ends by ASTRA-sim's rules; "
            "use --compat none");
      }
      refuse("involved_dim names no dimension in which the collective has more than one NPU");
    }
    if (model_.balanced && dims.size() > 1 && dims.size() <= max_balanced_dims) {
      balance(dims);
    } else {
      plan_order(dims);
    }
    return std::move(plan_);
  }

 private:
  static constexpr std::size_t max_balanced_dims = 8;

  void cut_into_chunks() {
    if (!model_.splits) refuse("the system does not set preferred-dataset-splits; set it, for example to 4");
    if (call_.custom != 0) {
      plan_.chunks = 1;
      return;
    }
    if (model_.rules.parts_are_equal()) return cut_equally();
    const std::int64_t chunks = std::min(*model_.splits, std::max<std::int64_t>(call_.bytes, 1));
    plan_.chunks = call_.op == Collective::barrier ? 1 : static_cast<std::uint64_t>(chunks);
    if (call_.bytes == 0 && call_.op != Collective::barrier) plan_.chunks = 0;
    plan_.chunk_bytes = plan_.chunks == 0 ? 0 : plan_.bytes_of(0);
  }

  // Each chunk has a state on each NPU.
  void check_chunks() const {
    constexpr std::uint64_t most = 1 << 24;
    const std::uint32_t npus = group_.size(model_);
    if (plan_.chunks > most / npus) {
      refuse("the collective is split into " + counted(plan_.chunks, "chunk") + " on each of " +
             counted(npus, "NPU") + ", more than " + std::to_string(most) +
             " in total; lower preferred-dataset-splits");
    }
  }

  // A chunk of a collective other than all-gather has at least one byte for each NPU of the system. The last chunk
  // has the size of the others.
  void cut_equally() {
    std::int64_t bytes = call_.bytes;
    std::int64_t chunk = bytes / *model_.splits;
    const auto npus = static_cast<std::int64_t>(model_.npus);
    if (call_.op != Collective::all_gather && chunk < npus) {
      chunk = npus;
      if (__builtin_mul_overflow(npus, *model_.splits, &bytes)) refuse("preferred-dataset-splits is too large");
    }
    if (bytes == 0) return;
    plan_.chunk_bytes = std::max<std::int64_t>(chunk, 1);
    plan_.chunks = static_cast<std::uint64_t>((bytes - 1) / plan_.chunk_bytes) + 1;
  }

  [[nodiscard]] CollectiveOptimization optimization() const {
    if (!model_.optimization)
      refuse("the system does not set collective-optimization; set it to baseline or localBWAware");
    return *model_.optimization;
  }

  [[nodiscard]] const std::vector<AlgorithmChoice>& listed() const {
    const auto& list =
        call_.list != 0 ? model_.lists[call_.list - 1] : model_.collectives.at(listed_place(call_.op)).per_dim;
    if (list.empty()) {
      std::string key(name(call_.op));
      std::replace(key.begin(), key.end(), '_', '-');
      refuse("the system has no algorithm for " + std::string(name(call_.op)) + "; set " + key + "-implementation");
    }
    return list;
  }

  // Chooses algorithms for a process group smaller than the system.
  [[nodiscard]] AlgorithmChoice group_choice(const std::vector<AlgorithmChoice>& list, std::uint32_t size) const {
    if (model_.rules.groups_have_own_choice()) {
      const AlgorithmChoice choice = list.size() == 1 ? list.front() : AlgorithmChoice{};
      if (choice.algorithm == NativeAlgorithm::double_binary_tree)
        refuse("double_binary_tree does not run on a process group smaller than the system");
      return choice;
    }
    // The system's list is meant for its dimensions, not for groups. A rule's list is used as it is.
    const bool wants_power_of_two = list.front().algorithm == NativeAlgorithm::halving_doubling && call_.list == 0;
    return wants_power_of_two && !std::has_single_bit(size) ? AlgorithmChoice{} : list.front();
  }

  // Returns the dimensions that a group spans, if its members are all NPUs that differ only in these; else empty.
  [[nodiscard]] std::vector<LogicalDim> spanned_dims(const std::vector<AlgorithmChoice>& list) const {
    if (model_.rules.groups_have_own_choice() || list.size() != model_.dims.size()) return {};
    std::vector<LogicalDim> dims;
    std::uint64_t size = 1;
    std::uint32_t stride = 1;
    for (std::uint32_t d = 0; d < list.size(); stride *= model_.dims[d++]) {
      const auto place = [&](Rank r) { return r / stride % model_.dims[d]; };
      const auto differs = [&](Rank r) { return place(r) != place(group_.ranks.front()); };
      if (std::ranges::none_of(group_.ranks, differs)) continue;
      if (list[d].one) return {};
      dims.push_back({.choice = list[d],
                      .dim = d,
                      .members = model_.dims[d],
                      .stride = stride,
                      .cell_stride = static_cast<std::uint32_t>(size)});
      size *= model_.dims[d];
    }
    return size == group_.ranks.size() ? dims : std::vector<LogicalDim>();
  }

  [[nodiscard]] std::vector<LogicalDim> logical_dims() const {
    const auto& list = listed();
    const std::uint32_t size = group_.size(model_);
    if (size != model_.npus) {
      std::vector<LogicalDim> spanned = spanned_dims(list);
      if (!spanned.empty()) return spanned;
      return {{.choice = group_choice(list, size), .dim = 0, .members = size, .group_ring = true}};
    }
    if (list.size() > model_.dims.size()) {
      refuse("the list of algorithms for " + std::string(name(call_.op)) + " has " + std::to_string(list.size()) +
             " entries, but the network has " + counted(model_.dims.size(), "dimension") +
             "; list one algorithm for each");
    }
    const auto is_one = [](const AlgorithmChoice& c) { return c.one; };
    if (!model_.rules.lists_may_be_short() && list.size() < model_.dims.size() &&
        std::none_of(list.begin(), list.end(), is_one)) {
      refuse("the list of algorithms for " + std::string(name(call_.op)) + " covers " +
             std::to_string(list.size()) + " of the " + counted(model_.dims.size(), "dimension") +
             " of the network; list one algorithm for each, or one for all, such as one_ring (oneRing in "
             "ASTRA-sim's files)");
    }
    std::vector<LogicalDim> dims;
    std::uint32_t stride = 1;
    for (std::uint32_t d = 0; d < list.size(); ++d) {
      if (list[d].one) {
        dims.push_back({.choice = list[d], .dim = d, .members = model_.npus});
        break;
      }
      dims.push_back(
          {.choice = list[d], .dim = d, .members = model_.dims[d], .stride = stride, .cell_stride = stride});
      stride *= model_.dims[d];
    }
    return dims;
  }

  [[nodiscard]] std::vector<LogicalDim> involved(std::vector<LogicalDim> dims) const {
    const bool all = group_.size(model_) != model_.npus || group_.id != 0;
    std::erase_if(dims, [&](const LogicalDim& d) {
      return d.members < 2 || (!all && (d.dim >= 64 || (call_.dims >> d.dim & 1U) == 0));
    });
    return dims;
  }

  // Adds the phases of a chunk that uses the dimensions in this order.
  void plan_order(const std::vector<LogicalDim>& dims) {
    plan_.orders.emplace_back();
    if (call_.op == Collective::all_reduce && optimization() == CollectiveOptimization::local_bw_aware) {
      plan_bandwidth_aware(dims);
    } else {
      plan_baseline(dims);
    }
    count_trees();
  }

  void plan_baseline(const std::vector<LogicalDim>& dims) {
    std::int64_t bytes = plan_.chunk_bytes;
    const auto add = [&](const LogicalDim& d) { bytes = add_phase(d, call_.op, QueueUse::next, bytes); };
    if (call_.op == Collective::all_gather) {
      std::for_each(dims.rbegin(), dims.rend(), add);
    } else {
      std::for_each(dims.begin(), dims.end(), add);
    }
  }

  void plan_bandwidth_aware(const std::vector<LogicalDim>& dims) {
    std::int64_t bytes = plan_.chunk_bytes;
    for (std::size_t i = 0; i + 1 < dims.size(); ++i) {
      bytes = add_phase(dims[i], Collective::reduce_scatter, QueueUse::first, bytes);
    }
    bytes = add_phase(dims.back(), Collective::all_reduce, QueueUse::first, bytes);
    for (std::size_t i = dims.size() - 1; i-- > 0;) {
      bytes = add_phase(dims[i], Collective::all_gather, QueueUse::last, bytes);
    }
  }

  // Returns the number of links of a dimension on which an NPU sends at once. In a fully connected dimension,
  // direct sends to several NPUs at once; in a ring, an all-reduce scatters in one direction and gathers in the
  // other.
  [[nodiscard]] double links_at_once(const LogicalDim& d) const {
    const Topology topology = model_.topology_by_dim[d.dim];
    if (topology == Topology::fully_connected && d.choice.algorithm == NativeAlgorithm::direct)
      return std::min(d.choice.window.value_or(d.members - 1), d.members - 1);
    const bool is_ring = topology == Topology::ring && d.choice.algorithm == NativeAlgorithm::ring && d.members > 2;
    return is_ring && call_.op == Collective::all_reduce ? 2 : 1;
  }

  // Adds to `load` the time for which a chunk that uses the dimensions in this order loads each dimension.
  void add_load(const std::vector<LogicalDim>& dims, const std::vector<std::size_t>& order,
                std::vector<double>& load) const {
    double bytes = static_cast<double>(plan_.chunk_bytes);
    for (const std::size_t d : order) {
      const double n = dims[d].members;
      load[d] += bytes * (n - 1) / n / (model_.bytes_per_ns_by_dim[dims[d].dim] * links_at_once(dims[d]));
      if (call_.op != Collective::all_to_all) bytes /= n;
    }
  }

  // Each chunk uses the dimensions by ascending load of the previous chunks, as proposed by the Themis paper. The
  // data shrinks on the way, so it is largest in the least loaded dimension. If this loads a dimension longer than
  // one order for all chunks would, as possible with few chunks, all chunks use one order.
  void balance(const std::vector<LogicalDim>& dims) {
    std::vector<std::size_t> order(dims.size());
    std::vector<double> load(dims.size());
    std::vector<double> one_load(dims.size());
    std::map<std::vector<std::size_t>, std::uint32_t> known;
    for (std::uint64_t chunk = 0; chunk < plan_.chunks; ++chunk) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      add_load(dims, order, one_load);
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return load[a] < load[b]; });
      add_load(dims, order, load);
      const auto [at, is_new] = known.emplace(order, static_cast<std::uint32_t>(plan_.orders.size()));
      if (is_new) {
        std::vector<LogicalDim> ordered;
        for (const std::size_t d : order) ordered.push_back(dims[d]);
        plan_order(ordered);
      }
      plan_.order_of.push_back(at->second);
    }
    if (std::ranges::max(load) < std::ranges::max(one_load)) return;
    plan_.orders.clear();
    plan_.order_of.clear();
    plan_order(dims);
  }

  // Plans trees, stars and rounds over the whole group, as a line of indices.
  void plan_rooted() {
    plan_.orders.emplace_back();
    const std::uint32_t size = group_.size(model_);
    if (call_.root >= size) refuse("the root is not a member of the group");
    if (size == 1) {
      plan_.chunks = 0;
      return;
    }
    const bool is_permuted_world = size == model_.npus && !group_.ranks.empty();  // indices in the line are ranks
    const bool star = call_.op == Collective::gather || call_.op == Collective::scatter;
    plan_.orders.back().push_back({.algorithm = call_.op == Collective::barrier ? NativeAlgorithm::dissemination
                                                : star                          ? NativeAlgorithm::star
                                                                                : NativeAlgorithm::binomial_tree,
                                   .op = call_.op,
                                   .group_ring = size != model_.npus,
                                   .unequal = call_.parts != 0,
                                   .members = size,
                                   .endpoint_delay = model_.endpoint_delay,
                                   .root = is_permuted_world ? group_.ranks[call_.root] : call_.root});
  }

  // Adds a phase. Returns the bytes of data of the next phase.
  std::int64_t add_phase(const LogicalDim& d, Collective op, QueueUse use, std::int64_t bytes) {
    PhasePlan p{.algorithm = d.choice.algorithm,
                .op = op,
                .use = use,
                .group_ring = d.group_ring,
                .unequal = call_.parts != 0,
                .dim = d.dim,
                .members = d.members,
                .stride = d.stride,
                .cell_stride = d.cell_stride,
                .data_bytes = bytes};
    const auto own_delay = d.group_ring ? model_.rules.endpoint_delay_of_groups() : std::nullopt;
    p.endpoint_delay = own_delay.value_or(model_.endpoint_delay);
    const std::uint64_t n = d.members;
    const auto signed_n = static_cast<std::int64_t>(n);
    p.message_bytes = op == Collective::all_gather ? bytes : bytes / signed_n;
    switch (d.choice.algorithm) {
      case NativeAlgorithm::direct:
        p.window = std::min(d.choice.window.value_or(d.members - 1), d.members - 1);
        p.cycle = std::uint64_t{p.window} * (d.group_ring ? n : 2);
        p.steps = op == Collective::all_reduce ? 2 * (n - 1) : n - 1;
        break;
      case NativeAlgorithm::halving_doubling: plan_halving_doubling(p); break;
      case NativeAlgorithm::double_binary_tree:
        if (!std::has_single_bit(n))
          refuse("double_binary_tree requires a power-of-two number of NPUs, not " + std::to_string(n) +
                 "; use ring or direct");
        if (op != Collective::all_reduce && !model_.rules.trees_always_reduce())
          refuse("double_binary_tree supports only all_reduce; ASTRA-sim runs an all_reduce instead of " +
                 std::string(name(op)));
        p.message_bytes = bytes;
        break;
      default:
        p.cycle = n;
        p.steps = op == Collective::all_reduce   ? 2 * (n - 1)
                  : op == Collective::all_to_all ? n * (n - 1) / 2
                                                 : n - 1;
    }
    if (p.message_bytes == 0 && model_.rules.messages_have_bytes())
      refuse("messages of 0 bytes: " + counted(bytes, "byte") + " in " + counted(n, "shard"));
    p.reduction = model_.reduction(p.message_bytes);
    plan_.orders.back().push_back(p);
    if (d.choice.algorithm == NativeAlgorithm::double_binary_tree) return bytes;
    if (op == Collective::reduce_scatter) return bytes / signed_n;
    if (op != Collective::all_gather) return bytes;
    if (__builtin_mul_overflow(bytes, signed_n, &bytes)) refuse("the result of the all_gather exceeds 2^63 bytes");
    return bytes;
  }

  void plan_halving_doubling(PhasePlan& p) const {
    const std::uint64_t n = p.members;
    if (!std::has_single_bit(n))
      refuse("halving_doubling requires a power-of-two number of NPUs, not " + std::to_string(n) +
             "; use ring or direct");
    if (p.op == Collective::all_to_all) refuse("halving_doubling cannot run all_to_all; use direct or ring");
    const auto levels = static_cast<std::uint64_t>(std::countr_zero(n));
    p.cycle = levels;
    p.steps = p.op == Collective::all_reduce ? 2 * levels : levels;
    p.message_bytes = p.op == Collective::all_gather ? p.data_bytes : p.data_bytes / 2;
    if (model_.rules.messages_have_bytes() && p.op != Collective::all_gather && (p.data_bytes >> levels) == 0)
      refuse("messages of 0 bytes: " + counted(p.data_bytes, "byte") + " in " + counted(n, "shard"));
  }

  void count_trees() {
    std::vector<PhasePlan>& phases = plan_.orders.back();
    for (PhasePlan& p : phases) {
      if (p.algorithm != NativeAlgorithm::double_binary_tree) continue;
      for (const PhasePlan& q : phases) {
        if (q.dim != p.dim) continue;
        if (&q < &p) ++p.tree_turn;
        ++p.trees;
      }
    }
  }

  const SystemModel& model_;
  const SystemGroup& group_;
  const CollectiveCall& call_;
  CollectivePlan plan_;
};

}  // namespace

std::string_view name(WirePolicy policy) {
  switch (policy) {
    case WirePolicy::arrival: return "arrival";
    case WirePolicy::lifo: return "lifo";
    case WirePolicy::fifo: return "fifo";
    case WirePolicy::priority: return "priority";
    case WirePolicy::smallest: return "smallest";
  }
  return "";
}

std::uint32_t SystemGroup::place(Rank npu) const {
  if (ranks.empty()) return npu;
  const auto at = std::lower_bound(places.begin(), places.end(), std::pair{npu, std::uint32_t{0}});
  return at == places.end() || at->first != npu ? static_cast<std::uint32_t>(ranks.size()) : at->second;
}

Picoseconds SystemModel::reduction(std::int64_t bytes) const {
  if (local_mem_bytes_per_s == 0) return 0;
  const double ns = static_cast<double>(bytes) / local_mem_bytes_per_s * 1e9;
  if (!(ns < 3e15))
    throw input_error({}, "a reduction takes more than 35 days: local-mem-bw is too small", "system");
  return 3 * static_cast<Picoseconds>(ns) * ps_per_ns;
}

std::uint32_t SystemGroup::number(Rank npu) const {
  if (ranks.empty()) return npu;
  const auto at = std::lower_bound(places.begin(), places.end(), std::pair{npu, std::uint32_t{0}});
  return static_cast<std::uint32_t>(at - places.begin());
}

std::int64_t larger_buffer(const SystemModel& model, const CollectiveCall& call, std::uint32_t npus) {
  if (call.parts != 0) {
    const std::vector<std::int64_t>& parts = model.parts[call.parts - 1];
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  }
  std::int64_t bytes = call.op == Collective::barrier ? 0 : call.bytes;
  if (states_part(call.op) && __builtin_mul_overflow(bytes, npus, &bytes)) return INT64_MAX;
  return bytes;
}

CollectivePlan plan_collective(const SystemModel& model, const SystemGroup& group, const CollectiveCall& call) {
  return Planner(model, group, call).run();
}

}  // namespace convert
