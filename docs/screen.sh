#!/usr/bin/env bash
# Makes docs/screen.svg, the picture in the README, from a golden file: a frame
# that the tests hold the screen to.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
GOFLAGS=-buildvcs=false go run github.com/charmbracelet/freeze@v0.2.2 \
  ui/testdata/TestGroupsInColourGolden.golden \
  --language text --font.family monospace --font.size 13 --line-height 1.3 \
  --padding 12 --background "#1b1b1f" --output docs/screen.svg
