import type { Ctx } from "../context.ts";
import { forgetEmails } from "./forget-emails.ts";
import { forgetRest } from "./forget-rest.ts";
import { sumDays } from "./sum-days.ts";

/** Sums up what is over and takes away what is past its time. */
export async function keepHouse(ctx: Ctx): Promise<void> {
  await sumDays(ctx);
  await forgetEmails(ctx);
  await forgetRest(ctx);
}
