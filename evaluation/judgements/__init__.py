"""Let a person judge a run, on a page that this machine serves (docs/judging.md); store and compare judgements."""
