// SPDX-License-Identifier: MIT
#include "simulate/system/inbox.h"

#include <gtest/gtest.h>

#include <set>

namespace convert {
namespace {

TEST(Inbox, MessagesFindTheirSlots) {
  for (const std::uint32_t slots : {1U, 2U, 63U, 64U, 65U, 128U, 129U, 1000U}) {
    Inbox inbox;
    inbox.open(0, Inbox::Slots::messages);
    // Every third message arrives before its receive, in descending order.
    std::set<std::uint32_t> early;
    for (std::uint32_t s = slots; s-- > 0;) {
      if (s % 3 != 0) continue;
      EXPECT_FALSE(inbox.come(s)) << s;
      early.insert(s);
    }
    for (std::uint32_t s = 0; s < slots; ++s) EXPECT_EQ(inbox.post(s), early.contains(s)) << s << " of " << slots;
    for (std::uint32_t s = slots; s-- > 0;) {
      if (early.contains(s)) continue;
      EXPECT_TRUE(inbox.come(s)) << s << " of " << slots;
    }
  }
}

TEST(Inbox, MessagesOfOneSizeComeInOrder) {
  Inbox inbox;
  inbox.open(0, Inbox::Slots::sizes);
  EXPECT_FALSE(inbox.come(1));
  EXPECT_FALSE(inbox.post(0));  // of another size
  EXPECT_TRUE(inbox.post(1));
  EXPECT_FALSE(inbox.post(1));
  EXPECT_FALSE(inbox.post(1));
  EXPECT_TRUE(inbox.come(1));
  EXPECT_TRUE(inbox.come(0));
  EXPECT_TRUE(inbox.come(1));
  EXPECT_FALSE(inbox.come(0));
  EXPECT_FALSE(inbox.come(0));
  EXPECT_TRUE(inbox.post(0));
  EXPECT_TRUE(inbox.post(0));
}

TEST(Inbox, PhasesComeOneAfterTheOther) {
  Inbox inbox;
  EXPECT_FALSE(inbox.is_open(0));
  inbox.open(0, Inbox::Slots::messages);
  EXPECT_TRUE(inbox.is_open(0));
  EXPECT_FALSE(inbox.is_open(1));
  EXPECT_FALSE(inbox.post(70));
  EXPECT_TRUE(inbox.come(70));
  inbox.open(1, Inbox::Slots::sizes);
  EXPECT_FALSE(inbox.post(0));
  EXPECT_TRUE(inbox.come(0));
  inbox.open(2, Inbox::Slots::messages);
  EXPECT_FALSE(inbox.come(70));  // no receive is posted any more
  EXPECT_TRUE(inbox.post(70));
}

}  // namespace
}  // namespace convert
