#!/usr/bin/env bash
# clang-format over all of our sources; and clang-tidy, on all or on those whose path matches a pattern:
# scripts/lint.sh [--format | PATTERN].
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run -Werror
[ "${1:-}" = --format ] && exit 0
# The one preset that compiles each file by itself, as clang-tidy does; and the headers that are generated.
cmake --preset dev >/dev/null
cmake --build --preset dev --target trace_proto perfetto_proto >/dev/null
run-clang-tidy -quiet -p build/dev -j "$(nproc)" \
  "${1:-/(base|isa|models|kernels|workloads|sim|traces|tests|benchmarks)/.*\.cpp\$}"
