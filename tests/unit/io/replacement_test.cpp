// SPDX-License-Identifier: MIT
#include "io/replace/replacement.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "io/input_set.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::Names;
using test::Scratch;
using test::text_of;
using test::thrown_error;

// A new file with a temporary name, as left by commit().
FileChange new_file(const Scratch& scratch, const std::string& name, const std::string& text) {
  FileChange c;
  c.target = scratch.path(name);
  c.temporary = temporary_name(c.target);
  c.backup = backup_name(c.temporary);
  scratch.write(c.temporary.substr(scratch.path().size() + 1), text);
  c.fresh = stamp_of(c.temporary);
  c.old = stamp_of(c.target);
  return c;
}

FileChange removal(const Scratch& scratch, const std::string& name) {
  FileChange c;
  c.is_removal = true;
  c.target = scratch.path(name);
  c.temporary = temporary_name(c.target);
  c.backup = backup_name(c.temporary);
  c.old = stamp_of(c.target);
  return c;
}

std::string write_journal(const Scratch& scratch, const std::vector<FileChange>& changes) {
  const std::string journal = journal_path(scratch.path("ring"));
  scratch.write(".ring.etkit-replace", "");
  struct stat status {};
  EXPECT_EQ(::stat(journal.c_str(), &status), 0);
  scratch.write(".ring.etkit-replace", journal_text(journal, status.st_ino, changes));
  return journal;
}

// The changes of a process before it is killed: the new file at its target, the old one aside.
void apply(const FileChange& c) {
  ::rename(c.target.c_str(), c.backup.c_str());
  if (!c.is_removal) {
    EXPECT_EQ(::rename(c.temporary.c_str(), c.target.c_str()), 0);
  }
}

// A copy of all files in another folder.
std::string copied(const Scratch& scratch) {
  const std::string folder = scratch.path() + ".copy";
  std::filesystem::copy(scratch.path(), folder);
  for (const auto& file : std::filesystem::directory_iterator(folder))
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  return folder;
}

TEST(Replacement, NamesOfJournals) {
  EXPECT_EQ(journal_path("out/ring"), "out/.ring.etkit-replace");
  EXPECT_EQ(journal_path("out/ring.12.et.gz"), "out/.ring.etkit-replace");
  EXPECT_EQ(journal_path("ring.tar"), "./.ring.tar.etkit-replace");
  EXPECT_LE(journal_path(std::string(255, 'x')).size(), 2U + 255U);
  EXPECT_TRUE(is_journal_name(".ring.etkit-replace"));
  EXPECT_FALSE(is_journal_name("ring.etkit-replace"));
}

TEST(Replacement, AJournalSaysItsChanges) {
  const std::vector<FileChange> changes = {
      {"/d/ring.0.et", "/d/.ring.0.et.etkit-aB3dEf", "/d/.ring.0.et.etkit-aB3dEf.old", false, {12, -7}, {-1, 0}},
      {"/d/a %0A\nb", "/d/.a %0A\nb.etkit-000000", "/d/.a %0A\nb.etkit-000000.old", false, {0, 0}, {5, 6}},
      {"/e/report.json", "/e/.report.json.etkit-zzzzzz", "/e/.report.json.etkit-zzzzzz.old", false, {3, 4}, {}},
      {"/d/ring.9.et.gz", "/d/.ring.9.et.gz.etkit-ABCDEF", "/d/.ring.9.et.gz.etkit-ABCDEF.old", true, {}, {9, 8}},
      {"/d/ring.groups.json",
       "/d/.ring.groups.json.etkit-ABCDEF",
       "/d/.ring.groups.json.etkit-ABCDEF.old",
       true,
       {},
       {1, 2}}};
  const auto [inode, read] =
      parse_journal("/d/.ring.etkit-replace", journal_text("/d/.ring.etkit-replace", 77, changes));
  EXPECT_EQ(inode, 77U);
  ASSERT_EQ(read.size(), changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(read[i].target, changes[i].target);
    EXPECT_EQ(read[i].temporary, changes[i].temporary);
    EXPECT_EQ(read[i].backup, changes[i].backup);
    EXPECT_EQ(read[i].is_removal, changes[i].is_removal);
    EXPECT_EQ(read[i].fresh, changes[i].fresh);
    EXPECT_EQ(read[i].old, changes[i].old);
  }
}

// Files that are named by number alone belong to one set.
TEST(Replacement, AJournalRemovesNumberedFiles) {
  const std::string journal = journal_path("/d/0.json");
  const std::vector<FileChange> changes = {
      {"/d/0.json", "/d/.0.json.etkit-aB3dEf", "/d/.0.json.etkit-aB3dEf.old", false, {1, 2}, {3, 4}},
      {"/d/7.json", "/d/.7.json.etkit-ABCDEF", "/d/.7.json.etkit-ABCDEF.old", true, {}, {9, 8}}};
  const std::string text = journal_text(journal, 7, changes);
  EXPECT_EQ(parse_journal(journal, text).changes.size(), 2U);
  EXPECT_EQ(thrown_error([&] { (void)parse_journal("/d/.ring.etkit-replace", text); }).kind(), Error::Kind::input);
}

// A journal may come from an untrusted archive.
TEST(Replacement, AJournalMayNotAskForMore) {
  const std::string journal = "/d/.ring.etkit-replace";
  const std::string whole = journal_text(
      journal, 7,
      {{"/d/ring.0.et", "/d/.ring.0.et.etkit-aB3dEf", "/d/.ring.0.et.etkit-aB3dEf.old", false, {1, 2}, {3, 4}}});
  EXPECT_EQ(parse_journal(journal, whole).changes.size(), 1U);
  const std::string head = whole.substr(0, whole.find("replace aB3dEf"));
  const std::string first_line = whole.substr(0, whole.find('\n') + 1);
  EXPECT_EQ(thrown_error([&] { (void)parse_journal(journal, first_line + "inode x\nend\n"); }).where().file,
            journal);
  for (const std::string line :
       {"remove ABCDEF 1 2 notes.txt", "remove ABCDEF 1 2 other.0.et", "remove ABCDEF 1 2 /d/ring.0.et",
        "remove ABCDEF 1 2 ../ring.0.et", "remove ABCDEF 1 2 ring.et", "remove ABCDEF ring.0.et",
        "replace ABCDEF 1 2 3 4 ../x", "replace ABCDEF 1 2 3 4 a/b", "replace ABCDEF 1 2 3 4 /a/../b",
        "replace ABCDEF 1 2 3 4 /a/..", "replace ABCDEF 1 2 3 4 ", "replace ABC/EF 1 2 3 4 x",
        "replace ABCDEF 1 2 x", "link A B", ""}) {
    const Error error = thrown_error([&] { (void)parse_journal(journal, head + line + "\nend\n"); });
    EXPECT_EQ(error.where().file, journal) << line;
    EXPECT_EQ(error.kind(), Error::Kind::input);
  }
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_EQ(thrown_error([&] { (void)parse_journal(journal, whole.substr(0, n)); }).where().file, journal) << n;
}

TEST(Replacement, APipeIsNoJournal) {
  const Scratch scratch;
  const std::string journal = scratch.path(".ring.etkit-replace");
  ASSERT_EQ(::mkfifo(journal.c_str(), 0600), 0);
  const Error error = thrown_error([&] { finish_replacements_in(scratch.path()); });
  EXPECT_EQ(error.where().file, journal);
  EXPECT_EQ(std::string(error.what()), "is not a regular file, but has the name of a journal; remove it");
}

TEST(Replacement, IsFinishedByWhoReadsTheSet) {
  for (const std::string operand : {"ring", "", "ring.0.et"}) {
    const Scratch scratch;
    scratch.write("ring.0.et", "old 0");
    scratch.write("ring.1.et", "new one");  // already at its target
    scratch.write("ring.2.et", "old 2");
    std::vector<FileChange> changes = {new_file(scratch, "ring.0.et", "new zero"),
                                       new_file(scratch, "ring.1.et", "new one"), removal(scratch, "ring.2.et")};
    ASSERT_EQ(::rename(changes[1].temporary.c_str(), changes[1].target.c_str()), 0);
    write_journal(scratch, changes);
    InputSet set({operand.empty() ? scratch.path() : scratch.path(operand)});
    EXPECT_EQ(scratch.names(), (Names{"ring.0.et", "ring.1.et"})) << operand;
    EXPECT_EQ(scratch.read("ring.0.et"), "new zero");
    EXPECT_EQ(scratch.read("ring.1.et"), "new one");
  }
}

TEST(Replacement, AChangedFileIsLeftToTheUser) {
  const Scratch scratch;
  scratch.write("ring.0.et", "old 0");
  const std::vector<FileChange> changes = {new_file(scratch, "ring.0.et", "new zero"),
                                           new_file(scratch, "ring.1.et", "new one")};
  const std::string journal = write_journal(scratch, changes);
  ASSERT_EQ(::unlink(changes[1].temporary.c_str()), 0);
  scratch.write("ring.1.et", "by hand");
  const Error error = thrown_error([&] { InputSet({scratch.path("ring")}); });
  EXPECT_EQ(error.where().file, journal);
  EXPECT_NE(std::string(error.what()).find("ring.1.et has been changed since"), std::string::npos) << error.what();
  EXPECT_EQ(scratch.read("ring.0.et"), "old 0") << "nothing is begun that cannot be ended";
  EXPECT_EQ(text_of(thrown_error([&] {
              OutputFiles files;
              test::write_file(files, scratch.path("ring.0.et"), "x");
            })),
            text_of(error));
}

// The same holds for an old file that was not yet replaced.
TEST(Replacement, AnEditOfAnOldFileIsNotOverwritten) {
  for (const bool is_removal : {false, true}) {
    const Scratch scratch;
    scratch.write("ring.0.et", "old 0");
    scratch.write("ring.1.et", "old one");
    const std::vector<FileChange> changes = {
        new_file(scratch, "ring.0.et", "new zero"),
        is_removal ? removal(scratch, "ring.1.et") : new_file(scratch, "ring.1.et", "new one")};
    apply(changes[0]);
    const std::string journal = write_journal(scratch, changes);
    scratch.write("ring.1.et", "by hand");
    const Error error = thrown_error([&] { InputSet({scratch.path("ring")}); });
    EXPECT_EQ(error.where().file, journal);
    EXPECT_NE(std::string(error.what()).find("ring.1.et has been changed since"), std::string::npos)
        << error.what();
    EXPECT_EQ(scratch.read("ring.1.et"), "by hand");
  }
}

// A file at the target of a completed removal is kept as well.
TEST(Replacement, ANewFileInThePlaceOfARemovedOneIsKept) {
  const Scratch scratch;
  scratch.write("ring.0.et", "old 0");
  scratch.write("ring.1.et", "old one");
  const std::vector<FileChange> changes = {removal(scratch, "ring.1.et"), new_file(scratch, "ring.0.et", "new 0")};
  apply(changes[0]);
  write_journal(scratch, changes);
  scratch.write("ring.1.et", "by hand");
  EXPECT_NE(
      text_of(thrown_error([&] { InputSet({scratch.path("ring")}); })).find("ring.1.et has been changed since"),
      std::string::npos);
  EXPECT_EQ(scratch.read("ring.1.et"), "by hand");
}

// A copy has other times: it is reverted to the old set from any state.
TEST(Replacement, ACopyGoesBack) {
  for (std::size_t applied = 0; applied <= 3; ++applied) {
    const Scratch scratch;
    scratch.write("ring.0.et", "old 0");
    scratch.write("ring.2.et", "old 2");
    const std::vector<FileChange> changes = {new_file(scratch, "ring.0.et", "new zero"),
                                             new_file(scratch, "ring.1.et", "new one"),
                                             removal(scratch, "ring.2.et")};
    for (std::size_t i = 0; i < applied; ++i) apply(changes[i]);
    write_journal(scratch, changes);
    const std::string copy = copied(scratch);
    finish_replacements_in(copy);
    Names names;
    for (const auto& file : std::filesystem::directory_iterator(copy)) names.push_back(file.path().filename());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, applied == 3 ? (Names{"ring.0.et", "ring.1.et"}) : (Names{"ring.0.et", "ring.2.et"}))
        << applied;
    EXPECT_EQ(std::filesystem::file_size(copy + "/ring.0.et"), applied == 3 ? 8U : 5U) << applied;
    std::filesystem::remove_all(copy);
  }
}

// After all replacements, when removal of old files has begun, reverting is neither possible nor needed.
TEST(Replacement, ACopyOfWhatWasAllButDoneIsDone) {
  const Scratch scratch;
  scratch.write("ring.0.et", "old 0");
  scratch.write("ring.1.et", "old 1");
  const std::vector<FileChange> changes = {new_file(scratch, "ring.0.et", "new zero"),
                                           new_file(scratch, "ring.1.et", "new one")};
  for (const FileChange& c : changes) apply(c);
  ASSERT_EQ(::unlink(changes[0].backup.c_str()), 0);
  write_journal(scratch, changes);
  const std::string copy = copied(scratch);
  finish_replacements_in(copy);
  EXPECT_EQ(std::filesystem::file_size(copy + "/ring.0.et"), 8U);
  EXPECT_EQ(std::filesystem::file_size(copy + "/ring.1.et"), 7U);
  EXPECT_FALSE(std::filesystem::exists(copy + "/.ring.etkit-replace"));
  std::filesystem::remove_all(copy);
}

// Waits for the lock of a living process.
TEST(Replacement, WaitsForTheProcessThatIsAtIt) {
  const Scratch scratch;
  const std::vector<FileChange> changes = {new_file(scratch, "ring.0.et", "new zero"),
                                           new_file(scratch, "ring.1.et", "new one")};
  const std::string journal = write_journal(scratch, changes);
  const int fd = ::open(journal.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  std::thread writer([&] {
    ::usleep(200'000);
    for (const FileChange& c : changes) EXPECT_EQ(::rename(c.temporary.c_str(), c.target.c_str()), 0);
    ::unlink(journal.c_str());
    ::close(fd);
  });
  finish_replacement(scratch.path("ring"));
  EXPECT_EQ(scratch.names(), (Names{"ring.0.et", "ring.1.et"}));
  writer.join();
}

// The next set of the same name completes the preceding replacement, and then replaces its files.
TEST(Replacement, ByAWriter) {
  const Scratch scratch;
  scratch.write("ring.1.et", "old one");
  write_journal(scratch, {new_file(scratch, "ring.0.et", "new zero"), new_file(scratch, "ring.1.et", "new one")});
  OutputFiles files;
  for (const std::string name : {"ring.0.et", "ring.1.et"})
    test::write_file(files, scratch.path(name), "newest " + name);
  files.commit();
  EXPECT_EQ(scratch.names(), (Names{"ring.0.et", "ring.1.et"}));
  EXPECT_EQ(scratch.read("ring.1.et"), "newest ring.1.et");
}

}  // namespace
}  // namespace convert
