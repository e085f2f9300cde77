// SPDX-License-Identifier: MIT
// Streams of a rank's devices: the operations of each in the order in which they ran, and the launched operations
// at each moment of the visit of the threads.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "passes/link/order/events.h"

namespace convert {

class Streams {
 public:
  // A wait of a stream: operations launched on it afterwards wait for `operation`.
  struct Wait {
    std::uint32_t launches = 0;  // on all streams, before the wait
    std::uint32_t operation = 0;
    std::uint32_t call = 0;
  };
  struct Launched {
    std::uint32_t launch = 0;  // number, from 1 over all streams
    std::uint32_t operation = 0;
    std::uint32_t thread = 0;  // of the call
    std::int64_t call_ns = 0;
  };
  // A moment of a thread: its time, and the number of launches so far.
  struct Moment {
    std::uint32_t launches = 0;  // on all streams, before the moment
    std::uint32_t thread = 0;
    std::int64_t time_ns = 0;
  };
  struct Stream {
    std::int64_t device = 0;
    std::vector<std::uint32_t> operations;  // in the order in which they ran
    std::vector<Launched> launched;         // so far
    std::vector<Wait> waits;
    std::size_t next = 0;           // into operations: the next to become a node
    std::size_t next_wait = 0;      // into waits: the next to hold back an operation
    std::uint32_t last = no_index;  // operation that became a node last
    // The neighbours of the stream in the order of last launches.
    std::uint32_t older = no_index, newer = no_index;
  };

  Streams(const Profile* device, const Launches& launches);

  [[nodiscard]] std::size_t size() const { return streams_.size(); }
  Stream& operator[](std::uint32_t stream) { return streams_[stream]; }
  [[nodiscard]] std::uint32_t of(std::uint32_t operation) const { return places_[operation].stream; }
  // Returns the position of an operation on its stream.
  [[nodiscard]] std::uint32_t place(std::uint32_t operation) const { return places_[operation].place; }

  // Records a launch and returns its number.
  std::uint32_t launch(std::uint32_t operation, std::uint32_t thread, std::int64_t call_ns);
  [[nodiscard]] std::uint32_t launches() const { return launches_; }
  // Returns the stream with that number, on another device if this one has none; no_index if there is no such
  // stream.
  [[nodiscard]] std::uint32_t find(std::int64_t device, std::int64_t stream) const;
  // Returns the operation launched last before a moment; on other threads, by a call that began before it.
  [[nodiscard]] std::uint32_t last_launched(std::uint32_t stream, const Moment& before) const;
  // Calls fn(stream, operation launched last) for streams with launches, the latest first. Visits at most
  // `most_streams`, far more than a device has, so that work on hostile input stays linear.
  template <class Fn>
  void for_each_launched(const Moment& before, const Fn& fn) const {
    std::size_t count = 0;
    for (std::uint32_t s = newest_; s != no_index && count < most_streams; s = streams_[s].older, ++count) {
      const std::uint32_t operation = last_launched(s, before);
      if (operation != no_index) fn(streams_[s], operation);
    }
  }

 private:
  static constexpr std::size_t most_streams = 256;
  struct Place {
    std::uint32_t stream = no_index;
    std::uint32_t place = 0;
  };

  std::vector<Stream> streams_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> by_key_;  // device, stream
  std::map<std::int64_t, std::uint32_t> by_number_;                        // the first of any device
  std::vector<Place> places_;                                              // by operation
  std::uint32_t launches_ = 0;
  std::uint32_t newest_ = no_index;
};

}  // namespace convert
