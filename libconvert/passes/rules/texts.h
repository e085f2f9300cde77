// SPDX-License-Identifier: MIT
// Checks, for the rule attributes, texts that protobuf readers would reject, and repeated attributes of a node or
// the metadata.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert::rules {

// Checks the texts of one trace.
class TextChecker {
 public:
  TextChecker(const Trace& trace, Diagnostics& diagnostics);

  void check_metadata();
  // Starts a batch with the nodes that the trace currently holds.
  void begin_batch();
  // Checks the names of attributes, the values of repeated attributes, and all texts of the node.
  void check_node(std::size_t index);

 private:
  // State of an attribute name: the last owner that has it, and whether it is UTF-8.
  struct Known {
    std::uint64_t owner = 0;  // number of the node checked; or the metadata
    const Attr* first = nullptr;
    bool is_new = true;
    bool valid = true;
    bool told = false;  // reported for that owner
  };

  // Returns whether the name is valid.
  bool check_name(const AttrTable& table, const Attr& a, std::uint64_t owner);
  void check_repeated(const AttrTable& table, Known& known, const Attr& a);
  void check_texts();
  void check_io(std::uint32_t io, std::string_view side);
  void check_attribute(const AttrTable& table, const Attr& a, std::string_view owner);
  void check(std::string_view text, std::string_view owner, std::string_view what);
  [[nodiscard]] Location where() const;
  [[nodiscard]] std::string about() const;

  const Trace& trace_;
  const NodeTable& table_;
  Diagnostics& diagnostics_;
  bool all_ascii_ = false;
  bool in_metadata_ = false;
  std::size_t index_ = 0;
  std::uint64_t nodes_ = 0;   // number of nodes checked
  std::vector<Known> names_;  // by Name::index
};

}  // namespace convert::rules
