"""Find what a file names, or what was typed, in texts and on screens of an episode: for exports, and for runs."""
