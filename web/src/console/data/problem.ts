/** Holds why a request failed: what the service said (RFC 9457), or that it did not answer. */

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly mistakes: readonly string[];
}

/** The status of a request that got no answer. */
export const NO_ANSWER = 0;

const UNAUTHORIZED = 401;

export class RequestFailed extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
    this.name = "RequestFailed";
  }

  get isAway(): boolean {
    return this.problem.status === NO_ANSWER || this.problem.status === 503;
  }

  get needsSignIn(): boolean {
    return this.problem.status === UNAUTHORIZED;
  }
}

export const serviceAway: Problem = {
  type: "urn:manyhands:problem:no-answer",
  title: "The service does not answer",
  status: NO_ANSWER,
  detail: "The request got no answer. Check that the service runs and that this machine reaches it, then try again.",
  mistakes: [],
};

/** Reads the problem of an answer. An answer of something between, such as a proxy, need not hold one. */
export async function readProblem(answer: Response): Promise<Problem> {
  const plain: Problem = {
    type: "about:blank",
    title: `The service answered ${answer.status}`,
    status: answer.status,
    detail: answer.statusText,
    mistakes: [],
  };
  try {
    const said: unknown = await answer.json();
    return typeof said === "object" && said !== null ? { ...plain, ...(said as Partial<Problem>) } : plain;
  } catch {
    return plain;
  }
}

/** Returns the problem of whatever was thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RequestFailed) return error.problem;
  return {
    type: "about:blank",
    title: "The page has a defect",
    status: -1,
    detail: error instanceof Error ? error.message : String(error),
    mistakes: [],
  };
}
