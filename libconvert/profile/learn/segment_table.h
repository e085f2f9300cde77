// SPDX-License-Identifier: MIT
// Tokens and segments of all ranks; replaces rare tokens by frequent ones.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profile/grammar.h"
#include "profile/learn/encoded_rank.h"
#include "profile/workload_profile.h"

namespace convert {

class SegmentTable {
 public:
  struct LaneWork {
    std::uint32_t lane = 0;
    std::uint32_t nodes = 0;
    double ns = 0;
  };
  // A gap of a rank, without its nodes.
  struct GapUse {
    std::uint32_t segment = 0;
    std::uint32_t call = no_index;  // token
    std::uint32_t place = 0;        // position of the call in the order of the job
    Range work{};                   // into `work`
  };
  struct RankUse {
    std::size_t job = 0, rank = 0;
    std::vector<EncodedRank::Part> parts{};  // their gaps: into `gaps`
  };

  // Adds a rank; ranks must be added in order.
  void add(std::size_t job, std::size_t rank, const EncodedRank& encoded);
  // Replaces tokens with fewer than k nodes by the most similar token of the class, or by the common properties of
  // the class. Then finds the pieces that occur at least k times.
  void settle(std::uint32_t k);

  // After settle(): returns the number of a rank's segment, as encoded.
  [[nodiscard]] std::uint32_t find(const EncodedRank& encoded, std::uint32_t segment) const;
  // Returns the number of a token that was added.
  [[nodiscard]] std::uint32_t find(const Token& token) const { return replaced_[numbers_.at(token)]; }
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  [[nodiscard]] const std::vector<std::pair<Symbol, Symbol>>& rules() const { return rules_; }
  [[nodiscard]] const Grammar& grammar() const { return grammar_; }
  // By segment: its tokens, and its pieces.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& segments() const { return segments_; }
  [[nodiscard]] const std::vector<WeightedSequence>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<RankUse>& ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<GapUse>& gaps() const { return gaps_; }
  [[nodiscard]] const std::vector<LaneWork>& work() const { return work_; }
  // Returns the mean duration of a token's nodes, ns.
  [[nodiscard]] double mean_ns(std::uint32_t token) const { return sums_[token].first / sums_[token].second; }
  [[nodiscard]] std::uint64_t replaced_nodes() const { return replaced_nodes_; }

 private:
  void blur_rare(std::uint32_t k);
  void replace_rare(std::uint32_t k);
  std::uint32_t add_token(const Token& token);
  void renumber();
  [[nodiscard]] Token in_common(const std::vector<std::uint32_t>& tokens, std::uint32_t k) const;
  [[nodiscard]] std::uint32_t busiest_lane() const;

  std::map<Token, std::uint32_t> numbers_;  // as encoded
  std::vector<std::uint32_t> replaced_;     // by encoded number: the final number
  std::vector<Token> tokens_;
  std::vector<std::pair<double, double>> sums_;  // by token: sum of durations of its nodes, number of nodes
  std::map<std::vector<std::uint32_t>, std::uint32_t> segment_numbers_;
  std::vector<std::vector<std::uint32_t>> segments_;
  std::vector<std::uint64_t> weights_;
  std::vector<WeightedSequence> pieces_;
  std::vector<std::pair<Symbol, Symbol>> rules_;
  Grammar grammar_;
  std::vector<RankUse> ranks_;
  std::vector<GapUse> gaps_;
  std::vector<LaneWork> work_;
  std::uint64_t replaced_nodes_ = 0;
};

}  // namespace convert
