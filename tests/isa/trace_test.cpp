#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "tests/support/random_program.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

Program sample(std::uint64_t seed) {
  RandomProgramOptions options;
  options.seed = seed;
  options.cores = 1 + seed % 2;
  options.control = seed % 3 == 0;
  return random_program(options);
}

TEST(Trace, RoundTripsAndIsDeterministic) {
  for (std::uint64_t seed = 1; seed < 300; ++seed) {
    const Program p = sample(seed);
    const std::string bytes = write_trace(p);
    ASSERT_EQ(read_trace(bytes, "t"), p) << seed;
    EXPECT_EQ(write_trace(p), bytes);
  }
}

// Written before tensors had a stack.
TEST(Trace, TensorsOfOldTracesLieOnTheOwnStack) {
  const Program old = read_trace(read_text_file("tests/fuzz/corpus/trace/mm_db.trc"), "t");
  EXPECT_FALSE(old.tensors.empty());
  for (const TensorDecl& tensor : old.tensors) EXPECT_EQ(tensor.stack, 0u);
}

// Cut anywhere, the file is refused: never a shorter program.
TEST(Trace, ATruncatedFileIsRefused) {
  const std::string bytes = write_trace(sample(3));
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(read_trace(bytes.substr(0, n), "t"), ProgramError) << n;
  EXPECT_THROW(read_trace(bytes + 'x', "t"), ProgramError);
}

TEST(Trace, DamagedBytesGiveAProgramErrorOrAValidProgram) {
  const std::string bytes = write_trace(sample(4));
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = bytes;
    for (std::uint64_t k = 0; k <= random() % 3; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      read_trace(damaged, "t");
    } catch (const ProgramError&) {
    }
  }
}

}  // namespace
}  // namespace trn
