// SPDX-License-Identifier: MIT
#include "io/replacement.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "io/input_set.h"
#include "scratch.h"

namespace convert {
namespace {

using test::error_of;
using test::Scratch;
using test::text_of;
using Names = std::vector<std::string>;

// A new file under a temporary name, as commit() leaves it.
FileChange new_file(const Scratch& scratch, const std::string& name, const std::string& text) {
  FileChange c;
  c.target = scratch.path(name);
  c.temporary = temporary_name(c.target);
  c.backup = backup_name(c.temporary);
  scratch.write(c.temporary.substr(scratch.path().size() + 1), text);
  struct stat status {};
  EXPECT_EQ(::stat(c.temporary.c_str(), &status), 0);
  c.size_bytes = status.st_size;
  c.mtime_ns = mtime_ns(status);
  return c;
}

FileChange removal(const Scratch& scratch, const std::string& name) {
  FileChange c;
  c.is_removal = true;
  c.target = scratch.path(name);
  c.temporary = temporary_name(c.target);
  c.backup = backup_name(c.temporary);
  return c;
}

std::string write_journal(const Scratch& scratch, const std::vector<FileChange>& changes) {
  const std::string journal = journal_path(scratch.path("ring"));
  scratch.write(".ring.etkit-replace", journal_text(journal, changes));
  return journal;
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
      {"/d/ring.0.et", "/d/.ring.0.et.etkit-aB3dEf", "/d/.ring.0.et.etkit-aB3dEf.old", false, 12, -7},
      {"/d/a %0A\nb", "/d/.a %0A\nb.etkit-000000", "/d/.a %0A\nb.etkit-000000.old", false, 0, 0},
      {"/e/report.json", "/e/.report.json.etkit-zzzzzz", "/e/.report.json.etkit-zzzzzz.old", false, 3, 4},
      {"/d/ring.9.et.gz", "/d/.ring.9.et.gz.etkit-ABCDEF", "/d/.ring.9.et.gz.etkit-ABCDEF.old", true, 0, 0},
      {"/d/ring.groups.json", "/d/.ring.groups.json.etkit-ABCDEF", "/d/.ring.groups.json.etkit-ABCDEF.old", true, 0,
       0}};
  const auto read = parse_journal("/d/.ring.etkit-replace", journal_text("/d/.ring.etkit-replace", changes));
  ASSERT_EQ(read.size(), changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(read[i].target, changes[i].target);
    EXPECT_EQ(read[i].temporary, changes[i].temporary);
    EXPECT_EQ(read[i].backup, changes[i].backup);
    EXPECT_EQ(read[i].is_removal, changes[i].is_removal);
    EXPECT_EQ(read[i].size_bytes, changes[i].size_bytes);
    EXPECT_EQ(read[i].mtime_ns, changes[i].mtime_ns);
  }
}

// A journal may come from anybody, in an archive that is unpacked.
TEST(Replacement, AJournalMayNotAskForMore) {
  const std::string journal = "/d/.ring.etkit-replace";
  const std::string whole = journal_text(
      journal, {{"/d/ring.0.et", "/d/.ring.0.et.etkit-aB3dEf", "/d/.ring.0.et.etkit-aB3dEf.old", false, 1, 2}});
  EXPECT_EQ(parse_journal(journal, whole).size(), 1U);
  const std::string head = whole.substr(0, whole.find('\n') + 1);
  for (const std::string line :
       {"remove ABCDEF notes.txt", "remove ABCDEF other.0.et", "remove ABCDEF /d/ring.0.et",
        "remove ABCDEF ../ring.0.et", "remove ABCDEF ring.et", "replace ABCDEF 1 2 ../x", "replace ABCDEF 1 2 a/b",
        "replace ABCDEF 1 2 /a/../b", "replace ABCDEF 1 2 /a/..", "replace ABCDEF 1 2 ", "replace ABC/EF 1 2 x",
        "replace ABCDEF 1 x", "link A B", ""}) {
    const Error error = error_of([&] { (void)parse_journal(journal, head + line + "\nend\n"); });
    EXPECT_EQ(error.where().file, journal) << line;
    EXPECT_EQ(error.kind(), Error::Kind::input);
  }
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_EQ(error_of([&] { (void)parse_journal(journal, whole.substr(0, n)); }).where().file, journal) << n;
}

TEST(Replacement, APipeIsNoJournal) {
  const Scratch scratch;
  const std::string journal = scratch.path(".ring.etkit-replace");
  ASSERT_EQ(::mkfifo(journal.c_str(), 0600), 0);
  const Error error = error_of([&] { finish_replacements_in(scratch.path()); });
  EXPECT_EQ(error.where().file, journal);
  EXPECT_EQ(std::string(error.what()), "is no regular file, as the journal of a replacement is; remove it");
}

TEST(Replacement, IsFinishedByWhoReadsTheSet) {
  for (const std::string operand : {"ring", "", "ring.0.et"}) {
    const Scratch scratch;
    scratch.write("ring.0.et", "old 0");
    scratch.write("ring.1.et", "new one");  // in its place already
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
  const Error error = error_of([&] { InputSet({scratch.path("ring")}); });
  EXPECT_EQ(error.where().file, journal);
  EXPECT_NE(std::string(error.what()).find("ring.1.et has been changed since"), std::string::npos) << error.what();
  EXPECT_EQ(scratch.read("ring.0.et"), "old 0") << "nothing is begun that cannot be ended";
  EXPECT_EQ(text_of(error_of([&] {
              OutputFiles files;
              test::write_file(files, scratch.path("ring.0.et"), "x");
            })),
            text_of(error));
}

// The lock of a living process is waited for.
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

// The next set of the name finishes the one before, and replaces it.
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
