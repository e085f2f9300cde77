// SPDX-License-Identifier: MIT
// Set of node ids, stored as ranges.
#pragma once

#include <iterator>
#include <map>

#include "core/trace.h"

namespace convert {

class IdRanges {
 public:
  // Adds an id. Returns false if the set contains it already.
  bool add(NodeId id) {
    auto after = ranges_.upper_bound(id);
    if (after != ranges_.begin()) {
      auto before = std::prev(after);
      if (before->second >= id) return false;
      if (before->second + 1 == id) {
        before->second = id;
        if (after != ranges_.end() && after->first == id + 1) {
          before->second = after->second;
          ranges_.erase(after);
        }
        return true;
      }
    }
    if (after != ranges_.end() && after->first == id + 1) {
      const NodeId last = after->second;
      ranges_.erase(after);
      ranges_[id] = last;
    } else {
      ranges_[id] = id;
    }
    return true;
  }

 private:
  std::map<NodeId, NodeId> ranges_;
};

}  // namespace convert
