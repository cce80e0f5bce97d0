/** Carries out a change that a person asked for, and keeps its result or its problem for the place of the question. */

import { useSignal, type Signal } from "@preact/signals";
import { problemOf, type Problem } from "../data/problem";

export interface Action<Arguments extends unknown[]> {
  readonly isRunning: Signal<boolean>;
  readonly problem: Signal<Problem | null>;
  /** What came of the last change, in words; null before. */
  readonly result: Signal<string | null>;
  readonly run: (...given: Arguments) => Promise<boolean>;
  readonly forget: () => void;
}

/** Returns an action. `change` returns the words for its result, or nothing if the page shows it anyway. */
export function useAction<Arguments extends unknown[]>(
  change: (...given: Arguments) => Promise<string | void>,
): Action<Arguments> {
  const isRunning = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const result = useSignal<string | null>(null);
  const forget = (): void => {
    problem.value = null;
    result.value = null;
  };
  const run = async (...given: Arguments): Promise<boolean> => {
    if (isRunning.value) return false;
    isRunning.value = true;
    forget();
    try {
      result.value = (await change(...given)) ?? null;
      return true;
    } catch (error) {
      problem.value = problemOf(error);
      return false;
    } finally {
      isRunning.value = false;
    }
  };
  return { isRunning, problem, result, run, forget };
}
