// SPDX-License-Identifier: MIT
#include "config/workload/kinds.h"

#include <algorithm>
#include <vector>

#include "core/words.h"

namespace convert {
namespace {

using enum ModelKind;

// Settings with this path prefix, and the kinds that have them. The first matching prefix applies.
struct Scope {
  std::string_view prefix;
  std::vector<ModelKind> kinds;
};

const std::vector<Scope>& scopes() {
  static const std::vector<ModelKind> all = {transformer, mlp, dlrm, resnet, vit};
  static const std::vector<Scope> list = {
      {"model.kind", all},
      {"model.widths", {mlp}},
      {"model.tables", {dlrm}},
      {"model.dim", {dlrm}},
      {"model.bottom", {dlrm}},
      {"model.top", {dlrm}},
      {"model.blocks", {resnet}},
      {"model.patch", {vit}},
      {"model.image", {resnet, vit}},
      {"model.classes", {resnet, vit}},
      {"model.layers", {transformer, vit}},
      {"model.hidden", {transformer, vit}},
      {"model.heads", {transformer, vit}},
      {"model.ffn", {transformer, vit}},
      {"run.micro_batch", all},
      {"run.iterations", all},
      {"run.activations", all},
      {"run.gradients", all},
      {"run.flops", {transformer, vit}},
      {"plan.data", all},
      {"plan.inner", {mlp}},
      {"plan.deal", {dlrm}},
      {"plan.tensor", {transformer, mlp}},
      {"plan.buckets", {transformer, dlrm, resnet, vit}},
      {"time.", all},
      {"", {transformer}},
  };
  return list;
}

const std::vector<ModelKind>& kinds_with(std::string_view path) {
  return std::ranges::find_if(scopes(), [&](const Scope& s) { return path.starts_with(s.prefix); })->kinds;
}

}  // namespace

bool has_setting(ModelKind kind, std::string_view path) {
  return std::ranges::find(kinds_with(path), kind) != kinds_with(path).end();
}

ModelKind parse_model_kind(std::string_view text) {
  const auto at = std::ranges::find(model_kind_names, text);
  if (at == model_kind_names.end())
    throw usage_error("model.kind: " + std::string(text) + ": expected " + join(model_kind_names, " or "));
  return static_cast<ModelKind>(at - model_kind_names.begin());
}

void check_kind_of_setting(ModelKind kind, std::string_view path) {
  if (has_setting(kind, path)) return;
  std::vector<std::string> names;
  for (const ModelKind k : kinds_with(path)) names.emplace_back(name(k));
  throw usage_error(std::string(path) + " is for models of kind " + join(names, " or ") + ", not " +
                    std::string(name(kind)));
}

}  // namespace convert
