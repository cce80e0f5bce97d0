// Handles the keys of the judging page. All content comes from the server as text; nothing here creates markup.
"use strict";

const WORDS = {
  actions: ["right", "wrong"],
  effects: ["wrong page", "no effect"],
  reflections: ["right", "wrong"],
  operations: ["done", "not done"],
  statements: ["true", "false"],
  success: ["done", "not done"],
};
const questions = [...document.querySelectorAll(".question")];
const steps = [...document.querySelectorAll(".step")];
const { episode, previous, next } = document.body.dataset;
let current = 0;
let shown = 0;
const stored = new Map(questions.map((question) => [question, question.dataset.answer]));
const turns = new Map(); // the number of a question's newest answer
let sending = Promise.resolve(); // one answer at a time, in the order of the keys

function show(index) {
  shown = Math.max(0, Math.min(steps.length - 1, index));
  steps.forEach((step, place) => (step.hidden = place !== shown));
  for (const step of steps.slice(shown, shown + 2)) load(step); // the next one will be needed soon
}

function load(step) {
  for (const image of step.querySelectorAll("image[data-screen]:not([href])"))
    image.setAttribute("href", `../screens/${image.dataset.screen}.png`);
}

function select(index) {
  if (!questions.length) return;
  current = Math.max(0, Math.min(questions.length - 1, index));
  questions.forEach((one, place) => one.toggleAttribute("aria-current", place === current));
  questions[current].scrollIntoView({ block: "nearest" });
  const step = questions[current].dataset.step;
  if (step !== "") show(steps.findIndex((one) => one.dataset.step === step));
}

function isOpen(question) {
  return !question.hidden && question.dataset.answer === "";
}

function move(by) {
  let place = current + by;
  while (questions[place]?.hidden) place += by;
  select(place);
}

// Once an action is judged as wrong, the page asks what it led to.
function effectOf(question) {
  const { kind, name } = question.dataset;
  return kind === "actions" ? questions.find((one) => one.dataset.kind === "effects" && one.dataset.name === name) : undefined;
}

function nextOpen() {
  const places = questions.map((_, place) => (current + 1 + place) % questions.length);
  const found = places.find((place) => isOpen(questions[place]));
  document.getElementById("complete").hidden = found !== undefined;
  if (found !== undefined) select(found);
}

function mark(question, answer) {
  question.dataset.answer = answer;
  let word = "";
  if (answer !== "") {
    const value = JSON.parse(answer);
    if (question.dataset.kind === "rubrics") word = value === null ? "never" : `step ${value}`;
    else word = WORDS[question.dataset.kind][value ? 0 : 1];
  }
  question.querySelector(".mark").textContent = word;
  effectOf(question)?.toggleAttribute("hidden", answer !== "false");
}

function answer(yes) {
  const question = questions[current];
  if (!question) return;
  const rubric = question.dataset.kind === "rubrics";
  store(question, rubric ? (yes ? Number(steps[shown].dataset.step) : null) : yes);
  nextOpen();
}

function takeBack() {
  const question = questions[current];
  if (!question || isOpen(question)) return;
  store(question, undefined);
  document.getElementById("complete").hidden = true;
}

function store(question, value) {
  mark(question, value === undefined ? "" : JSON.stringify(value));
  question.classList.add("storing");
  const turn = (turns.get(question) ?? 0) + 1;
  turns.set(question, turn);
  sending = sending.then(() => send(question, value, () => turns.get(question) === turn));
}

async function send(question, value, isLast) {
  const { kind, name } = question.dataset;
  const said = value === undefined ? { episode, kind, name } : { episode, kind, name, value };
  try {
    const response = await fetch("../judgements", {
      method: value === undefined ? "DELETE" : "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(said),
      keepalive: true,
    });
    if (!response.ok) throw new Error(await reason(response));
    stored.set(question, value === undefined ? "" : JSON.stringify(value));
    const effect = value === false ? undefined : effectOf(question);
    if (effect) {
      stored.set(effect, ""); // the server drops it too; an answer that is being sent is shown when it arrives
      mark(effect, "");
    }
    if (isLast()) mark(question, stored.get(question));
    count(await response.json());
    trouble("");
  } catch (error) {
    if (isLast()) mark(question, stored.get(question)); // otherwise a later answer is shown already, and is being sent
    trouble(`Not stored: ${error.message}`);
  } finally {
    if (isLast()) question.classList.remove("storing");
  }
}

async function reason(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error;
  } catch {
    return text;
  }
}

function count(progress) {
  for (const [name, counts] of Object.entries(progress)) {
    document.getElementById(name).max = counts.questions;
    document.getElementById(name).value = counts.judged;
    document.getElementById(`${name}-counts`).textContent = `${counts.judged} of ${counts.questions}`;
  }
}

function trouble(text) {
  const place = document.getElementById("trouble");
  place.textContent = text;
  place.hidden = text === "";
}

function go(address) {
  sending.then(() => location.assign(address)); // first store the answers
}

function toStep(index) {
  const about = questions[current]?.dataset.step;
  show(index);
  if (about === undefined || about === "") return; // a rubric is not about one step
  const found = questions.findIndex((one) => one.dataset.step === steps[shown].dataset.step);
  if (found >= 0) select(found);
}

const KEYS = {
  y: () => answer(true),
  n: () => answer(false),
  Backspace: takeBack,
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  o: nextOpen,
  ArrowRight: () => toStep(shown + 1),
  ArrowLeft: () => toStep(shown - 1),
  Home: () => toStep(0),
  End: () => toStep(steps.length - 1),
  PageDown: () => next !== "" && go(next),
  PageUp: () => previous !== "" && go(previous),
  Enter: () => go("../"),
};
const ONCE = new Set(["y", "n", "Backspace", "Enter", "PageDown", "PageUp"]); // holding a key is one answer

document.addEventListener("keydown", (event) => {
  const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  if (!(event.repeat && ONCE.has(event.key))) act();
});
for (const button of document.querySelectorAll("[data-press]"))
  button.addEventListener("click", () => {
    button.blur(); // otherwise Enter would press it again
    KEYS[button.dataset.press]();
  });
questions.forEach((question, place) => question.addEventListener("click", () => select(place)));

questions.forEach((question) => mark(question, question.dataset.answer));
show(0);
const first = questions.findIndex(isOpen);
document.getElementById("complete").hidden = first >= 0;
select(Math.max(0, first));
document.body.dataset.ready = "yes";
