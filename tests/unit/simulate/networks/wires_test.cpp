// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/expect_error.h"
#include "config/network/routes.h"
#include "core/diagnostic.h"
#include "simulate/networks/network.h"

namespace convert {
namespace {

struct SentMessage {
  Rank src;
  Rank dst;
  std::int64_t bytes;
  Picoseconds at_ps = 0;
};
using Arrivals = std::vector<std::pair<MessageToken, Picoseconds>>;

constexpr std::uint32_t event_send = event_npu;

struct WiresOutcome {
  Arrivals arrivals;  // (message, ps) in the order of arrival
  std::vector<WireUse> use;
};

WiresOutcome run_wires(const NetworkConfig& config, NetworkOptions options,
                       const std::vector<SentMessage>& messages) {
  options.count_wires = true;
  EventQueue queue;
  const auto network = make_network(config, options, queue);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto m = static_cast<MessageToken>(i);
    if (messages[i].at_ps == 0) {
      network->send(messages[i].src, messages[i].dst, messages[i].bytes, m);
    } else {
      queue.push_after(messages[i].at_ps, m, event_send);
    }
  }
  WiresOutcome out;
  while (!queue.empty()) {
    const Event e = queue.pop();
    if (e.kind() == event_send) {
      network->send(messages[e.arg()].src, messages[e.arg()].dst, messages[e.arg()].bytes, e.arg());
      continue;
    }
    const MessageToken m = network->handle(e);
    if (m != no_message) out.arrivals.emplace_back(m, queue.now());
  }
  out.use = network->wire_use(queue.now());
  return out;
}

NetworkOptions wires(Forwarding forwarding, Occupancy occupancy = Occupancy::beta) {
  return {.model = NetworkModel::wires, .occupancy = occupancy, .forwarding = forwarding};
}
constexpr auto store = Forwarding::store;
constexpr auto cut = Forwarding::cut;
constexpr auto beta = Occupancy::beta;
constexpr auto alpha_beta = Occupancy::alpha_beta;

// In nanoseconds.
double wires_ns(const NetworkConfig& config, Forwarding forwarding, const SentMessage& message,
                Occupancy occupancy = Occupancy::beta) {
  const WiresOutcome r = run_wires(config, wires(forwarding, occupancy), {message});
  return r.arrivals.size() == 1 ? static_cast<double>(r.arrivals[0].second) / 1000 : -1;
}
double wires_ns(const std::string& network, Forwarding forwarding, const SentMessage& message) {
  const double time = wires_ns(parse_short_network(network), forwarding, message);
  // A single message takes equally long for any occupancy of its links.
  EXPECT_EQ(time, wires_ns(parse_short_network(network), forwarding, message, Occupancy::alpha_beta));
  return time;
}
NetworkConfig listed(const std::string& text) { return parse_network_yaml("n.yml", text); }

Arrivals in_ns(Arrivals a) {
  for (auto& [message, time] : a) {
    EXPECT_EQ(time % 1000, 0);
    time /= 1000;
  }
  return a;
}

TEST(WiresNetwork, ForwardsStoredOrCut) {
  const std::string ring = "ring:8,bw=1GB/s,lat=10ns";
  EXPECT_EQ(wires_ns(ring, store, {0, 3, 100}), 3 * 110);
  EXPECT_EQ(wires_ns(ring, cut, {0, 3, 100}), 3 * 10 + 100);
  EXPECT_EQ(wires_ns(ring, cut, {0, 6, 100}), 2 * 10 + 100);
  EXPECT_EQ(wires_ns(ring, cut, {0, 1, 100}), 110);
  EXPECT_EQ(wires_ns("switch:8,bw=1GB/s,lat=10ns", store, {3, 3, 100}), 220);
  EXPECT_EQ(wires_ns("switch:8,bw=1GB/s,lat=10ns", cut, {3, 3, 100}), 120);
  EXPECT_EQ(wires_ns("fully_connected:8,bw=1GB/s,lat=10ns", store, {3, 0, 100}), 110);
}

TEST(WiresNetwork, TakesEveryTopology) {
  EXPECT_EQ(wires_ns("torus:4x4,bw=1GB/s,lat=10ns", store, {0, 10, 100}), 4 * 110);
  EXPECT_EQ(wires_ns("torus:4x4,bw=1GB/s|2GB/s,lat=10ns|20ns", store, {0, 15, 100}), 110 + 70);
  EXPECT_EQ(wires_ns("torus:4x4,bw=1GB/s|2GB/s,lat=10ns|20ns", cut, {0, 15, 100}), 100 + 10 + 20);
  EXPECT_EQ(wires_ns("mesh:4x4,bw=1GB/s,lat=10ns", store, {0, 15, 100}), 6 * 110);
  EXPECT_EQ(wires_ns("mesh:4x4,bw=1GB/s,lat=10ns", cut, {0, 15, 100}), 6 * 10 + 100);
  EXPECT_EQ(wires_ns("hypercube:8,bw=1GB/s,lat=10ns", store, {0, 7, 100}), 3 * 110);
  const std::string tree = "tree:2x2,bw=4GB/s|1GB/s,lat=10ns|100ns";
  EXPECT_EQ(wires_ns(tree, store, {0, 1, 100}), 2 * 35);
  EXPECT_EQ(wires_ns(tree, store, {0, 3, 100}), 35 + 200 + 200 + 35);
  // Heads start at 0, 10, 110, 210; tails end at 25, 110, 210, 310.
  EXPECT_EQ(wires_ns(tree, cut, {0, 3, 100}), 320);
}

// 0 to 1 is 10 GB/s and 5 ns, 1 to 2 is 1 GB/s and 20 ns; the same in the other direction.
const char* const uneven =
    "npus: 3\nlinks:\n"
    " - {between: [0, 1], bandwidth: 10GB/s, latency: 5ns}\n"
    " - {between: [1, 2], bandwidth: 1GB/s, latency: 20ns}\n";

TEST(WiresNetwork, CutFollowsTheSlowestWire) {
  const NetworkConfig c = listed(uneven);
  EXPECT_EQ(wires_ns(c, store, {0, 2, 100}), 15 + 120);
  EXPECT_EQ(wires_ns(c, cut, {0, 2, 100}), 5 + 100 + 20);
  EXPECT_EQ(wires_ns(c, store, {2, 0, 100}), 120 + 15);
  // The fast link begins at 20, but its last byte can leave only after its arrival at 120.
  EXPECT_EQ(wires_ns(c, cut, {2, 0, 100}), 125);
  // Another message shares the link, on the free nine tenths.
  const WiresOutcome r = run_wires(c, wires(cut), {{2, 0, 100}, {1, 0, 45, 30'000}});
  EXPECT_EQ(in_ns(r.arrivals), (Arrivals{{1, 30 + 5 + 5}, {0, 125}}));
  ASSERT_EQ(r.use.size(), 2U);
  EXPECT_EQ(r.use[0].from, "npu1");
  EXPECT_EQ(r.use[0].to, "npu0");
  EXPECT_EQ(r.use[0].busy_ps, 10'000 + 4'500);
  EXPECT_EQ(r.use[0].peak_queue, 0U);
}

TEST(WiresNetwork, SwitchesCutAndNpusStore) {
  const auto switches = Forwarding::switches;
  EXPECT_EQ(wires_ns("ring:8,bw=1GB/s,lat=10ns", switches, {0, 3, 100}), 3 * 110);
  EXPECT_EQ(wires_ns("switch:8,bw=1GB/s,lat=10ns", switches, {0, 3, 100}), 120);
  EXPECT_EQ(wires_ns("tree:2x2,bw=1GB/s,lat=10ns", switches, {0, 3, 100}), 140);
  // Stored at NPU 1, cut through at both switches.
  EXPECT_EQ(wires_ns("switch:2,bw=1GB/s,lat=10ns+switch:2,bw=1GB/s,lat=10ns", switches, {0, 3, 100}), 120 + 120);
  const WiresOutcome by_default =
      run_wires(parse_short_network("switch:8,bw=1GB/s,lat=10ns"), {.model = NetworkModel::wires}, {{0, 3, 100}});
  EXPECT_EQ(in_ns(by_default.arrivals), (Arrivals{{0, 120}}));
}

TEST(WiresNetwork, AFastWireCarriesWhatSlowOnesBring) {
  const std::vector<SentMessage> all = {{0, 4, 100}, {1, 5, 100}, {2, 6, 100}, {3, 7, 100}};
  const auto last = [&](const std::string& network, Forwarding forwarding) {
    return run_wires(parse_short_network(network), wires(forwarding), all).arrivals.back().second / 1000;
  };
  EXPECT_EQ(last("tree:4x2,bw=1GB/s|4GB/s,lat=1ns", Forwarding::switches), 100 + 4);
  EXPECT_EQ(last("tree:4x2,bw=1GB/s|4GB/s,lat=1ns", store), 100 + 4 * 25 + 25 + 100 + 4);
  EXPECT_EQ(last("tree:4x2,bw=1GB/s|1GB/s,lat=1ns", Forwarding::switches), 4 * 100 + 4);
  // Two at a time: the third and fourth have arrived when they begin, and leave over slow links.
  EXPECT_EQ(last("tree:4x2,bw=1GB/s|2GB/s,lat=1ns", Forwarding::switches), 100 + 100 + 4);
}

// For any contention: no message is faster than its slowest link and all latencies, and the bytes that have passed
// a link at any time have had their time there.
TEST(WiresNetwork, NoWireIsFasterThanItIs) {
  std::mt19937 random(7);
  const auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 300; ++i) {
    const std::string size = std::to_string(number(2, 4));
    const std::string rates = std::to_string(number(1, 8)) + "GB/s|" + std::to_string(number(1, 8)) + "GB/s";
    const NetworkConfig c = parse_short_network("tree:" + size + "x" + size + ",bw=" + rates + ",lat=10ns");
    const auto npus = static_cast<int>(c.npus());
    std::vector<SentMessage> sent;
    for (int m = number(1, 40); m > 0; --m) {
      const int src = number(0, npus - 1);
      const int dst = (src + number(1, npus - 1)) % npus;
      sent.push_back({static_cast<Rank>(src), static_cast<Rank>(dst), number(0, 500), number(0, 99) * 1000});
    }
    const Forwarding forwarding = number(0, 1) == 0 ? cut : Forwarding::switches;
    const WiresOutcome r = run_wires(c, wires(forwarding, number(0, 1) == 0 ? beta : alpha_beta), sent);
    ASSERT_EQ(r.arrivals.size(), sent.size());
    const auto router = make_router(c);
    std::map<std::uint32_t, std::pair<Picoseconds, double>> passed;  // by link: since when, ps of its bytes
    for (const SentMessage& m : sent) {
      for (Position p{.at = m.src, .dst = m.dst}; p.at != p.dst;) {
        const auto [at, is_new] = passed.try_emplace(router->step(p).wire, m.at_ps, 0);
        at->second.first = std::min(at->second.first, m.at_ps);
      }
    }
    for (const auto& [message, time] : r.arrivals) {
      const SentMessage& m = sent[message];
      Picoseconds latency = 0;
      double slowest = 0;
      for (Position p{.at = m.src, .dst = m.dst}; p.at != p.dst;) {
        const Hop hop = router->step(p);
        const double bytes_ps = static_cast<double>(m.bytes) / hop.bytes_per_ns * 1000;
        latency += hop.latency_ps;
        slowest = std::max(slowest, bytes_ps);
        auto& [since, all_ps] = passed.at(hop.wire);
        all_ps += bytes_ps;
        EXPECT_GE(static_cast<double>(time - since), all_ps - 100) << "link " << hop.wire << ", case " << i;
      }
      EXPECT_GE(static_cast<double>(time - m.at_ps), static_cast<double>(latency) + slowest - 10);
    }
  }
}

TEST(WiresNetwork, MessagesWaitForAWire) {
  const NetworkConfig c = parse_short_network("fully_connected:4,bw=1GB/s,lat=10ns");
  const std::vector<SentMessage> sent = {{0, 1, 100}, {0, 1, 50}, {0, 2, 100}, {1, 0, 30}};
  const Arrivals busy_for_bytes = {{3, 40}, {0, 110}, {2, 110}, {1, 160}};
  const Arrivals busy_for_latency = {{3, 40}, {0, 110}, {2, 110}, {1, 170}};
  for (const Forwarding f : {store, cut}) {
    EXPECT_EQ(in_ns(run_wires(c, wires(f, beta), sent).arrivals), busy_for_bytes);
    EXPECT_EQ(in_ns(run_wires(c, wires(f, alpha_beta), sent).arrivals), busy_for_latency);
  }
}

TEST(WiresNetwork, MessagesMeetOnTheWay) {
  // The second takes 1→2 first.
  const NetworkConfig c = parse_short_network("mesh:3,bw=1GB/s,lat=10ns");
  const std::vector<SentMessage> sent = {{0, 2, 100}, {1, 2, 100}};
  EXPECT_EQ(in_ns(run_wires(c, wires(store, beta), sent).arrivals), (Arrivals{{1, 110}, {0, 220}}));
  EXPECT_EQ(in_ns(run_wires(c, wires(store, alpha_beta), sent).arrivals), (Arrivals{{1, 110}, {0, 220}}));
  EXPECT_EQ(in_ns(run_wires(c, wires(cut, beta), sent).arrivals), (Arrivals{{1, 110}, {0, 210}}));
  EXPECT_EQ(in_ns(run_wires(c, wires(cut, alpha_beta), sent).arrivals), (Arrivals{{1, 110}, {0, 220}}));
  // Heads in the order of their arrival, not messages in the order of their ends.
  EXPECT_EQ(in_ns(run_wires(c, wires(cut, beta), {{0, 2, 100}, {1, 2, 10, 11'000}}).arrivals),
            (Arrivals{{0, 120}, {1, 130}}));
}

TEST(WiresNetwork, TacosOneMebibyteHop) {
  const NetworkConfig c = parse_short_network("mesh:2x2,bw=50GiB/s,lat=500ns");
  EXPECT_EQ(run_wires(c, wires(store, alpha_beta), {{0, 1, 1 << 20}, {0, 1, 1 << 20}}).arrivals,
            (Arrivals{{0, 20'031'250}, {1, 40'062'500}}));
}

TEST(WiresNetwork, RoundsToThePicosecond) {
  const NetworkConfig c = parse_short_network("ring:4,bw=3GB/s,lat=0.7ns");
  EXPECT_EQ(run_wires(c, wires(store), {{0, 1, 10}, {1, 2, 20}}).arrivals, (Arrivals{{0, 4033}, {1, 7367}}));
  const NetworkConfig astra = listed("topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [0.0004]\n");
  EXPECT_EQ(run_wires(astra, wires(store), {{0, 1, 1 << 20}}).arrivals, (Arrivals{{0, 19'531'250}}));
}

// Two leaves of two hosts, spines between them.
NetworkConfig leaf_spine(const std::string& spines, const std::string& rate) {
  return listed(
      "npus: 4\nswitches: [a, b, s0..s3]\ndefaults: {bandwidth: 1GB/s, latency: 10ns}\nlinks:\n"
      " - {between: [[0, 1], a]}\n - {between: [[2, 3], b]}\n"
      " - {between: [[a, b], " +
      spines + "], bandwidth: " + rate + "}\n");
}

TEST(WiresNetwork, SplitsMessagesOverEqualRoutes) {
  const NetworkConfig c = leaf_spine("s0..s3", "0.5GB/s");
  // Stored: 100 ns, 50 ns over each of four spines twice, 100 ns.
  EXPECT_EQ(wires_ns(c, store, {0, 2, 100}), 110 + 60 + 60 + 110);
  EXPECT_EQ(wires_ns(c, Forwarding::switches, {0, 2, 100}), 100 + 40);
  EXPECT_EQ(wires_ns(c, store, {0, 1, 100}), 110 + 110);
  NetworkOptions single = wires(Forwarding::switches);
  single.multipath = Multipath::single;
  EXPECT_EQ(in_ns(run_wires(c, single, {{0, 2, 100}}).arrivals), (Arrivals{{0, 200 + 40}}));
  // Both hosts of a leaf at full rate: the spines together carry the same rate.
  const WiresOutcome r = run_wires(c, wires(Forwarding::switches), {{0, 2, 100}, {1, 3, 100}});
  EXPECT_EQ(in_ns(r.arrivals), (Arrivals{{0, 140}, {1, 140}}));
  std::map<std::string, std::int64_t> bytes;
  for (const WireUse& u : r.use) bytes[u.from + ">" + u.to] = u.bytes;
  EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{{"npu0>a", 100},
                                                        {"npu1>a", 100},
                                                        {"a>s0", 50},
                                                        {"a>s1", 50},
                                                        {"a>s2", 50},
                                                        {"a>s3", 50},
                                                        {"s0>b", 50},
                                                        {"s1>b", 50},
                                                        {"s2>b", 50},
                                                        {"s3>b", 50},
                                                        {"b>npu2", 100},
                                                        {"b>npu3", 100}}));
}

TEST(WiresNetwork, PartsOfAMessageTravelApart) {
  // Spine s0 is half as fast as s1: shares of one and two thirds take equally long.
  const NetworkConfig c = listed(
      "npus: 2\nswitches: [a, b, s0, s1]\ndefaults: {bandwidth: 3GB/s, latency: 10ns}\nlinks:\n"
      " - {between: [0, a]}\n - {between: [1, b]}\n"
      " - {between: [[a, b], s0], bandwidth: 1GB/s}\n - {between: [[a, b], s1], bandwidth: 2GB/s}\n");
  for (const bool names_links : {false, true}) {
    NetworkOptions o = wires(store);
    o.names_links = names_links;
    // The parts queue for the last link: 100 ns for both.
    const WiresOutcome r = run_wires(c, o, {{0, 1, 300}});
    EXPECT_EQ(in_ns(r.arrivals), (Arrivals{{0, 110 + 110 + 110 + 110}}));
    ASSERT_EQ(r.use.size(), 6U);
    EXPECT_EQ(wires_ns(c, Forwarding::switches, {0, 1, 300}), 140);
    // Messages of few bytes, and of none.
    EXPECT_EQ(run_wires(c, o, {{0, 1, 1}, {1, 0, 0}}).arrivals.size(), 2U);
  }
}

// With separate links, messages take as long as over bundles, except for the order in which parts reach the last
// link.
TEST(WiresNetwork, BundlesTakeAsLongAsTheirLinks) {
  const NetworkConfig c = leaf_spine("s0..s3", "0.25GB/s");
  std::mt19937 random(11);
  for (int i = 0; i < 40; ++i) {
    std::vector<SentMessage> sent;
    for (int m = 0; m < 30; ++m) {
      const auto src = static_cast<Rank>(random() % 4);
      sent.push_back({src, static_cast<Rank>((src + 1 + random() % 3) % 4), 4 * static_cast<int>(1 + random() % 50),
                      static_cast<Picoseconds>(random() % 300) * 4000});
    }
    for (const Forwarding f : {store, Forwarding::switches}) {
      NetworkOptions o = wires(f);
      const auto bundled = static_cast<double>(run_wires(c, o, sent).arrivals.back().second);
      o.names_links = true;
      const WiresOutcome apart = run_wires(c, o, sent);
      ASSERT_EQ(apart.arrivals.size(), sent.size());
      EXPECT_NEAR(static_cast<double>(apart.arrivals.back().second), bundled, 0.1 * bundled);
    }
  }
}

TEST(WiresNetwork, AHashGivesEachTagOneRoute) {
  const NetworkConfig c = leaf_spine("s0..s3", "1GB/s");
  NetworkOptions o = wires(Forwarding::switches);
  o.multipath = Multipath::hash;
  o.count_wires = true;
  std::map<std::string, int> used;
  for (std::int64_t tag = 0; tag < 100; ++tag) {
    EventQueue queue;
    const auto network = make_network(c, o, queue);
    ASSERT_TRUE(network->routes_by_tag());
    network->set_tag(tag);
    network->send(0, 2, 100, 0);
    network->set_tag(tag);
    network->send(0, 2, 100, 1);
    while (!queue.empty()) network->handle(queue.pop());
    EXPECT_TRUE(network->has_ties());
    const auto use = network->wire_use(queue.now());
    ASSERT_EQ(use.size(), 4U);
    ++used[std::ranges::find(use, "a", &WireUse::from)->to];
  }
  EXPECT_EQ(used.size(), 4U);
}

TEST(WiresNetwork, AvoidsFailedWires) {
  const NetworkConfig c = parse_short_network("ring:4,bw=1GB/s,lat=10ns");
  NetworkOptions o = wires(store);
  o.failed = {"0>1"};
  EXPECT_EQ(in_ns(run_wires(c, o, {{0, 1, 100}, {1, 0, 100}}).arrivals), (Arrivals{{1, 110}, {0, 330}}));
}

// Random messages, each arrival answered, until `count` are sent: (message, ps) in the order of arrival.
Arrivals chatter(const std::string& text, const NetworkOptions& options, std::int64_t unit) {
  const NetworkConfig config = parse_short_network(text);
  const auto npus = static_cast<std::uint32_t>(config.npus());
  std::mt19937 engine(7);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  EventQueue queue;
  const auto network = make_network(config, options, queue);
  MessageToken sent = 0;
  const auto send = [&] {
    const Rank src = random() % npus;
    const Rank dst = (src + 1 + random() % (npus - 1)) % npus;
    network->send(src, dst, unit * static_cast<std::int64_t>(1 + random() % 4), sent++);
  };
  while (sent < 200) send();
  Arrivals out;
  while (!queue.empty()) {
    const MessageToken m = network->handle(queue.pop());
    if (m == no_message) continue;
    out.emplace_back(m, queue.now());
    if (sent < 2000) send();
  }
  EXPECT_EQ(out.size(), 2000U);
  return out;
}

const std::array<const char*, 7> products = {"ring:7,bw=2GB/s,lat=10ns",
                                             "switch:5,bw=2GB/s,lat=10ns",
                                             "fully_connected:6,bw=2GB/s,lat=0ns",
                                             "ring:4,bw=2GB/s,lat=0ns",
                                             "mesh:4x3,bw=2GB/s,lat=10ns",
                                             "hypercube:8,bw=2GB/s,lat=3ns",
                                             "ring:4,bw=2GB/s,lat=10ns+switch:2,bw=1GB/s,lat=5ns"};

// With many ties, to check also the order within a tick.
TEST(WiresNetwork, IsTheAwareModelWhereDelaysAreWholeNanoseconds) {
  for (const char* network : products) {
    EXPECT_EQ(chatter(network, wires(store), 50), chatter(network, {.model = NetworkModel::aware}, 50)) << network;
  }
}

TEST(WiresNetwork, DoubleBandwidthHalvesTimesWithoutLatency) {
  for (const char* network : {"ring:8,bw=", "torus:4x4,bw=", "tree:2x2x2,bw=", "switch:6,bw="}) {
    for (const Forwarding f : {store, cut}) {
      for (const Occupancy o : {beta, alpha_beta}) {
        Arrivals slow = chatter(network + std::string("1GB/s"), wires(f, o), 50);
        for (auto& [message, time] : slow) time /= 2;
        EXPECT_EQ(slow, chatter(network + std::string("2GB/s"), wires(f, o), 50)) << network;
      }
    }
  }
}

TEST(WiresNetwork, CutIsNeverSlowerAlone) {
  for (const char* network : products) {
    for (Rank dst = 1; dst < 4; ++dst)
      EXPECT_LE(wires_ns(network, cut, {0, dst, 99}), wires_ns(network, store, {0, dst, 99}));
  }
}

TEST(WireUse, IsNothingUnlessAskedFor) {
  for (const NetworkModel model : {NetworkModel::aware, NetworkModel::wires}) {
    EventQueue queue;
    const auto network = make_network(parse_short_network("ring:4,bw=1GB/s"), {.model = model}, queue);
    network->send(0, 1, 100, 0);
    network->send(0, 1, 100, 1);
    while (!queue.empty()) (void)network->handle(queue.pop());
    EXPECT_TRUE(network->wire_use(queue.now()).empty());
  }
}

TEST(WireUse, CountsBothModels) {
  const NetworkConfig c = parse_short_network("switch:4,bw=1GB/s,lat=10ns");
  const std::vector<SentMessage> sent = {{0, 1, 100}, {0, 2, 100}, {3, 1, 100}, {0, 1, 50}};
  for (const NetworkModel model : {NetworkModel::aware, NetworkModel::wires}) {
    const std::vector<WireUse> use = run_wires(c, {.model = model}, sent).use;
    ASSERT_EQ(use.size(), 4U);
    EXPECT_EQ(use[0].from, "npu0");
    EXPECT_EQ(use[0].to, "switch0");
    EXPECT_EQ(use[0].bytes, 250);
    EXPECT_EQ(use[0].messages, 3U);
    EXPECT_EQ(use[0].busy_ps, 250'000);
    EXPECT_EQ(use[0].peak_queue, 2U);
    EXPECT_EQ(use[1].from, "switch0");
    EXPECT_EQ(use[1].to, "npu1");
    EXPECT_EQ(use[1].bytes, 250);
    EXPECT_EQ(use[1].peak_queue, 1U);
    EXPECT_EQ(use[2].to, "npu2");
    EXPECT_EQ(use[2].peak_queue, 0U);
    EXPECT_EQ(use[3].from, "npu3");
  }
  NetworkOptions o = wires(store, alpha_beta);
  EXPECT_EQ(run_wires(c, o, sent).use[0].busy_ps, 280'000);
  EXPECT_TRUE(run_wires(c, {.model = NetworkModel::unaware}, sent).use.empty());
  const std::vector<WireUse> named =
      run_wires(listed("npus: 2\nswitches: [hub]\nlinks: [{between: [0..1, hub], bandwidth: 1GB/s}]"), wires(cut),
                {{1, 0, 8}})
          .use;
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[0].from, "hub");
  EXPECT_EQ(named[1].to, "hub");
}

std::string refusal(const NetworkConfig& config, const NetworkOptions& options) {
  EventQueue queue;
  return test::error_message([&] { (void)make_network(config, options, queue); }, Error::Kind::usage);
}

TEST(NetworkOptions, BelongToWires) {
  const NetworkConfig ring = parse_short_network("ring:4,bw=1GB/s");
  const NetworkConfig tree = parse_short_network("tree:2x2,bw=1GB/s");
  EXPECT_EQ(refusal(tree, {}),
            "the network model unaware requires a product of dimensions: 'tree:2x2,bw=1GB/s'; use the network "
            "model links");
  EXPECT_NE(refusal(listed(uneven), {.model = NetworkModel::aware}), "");
  EXPECT_EQ(refusal(listed(uneven), {.model = NetworkModel::wires}), "");
  EXPECT_EQ(refusal(ring, {.model = NetworkModel::aware, .occupancy = alpha_beta}),
            "occupancy alpha-beta: only with the network model links, not aware");
  EXPECT_EQ(refusal(ring, {.forwarding = cut}),
            "a choice of forwarding: only with the network model links, not unaware");
  EXPECT_EQ(refusal(ring, {.routing = Routing::shortest}),
            "a choice of routing: only with the network model links, not unaware");
  EXPECT_EQ(refusal(ring, {.failed = {"0-1"}}), "failed links: only with the network model links, not unaware");
  EXPECT_EQ(refusal(parse_short_network("ideal"), {.model = NetworkModel::wires, .failed = {"0-1"}}),
            "an ideal network has no links that could fail");
}

TEST(WiresNetwork, RefusesTimesBeyondTheClock) {
  for (const Forwarding f : {store, cut}) {
    EXPECT_THROW((void)wires_ns("ring:4,bw=0.000001B/s", f, {0, 1, INT64_MAX}), Error);
    EXPECT_THROW((void)wires_ns("ring:8,bw=1GB/s,lat=9000000s", f, {0, 4, 100}), Error);
  }
}

TEST(WiresNetwork, SelfOnlyThroughASwitch) {
  EXPECT_TRUE(can_send_to_self(parse_short_network("switch:4,bw=1GB/s"), NetworkModel::wires));
  EXPECT_FALSE(can_send_to_self(parse_short_network("tree:4,bw=1GB/s"), NetworkModel::wires));
}

}  // namespace
}  // namespace convert
