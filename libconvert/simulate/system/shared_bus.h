// SPDX-License-Identifier: MIT
// ASTRA-sim's memory bus of each NPU, modelled by LogGP: an outer bus between the NPU and its memory agent, and an
// inner bus on the outer bus's NPU side.
#pragma once

#include <cstdint>
#include <vector>

#include "config/system.h"
#include "simulate/engine/npu_events.h"
#include "simulate/engine/pool.h"

namespace convert {

template <class Observer>
class SystemLayer;

template <class Observer>
class SharedBus {
 public:
  SharedBus(const SharedBus&) = delete;
  SharedBus& operator=(const SharedBus&) = delete;
  // `reduction_delay` is in ns per 100 bytes that the bus reduces.
  SharedBus(const SharedBusConfig& config, std::int64_t reduction_delay, Rank npus, const EventQueue& queue,
            NpuEvents<Observer>& events, SystemLayer<Observer>& layer);

  // Sends a bundle over the outer bus, from the NPU's side or from the memory agent's. There it is reduced if
  // `reduce`, and sent back if `send_back`. Then `done` is fired.
  void request(Rank npu, bool from_npu, std::int64_t bytes, bool reduce, bool send_back, Waiter done);
  // Handles the due Waiter::bus `index`.
  void fire(std::uint32_t index);

 private:
  enum class State : std::uint8_t { free, sending, receiving };
  enum class Event : std::uint8_t { sent, received, reduced };
  // Next step after a request has crossed its bus.
  enum class Then : std::uint8_t {
    done,       // `waiter` is fired
    send,       // request `outer` joins the sends of side `side`
    reduce,     // `outer` joins the side's reductions
    send_back,  // `outer` joins the sends, back to its origin
    deliver,    // `outer` is done
  };
  struct Request {
    std::int64_t bytes = 0;
    Waiter waiter{};
    std::uint32_t next = 0;  // 1 + request in a list
    std::uint32_t side = 0;
    std::uint32_t outer = 0;
    Then then = Then::done;
    bool reduce = false;
    bool send_back = false;
  };
  struct List {
    std::uint32_t head = 0;  // 1 + request
    std::uint32_t tail = 0;
    std::uint32_t size = 0;
  };
  struct Side {
    Picoseconds last = 0;  // when the state last changed to free
    std::uint32_t sent_in_a_row = 0;
    State state = State::free;
    State before = State::free;
    bool reducing = false;
    List sends{};
    List receives{};
    List reductions{};
  };

  // Sides of each NPU: outer NPU side, outer memory side, inner NPU side, inner memory side.
  static constexpr std::uint32_t sides_per_npu = 4;
  [[nodiscard]] static bool has_inner(std::uint32_t side) { return side % sides_per_npu == 0; }
  [[nodiscard]] static std::uint32_t partner(std::uint32_t side) { return side ^ 1U; }

  void append(List& list, std::uint32_t request);
  std::uint32_t take(List& list);
  void add_event(std::uint32_t side, Picoseconds delay, Event event);
  void submit(std::uint32_t side, std::uint32_t request);
  void cross_inner(std::uint32_t side, std::uint32_t outer, bool from_npu, bool send_back, Then then);
  void go_on(std::uint32_t side);
  void try_to_send(std::uint32_t side);
  void send(std::uint32_t side);
  void receive(std::uint32_t side);
  void reduce(std::uint32_t side, std::uint32_t request);
  void start_reduction(std::uint32_t side);
  void route(std::uint32_t side, std::uint32_t request);
  void finish(std::uint32_t side, std::uint32_t request);

  const SharedBusConfig config_;
  const std::int64_t reduction_delay_;
  const EventQueue& queue_;
  NpuEvents<Observer>& events_;
  SystemLayer<Observer>& layer_;
  std::vector<Side> sides_;
  Pool<Request, &Request::next> requests_;
};

}  // namespace convert
