// SPDX-License-Identifier: MIT
#include "core/units.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

TEST(Units, Bytes) {
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("64KiB"), 65536);
  EXPECT_EQ(parse_bytes("1MB"), 1'000'000);
  EXPECT_EQ(parse_bytes("1.5GiB"), 1'610'612'736);
  EXPECT_EQ(parse_bytes("9223372036854775807"), INT64_MAX);
  for (const char* bad :
       {"", "1.0001KB5", "0.5", "-1", "9223372036854775808", "9000000TiB", "1mb", "KiB", "1 2", "."}) {
    EXPECT_EQ(parse_bytes(bad), std::nullopt) << bad;
  }
}

TEST(Units, Times) {
  EXPECT_EQ(parse_time("1.5us"), 1'500'000);
  EXPECT_EQ(parse_time("500"), 500'000) << "a bare number is nanoseconds";
  EXPECT_EQ(parse_time("0.001ns"), 1);
  EXPECT_EQ(parse_time("2 s"), 2'000'000'000'000);
  for (const char* bad : {"", "0.0001ns", "-1s", "1m", "10000000s"})
    EXPECT_EQ(parse_time(bad), std::nullopt) << bad;
}

TEST(Units, Bandwidths) {
  EXPECT_EQ(parse_bandwidth("50GB/s"), 50e9);
  EXPECT_EQ(parse_bandwidth("46GiB/s"), 46 * 0x1p30);
  EXPECT_EQ(parse_bandwidth("800Gbit/s"), 100e9);
  for (const char* bad : {"0GB/s", "50", "50GB", "-1GB/s", ""})
    EXPECT_EQ(parse_bandwidth(bad), std::nullopt) << bad;
}

TEST(Units, BandwidthsPerNanosecond) {
  EXPECT_EQ(parse_bytes_per_ns("50GB/s"), 50.0);
  EXPECT_EQ(parse_bytes_per_ns("800Gbit/s"), 100.0);
  EXPECT_EQ(parse_bytes_per_ns("1.5 GB/s"), 1.5);
  for (const char* bad : {"0GB/s", "50", "-1GB/s", "nanGB/s", "infGB/s", "1e3GB/s", ".GB/s", "GB/s", ""})
    EXPECT_EQ(parse_bytes_per_ns(bad), std::nullopt) << bad;
  for (const double rate : {240.0, 18 * 20.6, 0.001 * 0x1p30 / 1e9, 1e-9 / 3, 1e22, 1.0 / 3, 5e-324, 1.7e308})
    EXPECT_EQ(parse_bytes_per_ns(format_bytes_per_ns(rate)), rate);
  EXPECT_EQ(format_bytes_per_ns(50), "50GB/s");
}

TEST(Units, AsText) {
  EXPECT_EQ(format_bytes(1000), "1000 B");
  EXPECT_EQ(format_bytes(65536), "64 KiB");
  EXPECT_EQ(format_time(41'181'000), "41.181 µs");
  EXPECT_EQ(format_time(500'000'000'000), "500 ms");
  EXPECT_EQ(format_time(0), "0 ps");
  EXPECT_EQ(format_time(-41'181'000), "-41.181 µs");  // a difference
  EXPECT_EQ(format_time(-1), "-1 ps");
  EXPECT_EQ(format_bytes(-65536), "-64 KiB");
}

TEST(ParsePlain, TakesOneSpelling) {
  EXPECT_EQ(parse_plain("0"), 0U);
  EXPECT_EQ(parse_plain("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_plain("63", 63), 63U);
  for (const char* text : {"", "00", "07", "+7", "-7", "7.0", " 7", "7x", "18446744073709551616"})
    EXPECT_EQ(parse_plain(text), std::nullopt) << text;
  EXPECT_EQ(parse_plain("64", 63), std::nullopt);
}

}  // namespace
}  // namespace convert
