// SPDX-License-Identifier: MIT
// Help texts of options that several tools have. An option has the same meaning and text in every tool;
// tests/check_options.py compares the tools.
#pragma once

namespace tools::option_text {

inline constexpr char algorithm[] =
    "algorithm of collectives: a name of et-generate --list, astra:NAME, synthesized, or a file or trace set";
inline constexpr char chunks[] = "chunks of each collective (default: 1)";
inline constexpr char compat[] = "follow the rules of the named program exactly, its defects included";
inline constexpr char device[] = "Kineto trace of the rank of the host trace";
inline constexpr char fail[] = "network without these links, such as 3-4 or npu3-switch0; 3>4: one direction";
inline constexpr char format[] = "form of the printed result (default: text)";
inline constexpr char force[] = "do what a message refuses without --force";
inline constexpr char forwarding[] =
    "devices that forward a message before all of it has arrived: switches, none (store), all (cut)";
inline constexpr char iterations[] = "training steps (default: 1; of a profile: as many as recorded)";
inline constexpr char k[] = "k-anonymity: keep nothing that occurs fewer than N times";
inline constexpr char machine[] = "machine: a name (et-replay --list-machines), or a machine file";
inline constexpr char network[] = "network: file, or text like ring:8,bw=50GB/s,lat=500ns";
inline constexpr char npus[] = "number of ranks (default: of plan, network, or 8)";
inline constexpr char occupancy[] =
    "a message occupies a link while it is sent (beta), or also for the latency (alpha-beta)";
inline constexpr char output[] = "file or prefix to write (default: -, stdout)";
inline constexpr char plot[] = "also draw the result (SVG)";
inline constexpr char ranks[] = "only these ranks, such as 0-3,8";
inline constexpr char report[] = "write a report of what was done, as JSON";
inline constexpr char scale[] = "change the number of data-parallel ranks, or of ranks in one group and its peers";
inline constexpr char seed[] = "seed of random choices (default: 1)";
inline constexpr char set[] = "set one setting; may be repeated; the manual page lists the keys";
inline constexpr char show[] = "table or summary to print";
inline constexpr char size[] = "size of the collective in bytes, such as 1MiB";
inline constexpr char target[] = "runtime that must accept and finish the program";
inline constexpr char to[] = "format to write (default: by the suffix of --output)";
inline constexpr char top[] = "rows of a table; 0 = all (default: 20 in text, else all)";

}  // namespace tools::option_text
