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

/** The reply in any doubt: the client keeps the message and tries again. */
export const tryAgain = () => new Refusal("451 4.3.0 The service cannot be reached; try again later");
