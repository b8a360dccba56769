// Builds the empty page: bundles style and scripts with all libraries, collects the libraries' licences, and
// allows exactly these bytes in the page's Content-Security-Policy. Usage: node build.mjs OUT.html
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const options = { absWorkingDir: here, bundle: true, minify: true, legalComments: "none", write: false, metafile: true, target: "es2022" };

function packagesIn(metafile) {
  const folders = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const match = path.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
    if (match) folders.add(match[1]);
  }
  return [...folders].sort();
}

// The notice of every package in the bundle; those with the same text share it.
function licences(folders) {
  const byText = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
    const file = readdirSync(join(here, folder)).sort().find((f) => /^(licen[cs]e|copying)/i.test(f));
    const text = file ? readFileSync(join(here, folder, file), "utf8").trim() : `Licence: ${license}`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  return [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`).join("\n\n");
}

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const hash = (text) => `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;

const script = await build({ ...options, entryPoints: ["main.js"], format: "iife" });
const style = await build({ ...options, entryPoints: ["page.css"] });
const parts = { script: script.outputFiles[0].text.trim(), style: style.outputFiles[0].text.trim() };
parts["script-hash"] = hash(parts.script);
parts["style-hash"] = hash(parts.style);
parts.licences = escaped(licences(packagesIn(script.metafile)));
for (const [name, text] of Object.entries(parts))
  if (text.includes("<!--report:") || /<\/(script|style)/i.test(text)) throw new Error(`${name} would end its element or hold a mark`);

const page = readFileSync(join(here, "page.html"), "utf8").replace(/\{\{([a-z-]+)\}\}/g, (_, name) => parts[name]);
writeFileSync(process.argv[2], page);
