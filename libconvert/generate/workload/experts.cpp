// SPDX-License-Identifier: MIT
// Expert part of a layer.
#include <algorithm>
#include <string>
#include <utility>

#include "generate/workload/layer.h"
#include "generate/workload/loads.h"

namespace convert {

BodyIndex LayerMaker::load_of(const At& at) {
  if (w_.step.zipf == 0) return no_node;
  const auto [found, is_new] = loads_.try_emplace({at.layer, at.micro_batch}, no_node);
  if (!is_new) return found->second;
  // The experts of a rank are consecutive.
  const std::vector<std::int64_t> of_experts = expert_loads(w_, at.layer, at.micro_batch, own_tokens_);
  const std::size_t each = of_experts.size() / static_cast<std::size_t>(w_.plan.expert);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(w_.plan.expert));
  for (std::size_t i = 0; i < of_experts.size(); ++i) rows[i / each] += of_experts[i];
  if (std::ranges::find(rows, 0) != rows.end())
    throw usage_error("run.imbalance.zipf leaves a rank of plan.expert " + std::to_string(w_.plan.expert) +
                      " without any of the " + std::to_string(own_tokens_) +
                      " tokens of run.sequence on each rank");
  found->second = static_cast<BodyIndex>(b_.body().loads.size());
  b_.body().loads.push_back(std::move(rows));
  return found->second;
}

// Experts without tokens are not read.
ExpertMatrices LayerMaker::experts_of(const At& at) {
  return {std::min(m_.experts / w_.plan.expert, own_tokens_ * m_.experts_per_token), load_of(at)};
}

void LayerMaker::follow(BodyIndex load, std::int64_t operations, std::int64_t bytes, std::int64_t fixed_bytes) {
  if (load != no_node) b_.follow({static_cast<std::uint32_t>(load), operations, bytes, fixed_bytes});
}

// In fp8 a copy has a scale of 4 bytes for every 128 elements (DeepSeek-V3 report, §3.3).
BodyIndex LayerMaker::exchange(BodyIndex x, bool to_experts, BodyIndex load) {
  const std::int64_t element = to_experts && w_.plan.dispatch_bytes != 0 ? w_.plan.dispatch_bytes : element_;
  const std::int64_t scales = to_experts && w_.plan.dispatch_bytes == 1 ? 4 * ((h_ + 127) / 128) : 0;
  const std::int64_t copy = element * h_ + scales;
  x = b_.collective(Collective::all_to_all, own_tokens_ * m_.experts_per_token * copy, GroupKind::expert, x);
  if (load != no_node) b_.follow({static_cast<std::uint32_t>(load), 0, copy, 0, to_experts});
  return x;
}

BodyIndex LayerMaker::experts(const At& at, BodyIndex norm) {
  const std::int64_t own = own_tokens_, f = m_.expert_ffn, k = m_.experts_per_token;
  const ExpertMatrices those = experts_of(at);
  const BodyIndex load = those.load;
  BodyIndex x =
      b_.compute("router", real(2 * own * h_ * m_.experts), real(element_ * own * (h_ + m_.experts)), {norm});
  // Outputs scores; on a rank with all experts, also the rows for them.
  const std::int64_t row = b_.has(GroupKind::expert) ? 0 : k * h_;
  b_.gives(real(element_ * own * (m_.experts + row)));
  keep(at, "shared_up", norm);
  const BodyIndex scores = keep(at, "router", x);
  x = exchange(x, true, load);
  if (row == 0) b_.reads(norm);
  keep(at, "experts_up", x);
  const bool early = w_.plan.shared == SharedExperts::early;
  BodyIndex shared = early ? shared_experts(at, norm) : no_node;
  x = keep(at, "experts_act", gemm("experts_up", h_, gates_ * f, own * k, {x}, those));
  x = b_.compute("experts_act", real(4 * own * k * f), real(element_ * (gates_ + 1) * own * k * f), {x});
  b_.gives(real(element_ * own * k * f));
  keep(at, "experts_down", x);
  follow(load, 4 * f, element_ * (gates_ + 1) * f);
  x = gemm("experts_down", f, h_, own * k, {x}, those);
  if (!early) shared = shared_experts(at, norm);
  x = keep(at, "combine", exchange(x, false, load));
  x = b_.compute("combine", real(2 * own * k * h_), real(element_ * (k + 1) * own * h_), {x, shared});
  b_.gives(real(element_ * own * h_));
  b_.reads(scores);
  return x;
}

// Shared experts depend only on the norm: after the other experts they overlap the transfer back from the experts,
// before them the transfer to the experts.
BodyIndex LayerMaker::shared_experts(const At& at, BodyIndex norm) {
  const std::int64_t s = all_.shared_ffn();
  if (s == 0) return no_node;
  BodyIndex x = keep(at, "shared_act", gemm("shared_up", h_, gates_ * s / t_, tokens_, {gather(norm)}));
  x = b_.compute("shared_act", real(4 * tokens_ * s / t_), real(element_ * (gates_ + 1) * tokens_ * s / t_), {x});
  b_.gives(real(element_ * tokens_ * s / t_));
  keep(at, "shared_down", x);
  return reduce(gemm("shared_down", s / t_, h_, tokens_, {x}));
}

BodyIndex LayerMaker::experts_back(const Pass& pass) {
  const std::int64_t own = own_tokens_, f = m_.expert_ffn, k = m_.experts_per_token;
  const ExpertMatrices those = experts_of(pass.at);
  const BodyIndex load = those.load;
  const BodyIndex combined =
      b_.compute("combine_bwd", real(2 * own * k * h_), real(element_ * (k + 1) * own * h_), {pass.gradient});
  b_.gives(real(element_ * own * k * h_));
  b_.reads(kept(pass.at, "combine"));
  b_.reads(kept(pass.at, "router"));
  BodyIndex x = exchange(combined, true, load);
  const bool early = w_.plan.shared == SharedExperts::early;
  BodyIndex shared = early ? shared_experts_back(pass, combined) : no_node;
  Linear down{"experts_down", f, h_, own * k}, up{"experts_up", h_, gates_ * f, own * k};
  down.experts = up.experts = those;
  x = linear_back(pass, down, x);
  x = b_.compute("experts_act_bwd", real(6 * own * k * f), real(element_ * (2 * gates_ + 1) * own * k * f), {x});
  b_.gives(real(element_ * own * k * gates_ * f));
  b_.reads(kept(pass.at, "experts_act"));
  follow(load, 6 * f, element_ * (2 * gates_ + 1) * f);
  x = linear_back(pass, up, x);
  if (!early) shared = shared_experts_back(pass, combined);
  x = exchange(x, false, load);
  x = b_.compute("router_bwd", real(4 * own * h_ * m_.experts), real(2 * element_ * own * (h_ + m_.experts)),
                 {x, shared});
  b_.gives(real(element_ * own * h_));
  for (const char* const name : {"router", "up"}) b_.reads(kept(pass.at, name));
  return gradients_[{pass.at.layer, "router"}] = x;
}

BodyIndex LayerMaker::shared_experts_back(const Pass& pass, BodyIndex gradient) {
  const std::int64_t s = all_.shared_ffn();
  if (s == 0) return no_node;
  BodyIndex x = linear_back(pass, {"shared_down", s / t_, h_, tokens_, true}, gradient);
  x = b_.compute("shared_act_bwd", real(6 * tokens_ * s / t_), real(element_ * (2 * gates_ + 1) * tokens_ * s / t_),
                 {x});
  b_.gives(real(element_ * gates_ * tokens_ * s / t_));
  b_.reads(kept(pass.at, "shared_act"));
  return linear_back(pass, {"shared_up", h_, gates_ * s / t_, tokens_, false, true, true}, x);
}

}  // namespace convert
