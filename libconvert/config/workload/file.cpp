// SPDX-License-Identifier: MIT
// Reader of workload files.
#include <algorithm>

#include "config/workload/kinds.h"
#include "config/yaml_tree.h"
#include "core/words.h"

namespace convert {
namespace {

const YamlSubject workload_yaml = {.noun = "workload file",
                                   .rule = "workload",
                                   .is_empty = "is empty; expected model, run and plan",
                                   .max_keys = 64};

// Adds the settings of a file to a request.
class WorkloadFile {
 public:
  WorkloadFile(const std::string& file, std::string_view text)
      : file_(file), root_(parse_yaml_tree(file, text, workload_yaml)) {
    for (const WorkloadSetting& s : settings_of({})) paths_.push_back(s.key);
  }

  WorkloadRequest read() {
    check_yaml_keys(file_, root_, {"model", "run", "plan", "time"}, workload_yaml);
    const YamlNode* const model = root_.find("model");
    if (model == nullptr) throw at(root_, "model is missing; give the name of a preset, or its layers, hidden, …");
    request_.file = file_;
    request_.line = model->line;
    request_.column = model->column;
    if (model->kind == YamlNode::Kind::scalar) {
      if (model->text.empty())
        throw at(*model, "model has no value; give the name of a preset, or its layers, hidden, …");
      request_.preset = model->text;
    } else {
      add_part("model", *model);
      if (const YamlNode* const kind = model->find("kind")) request_.kind = kind_of(*kind);
    }
    request_.own_plan = root_.find("plan") != nullptr;
    for (const char* part : {"run", "plan", "time"}) {
      if (const YamlNode* const map = root_.find(part)) add_part(part, *map);
    }
    return std::move(request_);
  }

 private:
  [[nodiscard]] Error at(const YamlNode& node, const std::string& message) const {
    return input_error({.file = file_, .line = node.line, .column = node.column}, message, "workload");
  }

  // Returns the text of a value; the elements of a list are joined.
  [[nodiscard]] std::string value_of(const std::string& key, const YamlNode& node) const {
    if (node.kind == YamlNode::Kind::scalar) {
      if (node.text.empty()) throw at(node, key + " has no value");
      return node.text;
    }
    if (node.kind == YamlNode::Kind::map) throw at(node, "expected a value, not a map");
    std::vector<std::string> items;
    for (const YamlNode& item : node.items) {
      if (item.kind != YamlNode::Kind::scalar) throw at(item, "expected a number");
      items.push_back(item.text);
    }
    return join(items, ",");
  }

  [[nodiscard]] ModelKind kind_of(const YamlNode& node) const try {
    return parse_model_kind(node.text);
  } catch (const Error& e) {
    throw at(node, e.what());
  }

  // Returns the keys allowed under a path, "model" or "model.moe".
  [[nodiscard]] std::vector<std::string> keys_under(const std::string& path) const {
    std::vector<std::string> out;
    for (const std::string& p : paths_) {
      if (!p.starts_with(path + ".")) continue;
      std::string key = p.substr(path.size() + 1);
      key.resize(std::min(key.size(), key.find('.')));
      if (out.empty() || out.back() != key) out.push_back(key);
    }
    return out;
  }

  void add_part(const std::string& path, const YamlNode& map) {
    if (map.kind != YamlNode::Kind::map) throw at(map, "expected keys and values under " + path);
    check_yaml_keys(file_, map, keys_under(path), workload_yaml);
    for (std::size_t i = 0; i < map.items.size(); i += 2) {
      const std::string key = path + "." + map.items[i].text;
      const YamlNode& value = map.items[i + 1];
      if (!keys_under(key).empty()) {
        add_part(key, value);
      } else {
        request_.settings.push_back({key, value_of(key, value), value.line, value.column});
      }
    }
  }

  std::string file_;
  YamlNode root_;
  std::vector<std::string> paths_;  // of all settings
  WorkloadRequest request_;
};

}  // namespace

WorkloadRequest parse_workload_request(const std::string& file, std::string_view text) {
  return WorkloadFile(file, text).read();
}

}  // namespace convert
