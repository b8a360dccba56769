// The pages of `trnsim report` in a real browser. TRNSIM: the program; TRNSIM_ROOT: the repository.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, open } from "./browser.mjs";
import { brokenLabels, emptyFigures, faintTexts, focused, overflowing, smallTexts } from "./probes.mjs";

const { TRNSIM, TRNSIM_ROOT } = process.env;
const folder = mkdtempSync(join(tmpdir(), "trnsim-browser-"));
const pages = { training: join(folder, "training.html"), collective: join(folder, "collective.html"), search: join(folder, "search.html") };
let browser;

const run = (...words) => execFileSync(TRNSIM, words, { cwd: TRNSIM_ROOT, stdio: ["ignore", "ignore", "inherit"] });

before(async () => {
  const at = (name) => join(folder, name);
  execFileSync("python3", [join(TRNSIM_ROOT, "tests/browser/samples/make_samples.py"), at("training")]);
  run("train", "--model", "Qwen3-8B.json", "--machine", "trn2:instance", "--layout", "tp=4,fsdp=16", "--global-batch", "16", "--set", "hbm.stack_mb_per_s=+10%", "-o", at("training"));
  run("collective", "all_reduce", "--machine", "trn2:instance", "--ranks-per-chip", "4", "--sizes", "1KiB:1GiB:x4", "--algorithm", "all", "-o", at("collective"));
  run("report", at("training"), "-o", pages.training);
  run("report", at("collective/result.json"), "-o", pages.collective);
  run("report", at("training/search.json"), "-o", pages.search);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function on(name, options, body) {
  const page = await open(browser, pages[name], options);
  try {
    await body(page);
    assert.deepEqual(page.errors, []);
    assert.deepEqual(page.requests, [`file://${pages[name]}`], "a page needs nothing but itself");
  } finally {
    await page.context().close();
  }
}

for (const name of Object.keys(pages))
  for (const width of [360, 768, 1400])
    for (const dark of [false, true])
      describe(`${name}, ${width} px, ${dark ? "dark" : "light"}`, () => {
        test("draws every chart and fits", () => on(name, { width, dark }, async (page) => {
          assert.deepEqual(await page.evaluate(emptyFigures), []);
          assert.deepEqual(await page.evaluate(overflowing), []);
          assert.deepEqual(await page.evaluate(brokenLabels), []);
        }));
        test("is readable, tables too", () => on(name, { width, dark }, async (page) => {
          await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
          assert.deepEqual(await page.evaluate(smallTexts, 12), []);
          assert.deepEqual(await page.evaluate(faintTexts, 4.5), []);
          assert.deepEqual(await page.evaluate(overflowing), []);
        }));
      });

test("nothing from a file becomes markup", () => on("training", {}, async (page) => {
  assert.equal(await page.locator("main b").count(), 0);
  assert.ok((await page.locator("main").textContent()).includes("<b>&\"'</script>"));
}));

test("every chart has a table of as many rows as it was given", () => on("training", {}, async (page) => {
  for (const figure of await page.locator("figure.chart").all()) {
    const rows = await figure.getAttribute("data-rows");
    const given = await page.evaluate((id) => JSON.parse(document.getElementById(id).textContent).length, rows);
    assert.equal(await page.locator(`#${rows.replace(/-rows$/, "-table")} tbody tr`).count(), given, rows);
  }
  // Twelve parts of the step and the step, a bar each.
  assert.equal(await page.locator("#ledger .mark-rect path").count(), await page.locator("#ledger-table tbody tr").count());
}));

test("the Tab key reaches everything, visibly", () => on("training", {}, async (page) => {
  await page.evaluate(() => document.querySelectorAll("details.data").forEach((d, i) => (d.open = i === 0)));
  const seen = [];
  for (let i = 0; i < 200; i += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(focused);
    if (at.what === "body") break;
    assert.ok(at.visible, `${at.what} shows no focus`);
    seen.push(at.what);
  }
  assert.equal(seen[0], "a.skip");
  assert.equal(seen[1], "input:radio");
  assert.equal(seen[2], "a");
  const count = (what) => seen.filter((s) => s === what).length;
  assert.equal(count("summary"), await page.locator("summary").count());
  assert.equal(count("select"), await page.locator("select").count());
  assert.equal(count("input"), await page.locator("input[type=search]").count());
  assert.equal(count("a"), await page.locator("nav a, p.data a").count());
  assert.ok(count("div.scroll") > 0, "tables are scrolled by keyboard");
}));

test("colours can be chosen and are remembered", () => on("training", {}, async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(), "rgb(255, 255, 255)");
  await page.locator("input[value=auto]").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const dark = await paper();
  assert.notEqual(dark, "rgb(255, 255, 255)");
  await page.reload();
  assert.equal(await paper(), dark);
  page.requests.pop();
}));

test("prints on white, without controls, with all data", () => on("training", { dark: true }, async (page) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.equal(await page.locator(".controls").first().isVisible(), false);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator("details.data:not([open])").count(), 0);
  assert.deepEqual(await page.evaluate(faintTexts, 4.5), []);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await page.locator("details.data[open]").count(), 0);
  assert.ok((await page.pdf({ format: "A4" })).length > 50_000);
}));

test("filters show the rows that match", () => on("training", {}, async (page) => {
  const rows = page.locator("#provenance-table tbody tr:visible");
  const all = await rows.count();
  await page.locator("#provenance input[type=search]").fill("hbm stack_mb");
  assert.ok((await rows.count()) >= 1 && (await rows.count()) < all);
  await page.locator("#provenance input[type=search]").fill("");
  await page.locator("#provenance select").selectOption("what-if");
  // The figure that was set, and those linked to it.
  assert.ok((await rows.allTextContents()).some((text) => text.includes("hbm.stack_mb_per_s")));
  for (const row of await rows.all()) assert.equal(await row.getAttribute("class"), "marked");
}));

test("axes of the sweep are chosen by keyboard, and said", () => on("training", {}, async (page) => {
  const cells = page.locator("#study .mark-rect path");
  const before = await cells.count();
  await page.locator("#study select").nth(1).focus();
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((n) => document.querySelectorAll("#study .mark-rect path").length !== n, before);
  const said = await page.locator("#front .status").textContent();
  await page.locator("#front select").nth(1).selectOption({ label: "chips" });
  await page.waitForFunction((old) => document.querySelector("#front .status").textContent !== old, said);
  assert.match(await page.locator("#front .status").textContent(), /On the front: #/);
}));

test("a link to a chart's data opens it", () => on("training", {}, async (page) => {
  await page.locator("#front p.data a").click();
  await page.waitForFunction(() => document.getElementById("study-data").open);
}));

test("charts follow the width of the window", () => on("training", {}, async (page) => {
  await page.setViewportSize({ width: 500, height: 900 });
  await page.waitForFunction(() => document.querySelector("#ledger svg").getBoundingClientRect().width < 480);
  assert.deepEqual(await page.evaluate(overflowing), []);
}));
