// SPDX-License-Identifier: MIT
#include "generate/workload/models.h"

#include "generate/workload/inference/inference.h"
#include "generate/workload/models/dlrm.h"
#include "generate/workload/models/images.h"
#include "generate/workload/models/mlp.h"
#include "generate/workload/parameters.h"
#include "generate/workload/step.h"

namespace convert {

std::int64_t parameters_of(const Workload& w) {
  switch (w.kind) {
    case ModelKind::transformer: return Parameters(w.model).total();
    case ModelKind::mlp: return parameters_of(w.mlp);
    case ModelKind::dlrm: return parameters_of(w.dlrm);
    case ModelKind::resnet: return resnet_parameters(w.image);
    case ModelKind::vit: return vit_parameters(w);
  }
  return 0;
}

std::int64_t active_parameters_of(const Workload& w) {
  return w.kind == ModelKind::transformer ? Parameters(w.model).active() : parameters_of(w);
}

std::vector<StageBody> make_bodies(const Workload& w, const PlanGroups& groups) {
  std::vector<StageBody> bodies;
  switch (w.kind) {
    case ModelKind::transformer:
      for (std::int64_t stage = 0; stage < w.plan.pipeline; ++stage) {
        if (w.step.trains()) {
          bodies.push_back(make_stage(w, groups, stage));
        } else if (!w.plan.disaggregates()) {
          bodies.push_back(make_inference(w, groups, stage, ReplicaRole::all));
        } else {
          bodies.push_back(make_inference(w, groups, stage, ReplicaRole::prefill));
          bodies.push_back(make_inference(w, groups, stage, ReplicaRole::decode));
        }
      }
      break;
    case ModelKind::mlp: bodies.push_back(make_mlp(w, groups)); break;
    case ModelKind::dlrm: bodies.push_back(make_dlrm(w, groups)); break;
    case ModelKind::resnet: bodies.push_back(make_resnet(w, groups)); break;
    case ModelKind::vit: bodies.push_back(make_vit(w, groups)); break;
  }
  return bodies;
}

}  // namespace convert
