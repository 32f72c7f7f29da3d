#!/usr/bin/env bash
# Runs the steps of `npm run check`. Prints the output of the steps that fail, and exits with 1 if any failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()

step() {
  local name=$1 output status begun=$SECONDS
  shift
  output=$("$@" 2>&1)
  status=$?
  if [ $status -eq 0 ]; then
    echo "$name: passed in $((SECONDS - begun)) s"
  else
    printf '%s\n%s: FAILED\n' "$output" "$name"
    failed+=("$name")
  fi
}

step format oxfmt --check .
step lint npm run --silent lint
step types npm run --silent typecheck
step 'dead code' knip
step names npm run --silent names

if [ ${#failed[@]} -gt 0 ]; then
  (
    IFS=,
    echo "failed: ${failed[*]}"
  )
  exit 1
fi
