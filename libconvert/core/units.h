// SPDX-License-Identifier: MIT
// Parses and formats sizes, times and bandwidths in the notation of users. Sizes and times are parsed exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convert {

// Simulated time in picoseconds.
using Picoseconds = std::int64_t;
inline constexpr Picoseconds ps_per_ns = 1000;
inline constexpr Picoseconds ps_per_us = 1'000'000;

// Unit of a number that is drawn.
enum class ValueUnit : std::uint8_t { number, factor, bytes, ns, bytes_per_s };

// Parses bytes: "4096", "64KiB", "1MB", "1.5GiB". KB = 1000, KiB = 1024. Returns nothing if malformed, negative,
// not a whole number of bytes, or beyond 2^63-1.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);
// Parses "1.5us" (or "1.5µs"), "500ns", "2ms", "1s", "7ps"; a bare number is nanoseconds. Returns nothing if
// malformed, negative, not a whole number of picoseconds, or beyond 2^63-1 ps.
[[nodiscard]] std::optional<Picoseconds> parse_time(std::string_view text);
// Parses bytes per second: "50GB/s" (10^9), "46GiB/s" (2^30), "800Gbit/s", rounded to a double. Returns nothing if
// malformed or not positive.
[[nodiscard]] std::optional<double> parse_bandwidth(std::string_view text);
// Parses bandwidths in bytes per nanosecond, which is GB/s. GB/s are rounded only once: the output of
// format_bytes_per_ns() is read back exactly, to the bit.
[[nodiscard]] std::optional<double> parse_bytes_per_ns(std::string_view text);
[[nodiscard]] std::string format_bytes_per_ns(double rate);  // "50GB/s", with all digits that the exact value needs

[[nodiscard]] std::string format_bytes(std::int64_t bytes);     // "64 KiB", "1000 B": rounded to four digits
[[nodiscard]] std::string format_time(Picoseconds time);        // "41.181 µs": rounded to six digits
[[nodiscard]] std::string format_exact_time(Picoseconds time);  // "41.1812345 µs": all digits
// Returns the time in a unit, a power of ten of picoseconds, exactly: "1500", "0.25".
[[nodiscard]] std::string format_exact(Picoseconds time, Picoseconds unit_ps);

// Returns the number with its noun: "1 rank", "2 ranks".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view one);

// Parses all of `text` as a decimal integer. Returns nothing if malformed or too large.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);  // for numbers from 0
// Parses all of `text` as a finite number, as from_chars does.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
// Parses an integer from 0 to `most` in its one spelling, "7" and not "07". Returns nothing for anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_plain(std::string_view text, std::uint64_t most = UINT64_MAX);

}  // namespace convert
