/** Signals a command that ends with NO or BAD. The code is a response code without its brackets (RFC 5530). */
export class CommandError extends Error {
  override name = "CommandError";
  readonly status: "NO" | "BAD";
  readonly code: string | null;

  constructor(text: string, code: string | null = null, status: "NO" | "BAD" = "NO") {
    super(text);
    this.status = status;
    this.code = code;
  }
}

export const noSuchFolder = () => new CommandError("This folder does not exist", "NONEXISTENT");

/** The error in any doubt: the client may try again. */
export const unavailable = () => new CommandError("The service cannot be reached; try again later", "UNAVAILABLE");

/** Signals a response that was begun and cannot be ended, so that the connection must. */
export class BrokenResponseError extends Error {
  override name = "BrokenResponseError";
}
