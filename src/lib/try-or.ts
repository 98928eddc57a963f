/** Returns the result of a function, or `otherwise` when it throws. */
export function tryOr<Result, Other>(run: () => Result, otherwise: Other): Result | Other {
  try {
    return run();
  } catch {
    return otherwise;
  }
}
