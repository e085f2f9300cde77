// SPDX-License-Identifier: MIT
#include "core/algorithm/network_id.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace convert {
namespace {

std::vector<IdentifiedLink> ring(std::uint32_t n, double bytes_per_ns) {
  std::vector<IdentifiedLink> links;
  for (std::uint32_t i = 0; i < n; ++i) {
    links.push_back({i, (i + 1) % n, bytes_per_ns, 500'000});
    links.push_back({(i + 1) % n, i, bytes_per_ns, 500'000});
  }
  return links;
}

TEST(NetworkId, TheOrderOfLinksDoesNotMatter) {
  auto links = ring(8, 50);
  const std::string id = network_id(8, 0, links);
  std::ranges::reverse(links);
  EXPECT_EQ(network_id(8, 0, links), id);
  EXPECT_EQ(id.substr(0, 7), "8.0.16-");
}

TEST(NetworkId, RatesInOtherUnitsAreTheSame) {
  const double in_gib = 46.5661287308 * (1 << 30) / 1e9;  // 50 GB/s to twelve digits
  EXPECT_NE(in_gib, 50);
  EXPECT_EQ(network_id(8, 0, ring(8, in_gib)), network_id(8, 0, ring(8, 50)));
}

TEST(NetworkId, RatesAndLinksAreToldApart) {
  const std::string id = network_id(8, 0, ring(8, 50));
  const std::string faster = network_id(8, 0, ring(8, 50.001));
  EXPECT_NE(id, faster);
  EXPECT_TRUE(same_links(id, faster));
  auto one_less = ring(8, 50);
  one_less.pop_back();
  EXPECT_FALSE(same_links(id, network_id(8, 0, one_less)));
  auto other_way = ring(8, 50);
  other_way[0] = {0, 2, 50, 500'000};
  EXPECT_FALSE(same_links(id, network_id(8, 0, other_way)));
  EXPECT_FALSE(same_links(id, network_id(7, 1, ring(8, 50))));
  EXPECT_FALSE(same_links("", ""));
}

}  // namespace
}  // namespace convert
