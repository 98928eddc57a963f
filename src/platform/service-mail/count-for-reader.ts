import type { Ctx } from "../context.ts";
import { countTogether, type SubjectLimit } from "../rate-limits/exact.ts";
import { readerOf, strangersPolicy } from "./rules.ts";

declare const counted: unique symbol;

/** Proof that a mail was counted by its reader. Only `countForReader` makes one. */
export interface CountedMail {
  readonly [counted]: true;
  /** Takes the mail off the count: it was not sent. */
  giveBack(): Promise<void>;
}

/**
 * Counts a mail by its reader, who gets a limited number of mails a day that other people cause (`strangersPolicy`), and against further
 * limits of its cause. Returns null when it exceeds one: then nothing is counted, and the mail must not leave.
 */
export async function countForReader(
  ctx: Ctx,
  address: string,
  further: readonly SubjectLimit[] = [],
): Promise<CountedMail | null> {
  const { exceeded, giveBack } = await countTogether(ctx, [...further, [strangersPolicy, readerOf(address)]]);
  return exceeded ? null : ({ giveBack } as CountedMail);
}
