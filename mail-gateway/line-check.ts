const [NUL, LF, CR] = [0x00, 0x0a, 0x0d];

/**
 * Finds line ends other than CRLF, and NULs, in bytes that arrive in chunks. A server that reads them differently could
 * take the rest of a message for commands (SMTP smuggling).
 */
export class LineCheck {
  #issue: string | null = null;
  #endsInCr = false;

  /** Returns the first error: `bare LF`, `bare CR` or `NUL`; null: none. */
  get issue(): string | null {
    return this.#issue;
  }

  add(chunk: Uint8Array): void {
    if (this.#issue !== null || chunk.length === 0) return;
    if (chunk.indexOf(NUL) >= 0) this.#issue = "NUL";
    if (this.#endsInCr && chunk[0] !== LF) this.#issue ??= "bare CR";
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
      if (at === 0 ? !this.#endsInCr : chunk[at - 1] !== CR) this.#issue ??= "bare LF";
    }
    for (let at = chunk.indexOf(CR); at >= 0; at = chunk.indexOf(CR, at + 1)) {
      if (at + 1 < chunk.length && chunk[at + 1] !== LF) this.#issue ??= "bare CR";
    }
    this.#endsInCr = chunk[chunk.length - 1] === CR;
  }

  /** Starts another phase: a CR at the end of the one before does not count. The issue stays. */
  reset(): void {
    this.#endsInCr = false;
  }
}
