#!/usr/bin/env bash
# clang-format and clang-tidy over all of our sources; needs a configured build/release.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run -Werror
[ "${1:-}" = --format ] && exit 0
run-clang-tidy -quiet -p build/release -j "$(nproc)" '/(base|isa|models|kernels|workloads|sim|traces|tests|benchmarks)/.*\.cpp$'
