/** Names the places of the console. Every link of the console is made here. */

import { linkTo, type Choices } from "../../state/address";

export const places = {
  fleet: (choices: Choices = {}) => linkTo(["fleet"], choices),
  phone: (serial: string, choices: Choices = {}) => linkTo(["phones", serial], choices),
  work: (choices: Choices = {}) => linkTo(["work"], choices),
  submit: (choices: Choices = {}) => linkTo(["work", "submit"], choices),
  schedules: (choices: Choices = {}) => linkTo(["work", "schedules"], choices),
  newSchedule: () => linkTo(["work", "schedules", "new"]),
  batch: (id: string, choices: Choices = {}) => linkTo(["batches", id], choices),
  task: (id: string) => linkTo(["tasks", id]),
  episode: (id: string, choices: Choices = {}) => linkTo(["episodes", id], choices),
  attention: (choices: Choices = {}) => linkTo(["attention"], choices),
  health: (choices: Choices = {}) => linkTo(["health"], choices),
} as const;

export type Section = "fleet" | "work" | "attention" | "health";

/** Returns the part of the navigation that a place belongs to. */
export function sectionOf(path: readonly string[]): Section {
  switch (path[0]) {
    case "work":
    case "batches":
    case "tasks":
    case "episodes":
    case "schedules":
      return "work";
    case "attention":
      return "attention";
    case "health":
      return "health";
    default:
      return "fleet";
  }
}
