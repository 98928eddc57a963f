import { Status } from "../../http/ui/index.ts";
import type { SearchOut } from "../../sending/emails/index.ts";

/** The status of an email. One that a recipient has marked as spam was delivered, and does not look as if all were well. */
export const EmailStatus = ({ of: email }: { of: Pick<SearchOut, "status" | "has_complaint"> }) => (
  <Status word={email.has_complaint ? "complained" : email.status} />
);
