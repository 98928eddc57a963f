import { hashPassword } from "../../src/access/mailbox-sessions/password.ts";

/** The password of inserted mailboxes and credentials. */
export const PASSWORD = "correct horse battery staple";

/** Its hash. Hashed once in an isolate, because scrypt takes 150 ms. */
export const hashed = hashPassword(PASSWORD);
