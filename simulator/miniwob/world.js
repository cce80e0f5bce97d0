// Runs in MiniWoB's pages: the seed in the address, as ?seed=N, begins the problem, without the time limit of ten seconds.
addEventListener("DOMContentLoaded", () => addEventListener("load", () => {
  const core = window.core;
  const seed = new URLSearchParams(location.search).get("seed");
  if (!core?.startEpisodeReal || seed === null) return;
  core.EPISODE_MAX_TIME = 24 * 3600 * 1000;
  core.countdownTimer = () => {};
  const style = document.createElement("style");
  style.textContent = "#reward-display, #click-canvas { display: none }"; // they stand beside the screen
  document.head.append(style);
  Math.seedrandom(Number(seed));
  core.startEpisodeReal();
  scrollTo(0, 0); // a dialog that is wider than the page at first has moved it
  core.startEpisode = () => { // the page calls it at the end; the reward is to stay
    core.cover_div.textContent = "END";
    core.cover_div.onclick = null;
    core.cover_div.style.display = "block";
  };
  const utterance = core.getUtterance();
  const goal = utterance.utterance ?? utterance;
  const task = location.pathname.split("/").pop().replace(/\.html$/, "");
  window.manyhandsState = () => (
    { task, seed: Number(seed), goal, done: window.WOB_DONE_GLOBAL, reward: window.WOB_RAW_REWARD_GLOBAL });
}));
