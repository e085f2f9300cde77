// SPDX-License-Identifier: MIT
#include "io/input_set.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/diagnostic.h"
#include "io/archive.h"
#include "io/groups_file.h"
#include "io/output.h"
#include "io/replace/read_files.h"
#include "io/replace/replacement.h"
#include "io/set_name.h"
#include "io/set_path.h"

namespace convert {
namespace {

constexpr std::size_t most_groups_bytes = std::size_t{64} << 20;

struct Source {
  enum class Kind : std::uint8_t { file, tar, stream };  // stream: opened only once, its kind is detected then
  Kind kind = Kind::file;
  std::string path;
  std::optional<std::uint32_t> rank;
};

// Lets an item own its stream although a tar member belongs to the TarReader.
class BorrowedInput final : public Input {
 public:
  explicit BorrowedInput(Input& below) : Input(below.name(), below.size()), below_(below) {}
  [[nodiscard]] std::optional<std::uint64_t> compressed_bytes() const override { return below_.compressed_bytes(); }

 protected:
  std::size_t fill(char* to, std::size_t n) override { return below_.read(to, n); }

 private:
  Input& below_;
};

bool file_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

// Returns whether it is a tar, by its magic; by its name if it is shorter than a header, such as a truncated tar.
bool is_tar(const std::string& path, Input& input) {
  const std::string_view head = input.peek(tar_block_bytes);
  return looks_like_tar(head) || (head.size() < tar_block_bytes && is_tar_name(path));
}

// Damage in a stream is reported when the stream is read.
bool is_tar_file(const std::string& path) {
  try {
    return is_tar(path, *open_input(path));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::input) throw;
    return false;
  }
}

std::string read_groups(Input& input, std::size_t limit) {
  std::string text;
  while (!input.at_end()) {
    const std::string_view bytes = input.peek(1);
    if (bytes.size() > limit - text.size()) {
      throw input_error({.file = input.name()}, "the groups file exceeds 64 MiB", "groups");
    }
    text += bytes;
    input.skip(bytes.size());
  }
  return text;
}

// Returns "traces" for "in/traces/"; "set" for a folder without a name, such as ".".
std::string name_of_folder(const std::string& folder) {
  const std::string name = std::filesystem::path(folder).parent_path().filename().string();
  return name.empty() || name.find_first_not_of('.') == std::string::npos ? "set" : name;
}

[[noreturn]] void fail_gap(const std::string& missing, std::uint32_t last, const std::string& near) {
  throw input_error({.file = missing}, "missing from the set, whose last rank is " + std::to_string(last) + near);
}

// Throws unless `files`, sorted by rank, are 0…N-1 (or any ranks, or a single one), each once. `near`: text about
// files with other names. `path_of`: names the file of a rank.
void check_ranks(const std::vector<RankFile>& files, bool any_ranks, const std::string& near,
                 const std::function<std::string(std::uint32_t)>& path_of) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i > 0 && files[i].rank == files[i - 1].rank) {
      throw input_error({.file = files[i].path},
                        "rank " + std::to_string(files[i].rank) + " is also in " + files[i - 1].path);
    }
    if (!any_ranks && files.size() > 1 && files[i].rank != i)
      fail_gap(path_of(static_cast<std::uint32_t>(i)), files.back().rank, near);
  }
}

}  // namespace

struct InputSet::State {
  bool any_ranks = false;
  std::vector<Source> sources;
  std::size_t at = 0;
  std::vector<File> files;
  std::string base;
  std::vector<std::string> skipped;
  NearRanks near;

  // The tar that is being read.
  std::unique_ptr<Input> archive;
  std::unique_ptr<TarReader> tar;
  std::string tar_set;
  std::set<std::uint32_t> tar_ranks;
  bool tar_numbered = false;       // its files are named by rank alone
  std::string tar_master;          // the member that is a whole set
  std::optional<InputItem> ahead;  // stream opened by groups()

  bool has_set = false;                        // groups come from the first set only
  std::string groups_path;                     // of a set given by prefix, until it is read
  std::map<std::string, Groups> early_groups;  // by set: groups of a tar before its first rank
  std::size_t early_bytes = 0;
  std::optional<Groups> groups;
  std::optional<Groups> given_groups{};  // replace the groups of the set
  bool groups_asked = false;

  void add_operand(const std::string& operand) {
    if (operand == "-") {
      sources.push_back({Source::Kind::stream, operand, std::nullopt});
      if (base.empty()) base = "stdin";
      return;
    }
    finish_replacement(operand);
    struct stat status {};
    if (::stat(operand.c_str(), &status) != 0) {
      if (errno != ENOENT) throw system_error(operand, errno);
      if (add_prefix(operand)) return;
      throw Error(Error::Kind::system, {.file = operand},
                  "no such file, directory or trace set (" + rank_path(operand, 0) + " …)" + near_text());
    }
    if (S_ISDIR(status.st_mode)) {
      add_directory(operand);
      return;
    }
    if (base.empty()) base = base_of_file(operand);
    note_read_file(status);
    const std::optional<std::uint32_t> rank = rank_of(operand);
    if (!S_ISREG(status.st_mode)) {
      sources.push_back({Source::Kind::stream, operand, rank});
    } else {
      const bool is_tar = !rank && is_tar_file(operand);
      sources.push_back({is_tar ? Source::Kind::tar : Source::Kind::file, operand, rank});
    }
  }

  void add_directory(const std::string& directory) {
    std::set<std::string> sets;
    const std::string folder = directory.ends_with('/') ? directory : directory + "/";
    finish_replacements_in(directory);
    const std::vector<RankFile> ranks = rank_files(folder, {}, &sets, &near);
    const auto require_one = [&](const auto& names) {
      if (names.size() == 1) return;
      throw input_error({.file = directory}, "contains several trace sets; name one: " + folder + *names.begin() +
                                                 ", " + folder + *std::next(names.begin()) +
                                                 (names.size() > 2 ? " …" : ""));
    };
    if (sets.empty()) {
      const std::vector<std::string> masters = master_files(directory);
      if (masters.empty() && add_numbered(folder)) return;
      if (masters.empty())
        throw input_error({.file = directory}, "contains no trace set (NAME.0.et …, or NAME.etm)" + near_text());
      require_one(masters);
      if (base.empty()) base = base_of_file(masters[0]);
      sources.push_back({Source::Kind::file, folder + masters[0], std::nullopt});
      return;
    }
    require_one(sets);
    if (base.empty()) base = *sets.begin();
    add_ranks(folder + *sets.begin(), ranks);
  }

  // Adds the files of a folder that are named by rank alone.
  bool add_numbered(const std::string& folder) {
    const std::vector<RankFile> ranks = numbered_files(folder, &near);
    if (ranks.empty()) return false;
    if (base.empty()) base = name_of_folder(folder);
    check_ranks(ranks, any_ranks, near_text(), [&](std::uint32_t r) { return numbered_path(folder, r); });
    take(ranks);
    has_set = true;
    return true;
  }

  bool add_prefix(const std::string& prefix) {
    const std::vector<RankFile> ranks = existing_ranks(prefix, &near);
    if (ranks.empty()) return false;
    if (base.empty()) base = file_name_part(prefix);
    add_ranks(prefix, ranks);
    return true;
  }

  void add_ranks(const std::string& prefix, const std::vector<RankFile>& ranks) {
    const std::string classes = prefix + std::string(classes_suffix);
    const bool is_folded = file_exists(classes);
    check_ranks(ranks, any_ranks,
                near_text() +
                    (is_folded ? "; " + classes + " lists the ranks that each represents: it is a folded set" : ""),
                [&](std::uint32_t r) { return rank_path(prefix, r); });
    take(ranks);
    if (std::exchange(has_set, true)) return;
    if (const std::string path = prefix + std::string(groups_suffix); file_exists(path)) groups_path = path;
  }

  // All files of a set are inputs, whether or not they are opened.
  void take(const std::vector<RankFile>& ranks) {
    for (const RankFile& file : ranks) {
      note_read_file(file.path);
      sources.push_back({Source::Kind::file, file.path, file.rank});
    }
  }

  std::optional<InputItem> next() {
    if (ahead) return std::exchange(ahead, std::nullopt);
    for (;;) {
      if (tar) {
        if (std::optional<InputItem> item = next_member()) return item;
        finish_tar();
      }
      if (at == sources.size()) return std::nullopt;
      const Source& source = sources[at++];
      std::unique_ptr<Input> input = open_input(source.path);
      if (source.kind == Source::Kind::file || !is_tar(source.path, *input)) {
        return InputItem{std::move(input), source.rank};
      }
      archive = std::move(input);
      tar = std::make_unique<TarReader>(*archive);
    }
  }

  std::optional<InputItem> next_member() {
    while (Input* const member = tar->next()) {
      const std::string& name = tar->member_name();
      if (const std::optional<SetMember> parts = member_of_set(name)) {
        if (tar_ranks.empty()) {
          tar_set = parts->set;
          tar_numbered = numbered_rank(name).has_value();
          choose_groups();
        }
        if (parts->set != tar_set || !tar_master.empty()) {
          throw input_error({.file = member->name()}, "the archive contains a second trace set in addition to " +
                                                          (tar_master.empty() ? tar_set : tar_master));
        }
        if (!tar_ranks.insert(parts->rank).second) {
          throw input_error({.file = member->name()},
                            "rank " + std::to_string(parts->rank) + " is in the archive twice");
        }
        return InputItem{std::make_unique<BorrowedInput>(*member), parts->rank};
      }
      if (is_master_name(name) && tar_ranks.empty()) {
        if (!tar_master.empty())
          throw input_error({.file = member->name()},
                            "the archive contains a second trace set in addition to " + tar_master);
        tar_master = name;
        return InputItem{std::make_unique<BorrowedInput>(*member), std::nullopt};
      }
      const bool is_groups = name.ends_with(groups_suffix) && !file_name_part(name).starts_with('.');
      if (is_groups && !has_set) {
        take_groups(*member, name.substr(0, name.size() - groups_suffix.size()));
      } else {
        skipped.push_back(member->name());
        if (set_of_near_rank(name)) near.add(member->name());
      }
    }
    return std::nullopt;
  }

  // Returns the set and rank of a member. A number alone is a rank if the set has no name.
  std::optional<SetMember> member_of_set(const std::string& name) const {
    if (std::optional<SetMember> parts = set_member(name)) return parts;
    const auto rank = numbered_rank(name);
    if (!rank || (!tar_ranks.empty() && !tar_numbered)) return std::nullopt;
    return SetMember{name.substr(0, name.size() - file_name_part(name).size()), *rank};
  }

  void take_groups(Input& member, const std::string& set) {
    if (!tar_ranks.empty() && set != tar_set) {
      skipped.push_back(member.name());
      return;
    }
    if (groups || early_groups.contains(set)) {
      throw input_error({.file = member.name()}, "the archive contains two groups files");
    }
    if (groups_asked) {
      throw input_error({.file = member.name()},
                        "the groups file comes too late; make it the first member of the first input");
    }
    Groups found{member.name(), read_groups(member, most_groups_bytes - early_bytes)};
    if (!tar_ranks.empty()) {
      groups = std::move(found);
      return;
    }
    early_bytes += found.json.size();
    early_groups.emplace(set, std::move(found));
  }

  // Selects the groups of a tar, whose set is known from its first rank on.
  void choose_groups() {
    for (auto& [set, candidate] : early_groups) {
      if (set == tar_set) {
        groups = std::move(candidate);
      } else {
        skipped.push_back(candidate.name);
      }
    }
    early_groups.clear();
  }

  void finish_tar() {
    if (tar_ranks.empty() && tar_master.empty()) {
      throw input_error({.file = archive->name()},
                        "the archive contains no ranks (members NAME.0.et …, or NAME.etm)" + near_text() +
                            "; extract a trace with another name, and pass its file");
    }
    std::uint32_t expected = 0;
    for (const std::uint32_t rank : tar_ranks) {
      if (rank != expected && !any_ranks && tar_ranks.size() > 1) {
        const std::string missing = tar_numbered ? numbered_path(tar_set, expected) : rank_path(tar_set, expected);
        fail_gap(archive->name() + "(" + missing + ")", *tar_ranks.rbegin(), near_text());
      }
      ++expected;
    }
    has_set = true;
    tar.reset();
    archive.reset();
    tar_ranks.clear();
    tar_master.clear();
  }

  // Returns the text about files that are named almost like ranks, for messages about missing ranks.
  [[nodiscard]] std::string near_text() const { return near.count == 0 ? "" : "; " + near.text(); }
};

InputSet::InputSet(std::vector<std::string> operands, bool any_ranks, const std::string& groups_file)
    : state_(std::make_unique<State>()) {
  state_->any_ranks = any_ranks;
  if (std::ranges::count(operands, "-") > 1) {
    throw usage_error("standard input (-) can be read only once");
  }
  for (const std::string& operand : operands) state_->add_operand(operand);
  if (!groups_file.empty())
    state_->given_groups = Groups{groups_file, read_groups(*open_input(groups_file), most_groups_bytes)};
  const auto& sources = state_->sources;
  if (std::ranges::all_of(sources, [](const Source& s) { return s.kind == Source::Kind::file; })) {
    for (const Source& source : sources) state_->files.push_back({source.path, source.rank});
  }
}

InputSet::~InputSet() = default;

std::optional<InputItem> InputSet::next() { return state_->next(); }
const std::vector<InputSet::File>& InputSet::files() const { return state_->files; }
std::string InputSet::base_name() const { return state_->base; }
const std::vector<std::string>& InputSet::skipped() const { return state_->skipped; }

const NearRanks& InputSet::near_ranks() const { return state_->near; }

std::optional<InputSet::Groups> groups_file_of(const std::string& prefix) {
  const std::string path = prefix + std::string(groups_suffix);
  if (!file_exists(path)) return std::nullopt;
  return InputSet::Groups{path, read_groups(*open_input(path), most_groups_bytes)};
}

const std::optional<InputSet::Groups>& InputSet::groups() const {
  State& state = *state_;
  if (state.given_groups) return state.given_groups;
  if (!state.groups_path.empty()) {
    const std::string path = std::exchange(state.groups_path, {});
    state.groups = Groups{path, read_groups(*open_input(path), most_groups_bytes)};
  }
  // The first set may be a tar that is not open yet.
  if (!state.groups && state.at == 0 && !state.ahead && !state.sources.empty() &&
      state.sources.front().kind != Source::Kind::file) {
    state.ahead = state.next();
  }
  state.groups_asked = true;
  return state.groups;
}

}  // namespace convert
