/** The result of one of several items of a call: a value, or the error that its own call would have thrown. */
export type Result<Value> = { value: Value } | { error: unknown };
