#include "models/machine_config.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

// Chips of every shape, from the vendor's pages: 4x4, 4x4x4; 16, 2 x 32, 2 x 72.
TEST(MachineConfig, ShapesHaveTheirChips) {
  const auto chips = [](const std::string& name) {
    const MachineName parsed = parse_machine_name(name);
    return parse_machine(load_machine_document(parsed.config), parsed.shape).fabric.chips();
  };
  EXPECT_EQ(chips("trn1:instance"), 16u);
  EXPECT_EQ(chips("trn2"), 1u);
  EXPECT_EQ(chips("trn2:instance"), 16u);
  EXPECT_EQ(chips("trn2:ultraserver"), 64u);
  EXPECT_EQ(chips("trn3:server"), 16u);
  EXPECT_EQ(chips("trn3:gen1"), 64u);
  EXPECT_EQ(chips("trn3:gen2"), 144u);
}

// 128 x 128 multiply-adds x 2 x 2.4 GHz = 78.64 TFLOPS, the figure Neuron's profiler uses.
TEST(MachineConfig, ThePeakComesFromTheClock) {
  EXPECT_NEAR(parse_machine(load_machine_document("trn2"), "chip").core_bf16_flops(), 78.64e12, 0.01e12);
}

// Any text is a machine or a ConfigError: the file with random characters replaced.
void damage(const std::string& file, const std::string& shape) {
  std::string sample = read_text_file(file);
  sample.erase(sample.rfind('}') + 1);  // a line of the fuzzer's corpus may follow
  const std::string alphabet = "{}[]\",:-0123456789.eEtrufalsn x";
  std::mt19937_64 random(5);
  for (int i = 0; i < 1500; ++i) {
    std::string text = sample;
    for (std::uint64_t k = 0; k <= random() % 3; ++k)
      text.replace(random() % text.size(), random() % 3, 1, alphabet[random() % alphabet.size()]);
    try {
      const ConfigDocument document = parse_machine_document(text, "f");
      parse_figures(document, shape);
    } catch (const ConfigError&) {
    }
  }
}

TEST(MachineConfig, DamagedTextIsRefusedOrParsed) {
  damage("configs/trn3.json", "gen2");
  damage("configs/trn4-whatif.json", "nvlink");
  damage("tests/fuzz/corpus/config/based_on", "flat");
}

}  // namespace
}  // namespace trn
