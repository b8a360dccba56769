#!/usr/bin/env bash
# Pictures of a report, for docs and for looking at: scripts/screenshots.sh PAGE.html FOLDER [NAME].
# Phone and desktop, light and dark, whole and by section, and the page as printed. Needs a built release.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
cmake --build "$root/build/release" --target browser_tests >/dev/null
exec node "$root/build/release/browser/screenshots.mjs" "$@"
