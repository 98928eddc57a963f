/** Signals that a command of a mail program ends with NO. The code is a response code of IMAP (RFC 5530). */
export class ImapError extends Error {
  override name = "ImapError";
  readonly code: string;

  constructor(text: string, code: string) {
    super(text);
    this.code = code;
  }
}

export const noSuchFolder = (code = "NONEXISTENT") => new ImapError("This folder does not exist", code);
export const overQuota = () => new ImapError("The mailbox is full", "OVERQUOTA");
