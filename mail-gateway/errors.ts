/** Signals a reply that refuses a command: code, enhanced status code (RFC 3463) and text. */
export class Refusal extends Error {
  /** Code and enhanced code. As text, because smtp-server adds an enhanced code of its own to a number. */
  readonly responseCode: number;

  constructor(reply: string) {
    const [, code = "451 4.3.0", text = reply] = /^(\d{3} \d\.\d+\.\d+) (.*)$/s.exec(reply) ?? [];
    super(text);
    this.name = "Refusal";
    this.responseCode = code as unknown as number;
  }
}

/** The reply in any doubt: the client keeps the message and tries again. `cause` is why, where it is known. */
export const tryAgain = (cause?: unknown) =>
  Object.assign(new Refusal("451 4.3.0 The service cannot be reached; try again later"), { cause });

/** Signals a response of the Worker with another status than 200. */
export class StatusError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the Worker responded with ${status}`);
    this.name = "StatusError";
    this.status = status;
  }
}

/** Returns whether the Worker has refused a value of a call, such as one that is too long. It will refuse it again. */
export const isRefusedValue = (error: unknown) =>
  error instanceof StatusError && [400, 413, 422].includes(error.status);

/** Characters of a client's text that a reply repeats. A reply has at most 512 bytes (RFC 5321 4.5.3.1.5). */
const SHOWN_CHARACTERS = 300;

/** Returns text of a client as a reply may repeat it: printable ASCII, cut. */
export function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS).replace(/[^\x20-\x7e]+/g, "?");
}
