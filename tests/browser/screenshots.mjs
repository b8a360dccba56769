// Pictures of a page: node screenshots.mjs PAGE.html FOLDER [NAME]. Phone and desktop, light and dark, whole page; each
// section of the desktop page alone; and the page as printed (PDF).
import { mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { launch, open } from "./browser.mjs";

const [file, folder, name = basename(process.argv[2] ?? "", ".html")] = process.argv.slice(2);
if (!file || !folder) {
  console.error("usage: node screenshots.mjs PAGE.html FOLDER [NAME]");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const [device, width, scale] of [["phone", 360, 2], ["desktop", 1400, 1]])
  for (const dark of [false, true]) {
    const page = await open(browser, resolve(file), { width, dark, scale });
    const what = `${name}-${device}-${dark ? "dark" : "light"}`;
    await page.screenshot({ path: join(folder, `${what}.png`), fullPage: true });
    if (device === "desktop" && !dark) {
      for (const section of await page.locator("main > section").all())
        await section.screenshot({ path: join(folder, `${what}-${await section.getAttribute("id")}.png`) });
      await page.pdf({ path: join(folder, `${name}.pdf`), format: "A4", margin: { top: "12mm", bottom: "12mm", left: "12mm", right: "12mm" } });
    }
    if (page.errors.length > 0) console.error(page.errors.join("\n"));
    await page.context().close();
  }
await browser.close();
