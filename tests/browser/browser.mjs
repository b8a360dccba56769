// Debian's Chromium, without a sandbox because tests also run as root in containers.
import { chromium } from "playwright-core";

const EXECUTABLE = process.env.TRNSIM_CHROMIUM ?? "/usr/bin/chromium";

export const launch = () => chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"] });

// A page with its charts drawn; what it complained about and asked the network for is in .errors and .requests.
export async function open(browser, file, { width = 1400, height = 900, dark = false, scale = 1 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", deviceScaleFactor: scale, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.errors = [];
  page.requests = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.errors.push(message.text()));
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => document.documentElement.dataset.charts === "drawn", undefined, { timeout: 20000 }).catch(() => page.errors.push("the charts were not drawn within 20 s"));
  return page;
}
