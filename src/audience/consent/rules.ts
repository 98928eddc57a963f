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

/** Returns the times within the window before `now`. Pure. */
export const recentTimes = (times: readonly number[], now: number): number[] =>
  times.filter((time) => time > now - MAIL_WINDOW_MS);

/** Returns whether one more confirmation mail may be sent, given the times of those for the list and for all lists. Pure. */
export function maySend(ofList: readonly number[], ofPerson: readonly number[], now: number): boolean {
  return (
    recentTimes(ofList, now).length < limits.mailsOfList && recentTimes(ofPerson, now).length < limits.mailsOfPerson
  );
}
