import { DAY_MS } from "../../lib/time.ts";

/** Limits of consent (docs/contract/consent.md#confirmation). */
export const limits = {
  subjectCharacters: 200,
  textCharacters: 2_000,
  sourceCharacters: 500,
  /** Days that a link of a confirmation mail works. */
  linkDays: 7,
  /** Confirmation mails in these days: to an address for one list, and for all lists of a workspace. */
  mailDays: 7,
  mailsOfList: 3,
  mailsOfPerson: 10,
} as const;

export const LINK_MS = limits.linkDays * DAY_MS;
export const MAIL_WINDOW_MS = limits.mailDays * DAY_MS;

/** The texts of the confirmation mails of a list. Null: the default. */
export interface ConfirmationTexts {
  name: string;
  confirm_subject: string | null;
  confirm_text: string | null;
}

/** The words of a confirmation mail, which are kept as evidence. */
export interface MailWords {
  kind: "confirmation";
  list: string;
  workspace: string;
  subject: string;
  text: string;
  button: string;
}

/** Returns the words of the confirmation mail of a list. Pure. */
export function mailWordsOf(list: ConfirmationTexts, workspace: string): MailWords {
  return {
    kind: "confirmation",
    list: list.name,
    workspace,
    subject: list.confirm_subject ?? `Please confirm your subscription to ${list.name}`,
    text:
      list.confirm_text ??
      `Please confirm that ${workspace} may send you the emails of the list "${list.name}". If you did not ask for them, ignore this email: you get no more of them.`,
    button: "Confirm",
  };
}

/** Returns the times within the window before `now`. Pure. */
export const recentTimes = (times: readonly number[], now: number): number[] =>
  times.filter((time) => time > now - MAIL_WINDOW_MS);

/** Returns whether one more confirmation mail may be sent, given the times of those for the list and for all lists. Pure. */
export function maySend(ofList: readonly number[], ofPerson: readonly number[], now: number): boolean {
  return (
    recentTimes(ofList, now).length < limits.mailsOfList && recentTimes(ofPerson, now).length < limits.mailsOfPerson
  );
}
