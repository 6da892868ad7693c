"""Every runtime that installs here, side by side: `build/scoreboard` and docs/scoreboard.md."""
