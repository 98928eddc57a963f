/** Why a submitted message is refused: `size` for a limit of size, `format` for what no message may contain. */
export class RawMessageError extends Error {
  readonly kind: "size" | "format";
  constructor(kind: "size" | "format", message: string) {
    super(message);
    this.name = "RawMessageError";
    this.kind = kind;
  }
}
