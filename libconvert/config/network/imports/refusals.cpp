// SPDX-License-Identifier: MIT
// Recognised formats that contain no network, or are not supported, with the reason for the rejection.
#include "config/network/imports/import.h"
#include "config/network/imports/infragraph_model.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

bool sniff_nccl_graph(std::string_view text) {
  const std::string_view root = first_element(text);
  return root == "graphs" || root == "graph";
}
std::string refuse_nccl_graph(std::string_view /*text*/) {
  return "is an NCCL graph file (NCCL_GRAPH_DUMP_FILE), which contains channels, not the network; use the "
         "topology file (NCCL_TOPO_DUMP_FILE); et-generate --algorithm graph:FILE generates its rings";
}

bool sniff_hwloc(std::string_view text) { return first_element(text) == "topology"; }
std::string refuse_hwloc(std::string_view /*text*/) {
  return "is a topology of hwloc (lstopo), which has no link bandwidths; use the topology file of NCCL "
         "(NCCL_TOPO_DUMP_FILE)";
}

bool sniff_other_xml(std::string_view text) {
  const std::string_view root = first_element(text);
  return !root.empty() && root != "algo";
}
std::string refuse_other_xml(std::string_view text) {
  return "is XML with root <" + std::string(first_element(text).substr(0, 40)) +
         ">; the only XML network is a topology of NCCL, with root <system>";
}

bool sniff_logical_dims(std::string_view text) {
  return text.starts_with('{') && mentions_key(text, "logical-dims");
}
std::string refuse_logical_dims(std::string_view /*text*/) {
  return "contains only the logical dimensions; use the physical topology file";
}

bool sniff_taccl(std::string_view text) {
  return mentions_key(text, "node_invbws_list") || mentions_key(text, "node_betas_list");
}
std::string refuse_taccl(std::string_view /*text*/) {
  return "is a topology of TACCL, which contains costs; look up the links in TACCL's program, by the "
         "machine's name, and write them as a list of links";
}

bool sniff_teccl(std::string_view text) { return mentions_key(text, "TopologyParams"); }
std::string refuse_teccl(std::string_view /*text*/) {
  return "is an input of TE-CCL, which only names a topology; use a schedule of TE-CCL, which contains "
         "the links";
}

bool sniff_infragraph_1(std::string_view text) {
  return mentions_key(text, "devices") && mentions_key(text, "connections");
}
std::string refuse_infragraph_1(std::string_view /*text*/) { return infragraph_1_text; }

bool sniff_infragraph_annotated(std::string_view text) {
  return mentions_key(text, "infrastructure") && !mentions_key(text, "connections");
}
std::string refuse_infragraph_annotated(std::string_view /*text*/) {
  return "is an annotated graph of InfraGraph 2 or 3, which is not supported; use the value of its key "
         "'infrastructure' as a separate file";
}

bool sniff_networkx(std::string_view text) {
  return mentions_key(text, "nodes") && (mentions_key(text, "edges") || mentions_key(text, "links")) &&
         mentions_key(text, "source") && mentions_key(text, "target");
}
std::string refuse_networkx(std::string_view /*text*/) {
  return "is a graph of networkx (nodes and edges), as InfraGraph 2 and 3 export it, which is not supported; use "
         "the "
         "infrastructure (devices and instances) or a list of links";
}

// Recognises "GPU0 GPU1 …" above rows of "GPU0 X NV2 …"; the first line may be underlined by escape sequences.
bool sniff_nvidia_smi(std::string_view text) {
  const std::size_t first = text.find("GPU0");
  if (first == std::string_view::npos ||
      text.substr(0, first).find_first_not_of("\x1b[0123456789m \t\r\n") != std::string_view::npos)
    return false;
  const std::size_t row = text.find("\nGPU0");
  return row != std::string_view::npos && text.substr(row, text.find('\n', row + 1) - row).find(" X ") < 200;
}
std::string refuse_nvidia_smi(std::string_view /*text*/) {
  return "is the output of nvidia-smi topo -m, which has no link bandwidths; use NCCL's topology "
         "(NCCL_TOPO_DUMP_FILE)";
}

bool sniff_rocm_smi(std::string_view text) {
  return text.substr(0, 4096).find("ROCm System Management Interface") != std::string_view::npos;
}
std::string refuse_rocm_smi(std::string_view /*text*/) {
  return "is the output of rocm-smi, which has no link bandwidths; use RCCL's "
         "topology (NCCL_TOPO_DUMP_FILE)";
}

bool sniff_mscclpp(std::string_view text) {
  return text.starts_with('{') && mentions_key(text, "gpus") &&
         (mentions_key(text, "threadblocks") || mentions_key(text, "channels"));
}
std::string refuse_mscclpp(std::string_view /*text*/) {
  return "is an execution plan of MSCCL++, which is not supported; use the algorithm in MSCCL-IR (XML)";
}

bool sniff_htsim(std::string_view text) { return text.starts_with("Nodes ") && text.find("\nTiers ") < 200; }
std::string refuse_htsim(std::string_view /*text*/) {
  return "is a topology of htsim, which is not supported; use the short form, such as tree:8x4,bw=25GB/s,lat=1us";
}

}  // namespace

extern const NetworkImport nccl_graph_file_import;
extern const NetworkImport hwloc_import;
extern const NetworkImport other_xml_import;
extern const NetworkImport logical_dims_import;
extern const NetworkImport taccl_import;
extern const NetworkImport teccl_import;
extern const NetworkImport infragraph_1_import;
extern const NetworkImport htsim_import;
extern const NetworkImport infragraph_annotated_import;
extern const NetworkImport networkx_import;
extern const NetworkImport nvidia_smi_import;
extern const NetworkImport rocm_smi_import;
extern const NetworkImport mscclpp_import;
const NetworkImport nccl_graph_file_import = {.sniff = sniff_nccl_graph, .refusal = refuse_nccl_graph};
const NetworkImport hwloc_import = {.sniff = sniff_hwloc, .refusal = refuse_hwloc};
const NetworkImport other_xml_import = {.sniff = sniff_other_xml, .refusal = refuse_other_xml};
const NetworkImport logical_dims_import = {.sniff = sniff_logical_dims, .refusal = refuse_logical_dims};
const NetworkImport taccl_import = {.sniff = sniff_taccl, .refusal = refuse_taccl};
const NetworkImport teccl_import = {.sniff = sniff_teccl, .refusal = refuse_teccl};
const NetworkImport infragraph_1_import = {.sniff = sniff_infragraph_1, .refusal = refuse_infragraph_1};
const NetworkImport infragraph_annotated_import = {.sniff = sniff_infragraph_annotated,
                                                   .refusal = refuse_infragraph_annotated};
const NetworkImport networkx_import = {.sniff = sniff_networkx, .refusal = refuse_networkx};
const NetworkImport nvidia_smi_import = {.sniff = sniff_nvidia_smi, .refusal = refuse_nvidia_smi};
const NetworkImport rocm_smi_import = {.sniff = sniff_rocm_smi, .refusal = refuse_rocm_smi};
const NetworkImport mscclpp_import = {.sniff = sniff_mscclpp, .refusal = refuse_mscclpp};
const NetworkImport htsim_import = {.sniff = sniff_htsim, .refusal = refuse_htsim};

}  // namespace convert
