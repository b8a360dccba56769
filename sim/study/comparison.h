// Why one machine is faster than another: one subsystem after the other replaced, from both ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/difference.h"
#include "sim/study/stored_result.h"

namespace trn {

// A question on a machine, with a name for people; or the stored answer to one.
struct Contender {
  std::string label;
  Question question;
  std::shared_ptr<const StoredResult> stored = nullptr;
};

// What replacing a subsystem of A by B's gains (less time is a gain): replaced first to last, and last to
// first. Each of the two sums to the whole gain exactly; where they differ, subsystems work together.
struct ComparisonPart {
  std::string name;
  std::int64_t forward_ps, reverse_ps;
  std::int64_t interaction_ps() const { return forward_ps - reverse_ps; }
  double share_ps() const { return 0.5 * static_cast<double>(forward_ps + reverse_ps); }
};

// Both machines with other link rates that are published: what is true of one is true of the other.
struct PresetAnswer {
  std::string preset;
  double headline_a, headline_b;
};

struct Comparison {
  Contender a, b;
  Answer answer_a, answer_b;
  bool chip_time = false;                   // times are multiplied by the chips, which differ
  bool token_time = false;                  // and scaled to the tokens of A's step, where B's has others
  std::vector<ComparisonPart> parts{};      // empty if they could not be told apart,
  std::string why_no_parts{};               // with the reason
  std::vector<ComparisonInput> inputs{};    // figures that differ, of the shapes in use
  std::vector<ComparisonOption> options{};  // that differ
  std::vector<std::string> notes{};         // lines for people: what linked figures did, builds that differ
  // A chip-hour of the side without a published price at which tokens cost the same; of training only.
  std::optional<double> break_even_usd_a{}, break_even_usd_b{};
  std::vector<PresetAnswer> presets{};
  bool flips = false;  // who is faster depends on the preset

  // A's time less B's, both as compared.
  std::int64_t gain_ps() const;
  std::int64_t time_a_ps() const;
};

// `jobs` simulations at a time; 0: as many as cores. Stored sides are not asked again, so that subsystems are
// not told apart. UsageError if the two are answers of different kinds, or of collectives or kernels that do
// different work.
Comparison compare(const Contender& a, const Contender& b, std::size_t jobs);

// Percentages of one decimal that sum to 100.0 exactly (largest remainder); of parts that sum to `whole`.
std::vector<double> exact_percentages(const std::vector<double>& parts, double whole);

}  // namespace trn
