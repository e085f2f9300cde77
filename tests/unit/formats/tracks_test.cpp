// SPDX-License-Identifier: MIT
#include "formats/timeline/tracks.h"

#include <gtest/gtest.h>

#include "formats/timeline/align.h"
#include "formats/timeline/lanes.h"

namespace convert {
namespace {

TEST(Tracks, StreamsHaveTheirOwnBehindTheLanes) {
  const std::vector<Slice> slices = {
      {.begin_ps = 0, .end_ps = 9, .rank = 1, .lane = Lane::cpu},
      {.begin_ps = 5, .end_ps = 8, .rank = 1, .lane = Lane::collective, .stream = 24},
      {.begin_ps = 0, .end_ps = 4, .rank = 1, .lane = Lane::compute, .stream = 7},
      {.begin_ps = 4, .end_ps = 6, .rank = 1, .lane = Lane::memory, .stream = 7},
      {.begin_ps = 5, .end_ps = 7, .rank = 1, .lane = Lane::compute, .stream = 7},
      {.begin_ps = 0, .end_ps = 4, .rank = 3, .lane = Lane::send, .stream = 7},
      {.begin_ps = 0, .end_ps = 4, .rank = 3, .lane = Lane::compute},
  };
  const Tracks tracks = place_on_tracks(slices);
  std::vector<std::string> names;
  for (const Track& t : tracks.tracks) names.push_back(std::to_string(t.rank) + ": " + track_name(t));
  EXPECT_EQ(names, (std::vector<std::string>{"1: cpu", "1: stream 7", "1: stream 7 (2)", "1: stream 24",
                                             "3: compute", "3: stream 7"}));
  EXPECT_EQ(tracks.of, (std::vector<std::uint32_t>{0, 3, 1, 1, 2, 5, 4}));
  EXPECT_EQ(tracks.order, (std::vector<std::uint32_t>{0, 2, 3, 4, 1, 6, 5}));
  EXPECT_TRUE(tracks.tracks[5].sends);
  EXPECT_FALSE(tracks.tracks[1].sends);
}

TEST(Tracks, ThreadsThatAreStreams) {
  EXPECT_EQ(stream_by_name("stream 7 7"), 7);
  EXPECT_EQ(stream_by_name("stream 24 (2)"), 24);
  EXPECT_EQ(stream_by_name("stream 0"), 0);
  EXPECT_EQ(stream_by_name("stream -1"), -1);
  EXPECT_EQ(stream_by_name("stream 99999999999"), -1);
  EXPECT_EQ(stream_by_name("stream x"), -1);
  EXPECT_EQ(stream_by_name("streams 7"), -1);
  EXPECT_EQ(stream_by_name("thread 7"), -1);
}

TEST(Align, FirstSlicesOfANameBeginTogether) {
  std::vector<convert::Run> runs(2);
  for (convert::Run& run : runs) run.timeline.names.add("ProfilerStep#3");
  runs[0].timeline.slices = {{.begin_ps = 70}, {.begin_ps = 40}};
  runs[1].timeline.slices = {{.begin_ps = 100}};
  EXPECT_EQ(delays_of(runs, "ProfilerStep"), (std::vector<Picoseconds>{60, 0}));
  EXPECT_EQ(delays_of(runs, ""), (std::vector<Picoseconds>{0, 0}));
  EXPECT_THROW((void)delays_of(runs, "gemm"), Error);
  runs[0].reached_ps = INT64_MAX - 10;
  EXPECT_THROW((void)delays_of(runs, "ProfilerStep"), Error);
}

}  // namespace
}  // namespace convert
