import type { Session } from "./session.ts";

const BASE = ["IMAP4rev1", "LITERAL+", "SASL-IR", "ID", "ENABLE"];
const AFTER_LOGIN = [
  "IDLE",
  "NAMESPACE",
  "UIDPLUS",
  "MOVE",
  "SPECIAL-USE",
  "LIST-EXTENDED",
  "LIST-STATUS",
  "CONDSTORE",
  "ESEARCH",
  "UNSELECT",
  "STATUS=SIZE",
  "QUOTA",
  "QUOTA=RES-STORAGE",
  "UTF8=ACCEPT",
];

/** Returns what the server can do in the state of a session. A login is offered over TLS only. */
export function capabilitiesOf(session: Session): string {
  if (session.state !== "not-authenticated")
    return [...BASE, ...AFTER_LOGIN, `APPENDLIMIT=${session.appendLimit}`].join(" ");
  return [...BASE, ...(session.isSecure ? ["AUTH=PLAIN"] : ["STARTTLS", "LOGINDISABLED"])].join(" ");
}
