// SPDX-License-Identifier: MIT
// Speed of the network models alone: CPU ns per hop of random messages, some thousand in flight at once, compared
// with a heap of as many events.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "bench/events.h"
#include "bench/report.h"
#include "simulate/networks/network.h"

namespace {

using namespace convert;

void run(const NetworkConfig& config, Network& network, EventQueue& queue, std::uint32_t messages) {
  const auto npus = static_cast<std::uint32_t>(config.npus());
  std::minstd_rand engine(1);
  const auto random = [&engine](std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); };
  std::uint32_t sent = 0;
  const auto send = [&](MessageToken message) {
    const Rank src = random(npus);
    network.send(src, (src + 1 + random(npus - 1)) % npus, 1000 + random(50'000), message);
    ++sent;
  };
  while (sent < 4 * npus) send(sent);
  while (!queue.empty()) {
    const MessageToken arrived = network.handle(queue.pop());
    if (arrived != no_message && sent < messages) send(arrived);
  }
}

void measure_network(bench::Report& report, const std::string& network, const NetworkOptions& options,
                     const std::string& how) {
  const std::string label =
      std::string(name(options.model)) + how + " / heap, " + network.substr(0, network.find(','));
  if (!report.wants({label})) return;
  const std::uint32_t messages = report.smoke ? 2000 : 200'000;
  const NetworkConfig config = parse_short_network(network);
  EventQueue queue;
  NetworkOptions counting = options;
  counting.count_wires = true;
  const auto counted = make_network(config, counting, queue);
  run(config, *counted, queue, messages);
  std::uint64_t hops = 0;
  for (const WireUse& u : counted->wire_use(queue.now())) hops += u.messages;
  const bench::Best best =
      bench::best_of_both([&] { bench::hold_events(hops, 4 * static_cast<std::uint32_t>(config.npus())); },
                          [&] {
                            EventQueue again;
                            run(config, *make_network(config, options, again), again, messages);
                          });
  report.add_time(label, "hop", static_cast<double>(hops), best, bench::at_most(250));
}

void measure(bench::Report& report) {
  for (const char* network :
       {"switch:1024,bw=50GB/s,lat=500ns", "fully_connected:1024,bw=50GB/s,lat=500ns",
        "ring:64,bw=50GB/s,lat=500ns", "torus:16x16x4,bw=50GB/s,lat=500ns", "hypercube:1024,bw=50GB/s,lat=500ns"}) {
    measure_network(report, network, {.model = NetworkModel::aware}, "");
    measure_network(report, network, {.model = NetworkModel::wires}, " store");
    measure_network(report, network, {.model = NetworkModel::wires, .forwarding = Forwarding::cut}, " cut");
  }
  measure_network(report, "tree:8x16x8,bw=600GB/s|300GB/s|300GB/s,lat=500ns", {.model = NetworkModel::wires},
                  " store");
  NetworkOptions shortest{.model = NetworkModel::wires};
  shortest.routing = Routing::shortest;
  measure_network(report, "torus:16x16x4,bw=50GB/s,lat=500ns", shortest, " shortest");
  shortest.failed = {"0-1"};
  measure_network(report, "torus:16x16x4,bw=50GB/s,lat=500ns", shortest, " around a failed link");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
