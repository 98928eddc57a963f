import { expect } from "vitest";

/** Returns a function that calls `make` once in each test file: files share modules, and each begins with empty databases. */
export function oncePerFile<Value>(make: () => Value): () => Value {
  const made = new Map<string | undefined, Value>();
  return () => {
    const file = expect.getState().testPath;
    const value = made.has(file) ? (made.get(file) as Value) : make();
    made.set(file, value);
    return value;
  };
}
