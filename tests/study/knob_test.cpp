#include "sim/study/knob.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "models/machine_config.h"
#include "sim/study/subsystem.h"

namespace trn {
namespace {

const Knob& knob(const std::string& name) {
  for (const Knob& row : knobs())
    if (name == row.name) return row;
  throw UsageError("no knob " + name);
}

using Keys = std::vector<std::string>;

// A torus has its rates in the shape; Trn3's shapes name a preset, which has them.
TEST(Knob, LinksAreTheFiguresOfTheShapeInUse) {
  EXPECT_EQ(figures_of(knob("links"), load_machine_document("trn2"), "ultraserver"),
            Keys{"shapes.ultraserver.link_mb_per_s"});
  EXPECT_EQ(figures_of(knob("links"), load_machine_document("trn3"), "gen1"),
            (Keys{"link_presets.press_active.cross_rack_mb_per_s", "link_presets.press_active.rack_mb_per_s",
                  "link_presets.press_active.tray_mb_per_s"}));
  EXPECT_TRUE(figures_of(knob("links"), load_machine_document("trn2"), "chip").empty());
}

TEST(Knob, AssignmentsBecomeOneAFigure) {
  const ConfigDocument trn2 = load_machine_document("trn2");
  EXPECT_EQ(expand_assignment("dma_latency=0.5x", trn2, "chip"),
            (Keys{"neuron_core.dma.trigger_latency_ns=0.5x", "neuron_core.dma.completion_latency_ns=0.5x"}));
  EXPECT_EQ(expand_assignment("hbm.stack_mb_per_s=2x", trn2, "chip"), Keys{"hbm.stack_mb_per_s=2x"});
  EXPECT_EQ(expand_assignment("nonsense", trn2, "chip"), Keys{"nonsense"});
  EXPECT_THROW(expand_assignment("links=2x", trn2, "chip"), UsageError);
}

TEST(Knob, BetterIsMoreOfARateAndLessOfALatency) {
  EXPECT_EQ(times_better(knob("links"), 2), "2x");
  EXPECT_EQ(times_better(knob("hop_latency"), 2), "0.5x");
}

// What no subsystem claims would be lost when machines are put together.
TEST(Subsystem, EveryFigureOfEveryMachineBelongsToExactlyOne) {
  for (const std::string& name : known_machines())
    for (const ConfigFigure& figure : load_machine_document(name).figures()) {
      int owners = 0;
      for (const Subsystem& subsystem : subsystems())
        for (const std::string& key : subsystem.keys)
          if (figure.key == key || figure.key.rfind(key + '.', 0) == 0) ++owners;
      EXPECT_EQ(owners, 1) << name << ' ' << figure.key;
    }
}

TEST(Subsystem, AllPartsOfAnotherMachineMakeThatMachine) {
  ConfigDocument machine = load_machine_document("trn2");
  const ConfigDocument trn3 = load_machine_document("trn3");
  for (const Subsystem& subsystem : subsystems()) machine = with_subsystem(machine, trn3, subsystem);
  const auto a = machine.figures(), b = trn3.figures();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].key, b[i].key);
    EXPECT_EQ(a[i].value, b[i].value);
    EXPECT_EQ(a[i].source, b[i].source);
  }
}

}  // namespace
}  // namespace trn
