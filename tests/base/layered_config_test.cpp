// Configurations that build on others: what a layer changes, what scales along, and what is told of mistakes.
#include "base/config/layered_config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

namespace fs = std::filesystem;

std::string figure(const std::string& value, const std::string& confidence = "official") {
  return R"({"value": )" + value + R"(, "source": "s", "confidence": ")" + confidence + "\"}";
}

// A machine of three figures: memory of 100 at 8 of width, which a mover of 30 carries.
const std::string kBase = R"({"name": "base", "kind": "plain",
  "memory": {"rate": )" + figure("100") +
                          R"(, "width": )" + figure("8") + R"(},
  "mover": {"rate": )" + figure("30") +
                          R"(, "overhead": )" + figure("5") + R"(},
  "shapes": {"one": {"ports": )" +
                          figure("1") + R"(}, "name": )" + figure("\"x\"") + R"(},
  "linked": {"memory.rate": ["mover.rate"], "memory.width": ["mover.rate"]},
  "overlays": {"wide": {"note": "twice the width", "changes":
      {"memory.width": {"factor": 2, "source": "w", "confidence": "assumed"}}},
    "set": {"note": "64", "changes": {"memory.width": {"value": 64, "source": "w", "confidence": "assumed"}}},
    "round": {"refused": "no kernels for it"}},
  "ranges": {"mover.overhead": {"low": 2, "high": 6, "better": "low", "why": "w", "source": "s",
      "confidence": "assumed"},
    "mover.rate": {"low": 20, "high": 40, "why": "w", "source": "s", "confidence": "assumed"}}
})";

class LayeredConfig : public testing::Test {
 protected:
  LayeredConfig() {
    fs::create_directories(folder_);
    write("base", kBase);
  }
  ~LayeredConfig() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    write_file_atomically((folder_ / (name + ".json")).string(), text);
  }
  // A document on `base` with these sections.
  void layer(const std::string& name, const std::string& base, const std::string& sections) const {
    write(name, R"({"name": ")" + name + R"(", "based_on": ")" + base + "\", " + sections + "}");
  }
  ConfigDocument load(const std::string& name) const {
    return load_layered({folder_.string(), "machine"}, name);
  }

  std::string complaint(const std::string& name) const {
    try {
      load(name);
    } catch (const ConfigError& error) {
      std::string text = error.what();
      const std::string place = folder_.string() + '/';
      for (std::size_t at; (at = text.find(place)) != std::string::npos;) text.erase(at, place.size());
      return text;
    }
    return "accepted";
  }

  const fs::path folder_ = fs::temp_directory_path() / ("trnsim_layers_" + std::to_string(getpid()));
};

ConfigFigure find(const ConfigDocument& document, const std::string& key) {
  for (ConfigFigure& one : document.figures())
    if (one.key == key) return one;
  ADD_FAILURE() << "no " << key;
  return {};
}

std::string value(const ConfigDocument& document, const std::string& key) {
  return find(document, key).value;
}

const std::string kFaster =
    R"("changes": {"memory.rate": {"factor": 3, "source": "talk", "confidence": "press"}})";

TEST_F(LayeredConfig, AChangedFigureHasItsOwnSourceAndSaysWhatItWas) {
  layer("next", "base", kFaster);
  const ConfigFigure rate = find(load("next"), "memory.rate");
  EXPECT_EQ(rate.value, "300");
  EXPECT_EQ(rate.source, "talk");
  EXPECT_EQ(rate.confidence, "press");
  EXPECT_EQ(rate.origin, "next, was 100 [official] in base");
  EXPECT_EQ(find(load("next"), "memory.width").origin, "base");
  EXPECT_EQ(load("next").foundation(), "base");
  EXPECT_EQ(load("next").based_on(), "base");
}

// The mover has 30. The memory's rate grows 3x and its width 2x: 30 x 3 x 2 = 180; the overhead is not
// linked.
TEST_F(LayeredConfig, WhatIsLinkedScalesAlongByTheProductOfItsCauses) {
  layer("next", "base",
        R"("changes": {"memory.rate": {"factor": 3, "source": "t", "confidence": "press"},
           "memory.width": {"value": 16, "source": "t", "confidence": "press"}})");
  const ConfigDocument linked = load("next");
  EXPECT_EQ(value(linked, "mover.rate"), "180");
  EXPECT_EQ(find(linked, "mover.rate").confidence, "assumed");
  EXPECT_EQ(find(linked, "mover.rate").origin, "next, was 30 [official] in base");
  EXPECT_EQ(value(linked, "mover.overhead"), "5");
  const ConfigDocument alone = load("next+unlinked");
  EXPECT_EQ(value(alone, "memory.rate"), "300");
  EXPECT_EQ(value(alone, "mover.rate"), "30");
}

TEST_F(LayeredConfig, AnExplicitChangeOfALinkedFigureWins) {
  layer("next", "base",
        R"("changes": {"memory.rate": {"factor": 3, "source": "t", "confidence": "press"},
           "mover.rate": {"value": 50, "source": "t", "confidence": "press"}})");
  EXPECT_EQ(value(load("next"), "mover.rate"), "50");
}

// A base that is unlinked makes all that builds on it so: 30 stays through both layers.
TEST_F(LayeredConfig, UnlinkedHoldsForTheWholeChain) {
  layer("next", "base", kFaster);
  layer("mine", "next+unlinked",
        R"("changes": {"memory.width": {"factor": 2, "source": "t", "confidence": "press"}})");
  EXPECT_EQ(value(load("mine"), "mover.rate"), "30");
  layer("other", "next",
        R"("changes": {"memory.width": {"factor": 2, "source": "t", "confidence": "press"}})");
  EXPECT_EQ(value(load("other"), "mover.rate"), "180");
}

// wide doubles what it finds, set says 64: 8 x 2 then 64, or 64 then x 2.
TEST_F(LayeredConfig, OverlaysAreLaidOverInTheirOrder) {
  EXPECT_EQ(value(load("base+wide+set"), "memory.width"), "64");
  EXPECT_EQ(value(load("base+set+wide"), "memory.width"), "128");
  EXPECT_EQ(load("base+set+wide").json()["name"], "base+set+wide");
  EXPECT_EQ(find(load("base+set+wide"), "memory.width").origin,
            "base+wide, was 64 [assumed] in base+set, was 8 [official] in base");
  layer("next", "base+set", kFaster);
  EXPECT_EQ(value(load("next"), "memory.width"), "64");
}

TEST_F(LayeredConfig, SetScalesAlongOnlyWhatIsAskedTo) {
  ConfigDocument linked = load("base");
  linked.set_linked({"memory.rate=2x"});
  EXPECT_EQ(value(linked, "mover.rate"), "60");
  EXPECT_EQ(linked.overrides(), (std::vector<std::string>{"memory.rate=2x", "mover.rate=60"}));
  ASSERT_EQ(linked.scaled_along().size(), 1u);
  EXPECT_EQ(linked.scaled_along()[0].substr(0, 46), "mover.rate 30 -> 60 scale with memory.rate (li");
  ConfigDocument both = load("base");
  both.set_linked({"memory.rate=2x", "mover.rate=31"});
  EXPECT_EQ(value(both, "mover.rate"), "31");
  ConfigDocument alone = load("base");
  alone.set("memory.rate=2x");
  EXPECT_EQ(value(alone, "mover.rate"), "30");
  ConfigDocument unlinked = load("base+unlinked");
  unlinked.set_linked({"memory.rate=2x"});
  EXPECT_EQ(value(unlinked, "mover.rate"), "30");
}

TEST_F(LayeredConfig, InheritedFiguresAreNoSurerThanTheDocumentSays) {
  layer("next", "base", R"("inherited": "assumed", )" + kFaster);
  const ConfigDocument document = load("next");
  EXPECT_EQ(find(document, "memory.width").confidence, "assumed");
  EXPECT_EQ(find(document, "memory.width").source, "as base: s");
  EXPECT_EQ(find(document, "memory.width").origin, "next, as [official] in base");
  EXPECT_EQ(find(document, "memory.rate").confidence, "press");
}

TEST_F(LayeredConfig, KeysAreAddedAndRemoved) {
  layer("next", "base",
        R"("removed": ["mover.overhead"], "added": {"shapes.two": {"ports": )" + figure("2") + "}}");
  const ConfigDocument document = load("next");
  EXPECT_EQ(value(document, "shapes.two.ports"), "2");
  EXPECT_EQ(find(document, "shapes.two.ports").origin, "next");
  EXPECT_FALSE(document.json()["mover"].contains("overhead"));
  ASSERT_EQ(document.ranges().size(), 1u);  // that of the removed figure is gone
  EXPECT_EQ(document.ranges()[0].key, "mover.rate");
}

// The mover's rate, 20 to 40 around 30, is scaled 2x by its link; setting it says that it is known.
TEST_F(LayeredConfig, RangesScaleWithLinkedFiguresAndEndWhereOneIsSet) {
  const ConfigDocument base = load("base");
  ASSERT_EQ(base.ranges().size(), 2u);
  EXPECT_EQ(base.ranges()[0].key, "mover.overhead");
  EXPECT_EQ(base.ranges()[0].pessimistic(), "6");  // less is better
  EXPECT_EQ(base.ranges()[0].optimistic(), "2");
  ConfigDocument faster = load("base");
  faster.set_linked({"memory.rate=2x"});
  EXPECT_EQ(faster.ranges()[1].value, "60");
  EXPECT_EQ(faster.ranges()[1].pessimistic(), "40");
  EXPECT_EQ(faster.ranges()[1].optimistic(), "80");
  ConfigDocument known = load("base");
  known.set("mover.rate=35");
  ASSERT_EQ(known.ranges().size(), 1u);
  EXPECT_EQ(known.ranges()[0].key, "mover.overhead");
  EXPECT_EQ(load("base+unlinked").ranges().size(), 1u);  // that the mover stays is what was asked for
  // A document's factor leaves it as unsure as it was: 2 to 6 become 4 to 12. Its value is known.
  layer("twice", "base",
        R"("changes": {"mover.overhead": {"factor": 2, "source": "t", "confidence": "press"}})");
  EXPECT_EQ(load("twice").ranges()[0].high, "12");
  layer("sure", "base",
        R"("changes": {"mover.overhead": {"value": 4, "source": "t", "confidence": "press"}})");
  EXPECT_EQ(load("sure").ranges().size(), 1u);
}

TEST_F(LayeredConfig, MistakesAreToldWithFileAndKey) {
  layer("a", "b", kFaster);
  layer("b", "a", kFaster);
  EXPECT_NE(complaint("a").find("a.json.based_on: b.json.based_on: a.json: based_on goes round in a circle"),
            std::string::npos)
      << complaint("a");
  layer("lost", "bse", kFaster);
  EXPECT_EQ(complaint("lost"),
            "lost.json.based_on: machine \"bse\": unknown (did you mean \"base\"?); or give a file.json");
  const std::string ok = R"(, "source": "s", "confidence": "press"})";
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"("changes": {"memory.rat": {"factor": 3)" + ok + "}",
       "x.json.changes.memory.rat: base has no key memory.rat (did you mean \"memory.rate\"?)"},
      {R"("changes": {"memory": {"factor": 3)" + ok + "}",
       "x.json.changes.memory: a group of keys; name one of them, or remove it and add another"},
      {R"("changes": {"memory.rate": 3})", "x.json.changes.memory.rate: expected an object {...}, found 3"},
      {R"("changes": {"memory.rate": {"factor": "3")" + ok + "}",
       "x.json.changes.memory.rate: expected a factor, found \"3\""},
      {R"("changes": {"memory.rate": {"factor": -3)" + ok + "}",
       "x.json.changes.memory.rate: the result is negative or too large"},
      {R"("changes": {"memory.rate": {"value": 1, "factor": 3)" + ok + "}",
       "x.json.changes.memory.rate: expected a value or a factor"},
      {R"("changes": {"memory.rate": {"value": 1, "confidence": "press"}})",
       "x.json.changes.memory.rate.source: missing key"},
      {R"("changes": {"memory.rate": {"value": 1, "source": "s", "confidence": "sure"}})",
       "x.json.changes.memory.rate.confidence: expected one of official, measured, press, inferred, assumed, "
       "what-if, found \"sure\""},
      {R"("changes": {"memory.rate": {"value": 1, "unit": "s")" + ok + "}",
       "x.json.changes.memory.rate.unit: unknown key; known: value, factor, source, confidence, note"},
      {R"("change": {})", "x.json.change: unknown key (did you mean \"changes\"?)"},
      {R"("changes": [])", "x.json.changes: expected an object {...}, found []"},
      {R"("removed": ["mover.speed"])",
       "x.json.removed: base has no key mover.speed; `trnsim config show` lists them"},
      {R"("removed": "mover")", "x.json.removed: expected an array of keys, found \"mover\""},
      {R"("added": {"shapes.one": {}})",
       "x.json.added.shapes.one: base has it already; change it, or remove it first"},
      {R"("added": {"form.one": {}})", "x.json.added.form.one: base has no group form"},
      {R"("linked": {"memory.rate": ["memory.rate"]})", "x.json.linked.memory.rate: linked to itself"},
      {R"("linked": {"memory.rate": ["shapes.name"]})",
       "x.json.linked.memory.rate: shapes.name is not a number and cannot scale"},
      {R"("overlays": {"unlinked": {"note": "n"}})",
       "x.json.overlays.unlinked: every machine has this overlay; choose another name"},
      {R"("overlays": {"odd": {"note": "n", "changes": {"memory.sise": {"value": 1)" + ok + "}}}",
       "x.json.overlays.odd.changes.memory.sise: base has no key memory.sise (did you mean "
       "\"memory.rate\"?)"},
      {R"("ranges": {"memory.width": {"low": 9, "high": 12, "why": "w")" + ok + "}",
       "x.json.ranges.memory.width: the value taken, 8, does not lie from 9 to 12"},
      {R"("ranges": {"memory.width": {"low": "a", "high": 12, "why": "w")" + ok + "}",
       "x.json.ranges.memory.width: expected low and high like the value taken, 8, found \"a\" and 12"},
      {R"("inherited": "maybe")",
       "x.json.inherited.confidence: expected one of official, measured, press, inferred, assumed, what-if, "
       "found \"maybe\""}};
  for (const auto& [sections, expected] : cases) {
    layer("x", "base", sections);
    EXPECT_EQ(complaint("x"), expected);
  }
  EXPECT_EQ(complaint("base+round"), "base+round: no kernels for it");
  EXPECT_EQ(complaint("base+wode"), "base+wode: unknown overlay (did you mean \"wide\"?)");
  EXPECT_EQ(complaint("base+wide+wide"), "base+wide+wide: an overlay is laid over once");
}

TEST(LayeredName, OverlaysStandBehindTheDocument) {
  const auto parts = [](const std::string& name) {
    const LayeredName split = split_overlays(name);
    return split.document + '|' + join(split.overlays);
  };
  EXPECT_EQ(parts("trn2"), "trn2|");
  EXPECT_EQ(parts("trn4-whatif+clock+unlinked"), "trn4-whatif|clock, unlinked");
  EXPECT_EQ(parts("./c++/mine.json+clock"), "./c++/mine.json|clock");
  EXPECT_EQ(unlinked_name("trn2"), "trn2+unlinked");
  EXPECT_EQ(unlinked_name("trn2+unlinked"), "trn2+unlinked");
}

}  // namespace
}  // namespace trn
