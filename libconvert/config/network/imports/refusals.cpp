// SPDX-License-Identifier: MIT
// Says of files that are known and hold no network, or not in a form that is read, what they are.
#include "config/network/imports/import.h"
#include "config/network/imports/infragraph_model.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

[[noreturn]] void refuse(const ImportSource& source, const std::string& why) {
  throw input_error({.file = source.name}, why, "network");
}

bool sniff_nccl_graph(std::string_view text) {
  const std::string_view root = first_element(text);
  return root == "graphs" || root == "graph";
}
NetworkConfig refuse_nccl_graph(const ImportSource& source) {
  refuse(source,
         "is a graph file of NCCL (NCCL_GRAPH_DUMP_FILE): the channels that NCCL chose, no network; that is in the "
         "topology file (NCCL_TOPO_DUMP_FILE); et-generate --algorithm graph:FILE makes its rings");
}

bool sniff_hwloc(std::string_view text) { return first_element(text) == "topology"; }
NetworkConfig refuse_hwloc(const ImportSource& source) {
  refuse(source,
         "is a topology of hwloc (lstopo), which does not say how fast links are; give NCCL's "
         "(NCCL_TOPO_DUMP_FILE)");
}

bool sniff_other_xml(std::string_view text) {
  const std::string_view root = first_element(text);
  return !root.empty() && root != "algo";
}
NetworkConfig refuse_other_xml(const ImportSource& source) {
  refuse(source, "is XML with root <" + std::string(first_element(source.text).substr(0, 40)) +
                     ">; a network in XML is a topology of NCCL, with root <system>");
}

bool sniff_logical_dims(std::string_view text) {
  return text.starts_with('{') && mentions_key(text, "logical-dims");
}
NetworkConfig refuse_logical_dims(const ImportSource& source) {
  refuse(source, "holds the logical dimensions only; give the physical topology file");
}

bool sniff_taccl(std::string_view text) {
  return mentions_key(text, "node_invbws_list") || mentions_key(text, "node_betas_list");
}
NetworkConfig refuse_taccl(const ImportSource& source) {
  refuse(source,
         "is a topology of TACCL, which holds costs; which links a machine has is in TACCL's program, by the "
         "machine's "
         "name. Write them as a list of links");
}

bool sniff_teccl(std::string_view text) { return mentions_key(text, "TopologyParams"); }
NetworkConfig refuse_teccl(const ImportSource& source) {
  refuse(
      source,
      "is an input of TE-CCL, which names a topology; its links are in TE-CCL's program. TE-CCL's schedules hold "
      "them, and are taken in place of a network");
}

bool sniff_infragraph_1(std::string_view text) {
  return mentions_key(text, "infrastructure") ||
         (mentions_key(text, "devices") && mentions_key(text, "connections"));
}
NetworkConfig refuse_infragraph_1(const ImportSource& source) { refuse(source, infragraph_1_text); }

bool sniff_htsim(std::string_view text) { return text.starts_with("Nodes ") && text.find("\nTiers ") < 200; }
NetworkConfig refuse_htsim(const ImportSource& source) {
  refuse(source,
         "is a topology of htsim, which is not read; give it in short form, such as tree:8x4,bw=25GB/s,lat=1us");
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
const NetworkImport nccl_graph_file_import = {
    .noun = {}, .keys = {}, .sniff = sniff_nccl_graph, .read = refuse_nccl_graph};
const NetworkImport hwloc_import = {.noun = {}, .keys = {}, .sniff = sniff_hwloc, .read = refuse_hwloc};
const NetworkImport other_xml_import = {.noun = {}, .keys = {}, .sniff = sniff_other_xml, .read = refuse_other_xml};
const NetworkImport logical_dims_import = {
    .noun = {}, .keys = {}, .sniff = sniff_logical_dims, .read = refuse_logical_dims};
const NetworkImport taccl_import = {.noun = {}, .keys = {}, .sniff = sniff_taccl, .read = refuse_taccl};
const NetworkImport teccl_import = {.noun = {}, .keys = {}, .sniff = sniff_teccl, .read = refuse_teccl};
const NetworkImport infragraph_1_import = {
    .noun = {}, .keys = {}, .sniff = sniff_infragraph_1, .read = refuse_infragraph_1};
const NetworkImport htsim_import = {.noun = {}, .keys = {}, .sniff = sniff_htsim, .read = refuse_htsim};

}  // namespace convert
