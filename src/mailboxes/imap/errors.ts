import { ImapError } from "../../mail/imap/cursor.ts";

export const noSuchFolder = (code = "NONEXISTENT") => new ImapError("This folder does not exist", code);
export const missing = (what: "from" | "to" | "message") =>
  what === "message"
    ? new ImapError("Some of the messages were expunged", "EXPUNGEISSUED")
    : noSuchFolder(what === "to" ? "TRYCREATE" : "NONEXISTENT");
export const overQuota = () => new ImapError("The mailbox is full", "OVERQUOTA");
