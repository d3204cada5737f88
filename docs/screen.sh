#!/usr/bin/env bash
# Makes the pictures in the README from golden files: frames that the tests hold
# the screen to.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
picture() {
  GOFLAGS=-buildvcs=false go run github.com/charmbracelet/freeze@v0.2.2 \
    "ui/testdata/$1.golden" \
    --language text --font.family monospace --font.size 13 --line-height 1.3 \
    --padding 12 --background "#1b1b1f" --output "docs/$2.svg"
}
picture TestGroupsInColourGolden screen
picture TestStateInColourGolden state
picture TestRadarInColourGolden radar
picture TestRecordsInColourGolden peek
picture TestConsumeInColourGolden consume
