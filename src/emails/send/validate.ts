import type { CallerCtx } from "../../context.ts";
import { MAX_FAULTS } from "../../errors.ts";
import type { SendIn, ValidateOut } from "../schema.ts";
import { checkSends } from "./check.ts";

/** Says what a send of this request would meet, without sending (specification: POST /v1/emails/validate). Writes nothing. */
export async function validateEmail(ctx: CallerCtx, input: SendIn): Promise<ValidateOut> {
  const [checked] = await checkSends(ctx, [input]);
  const issues = (checked?.issues ?? []).slice(0, MAX_FAULTS).map(({ field, loc, error }) => ({
    field,
    error: loc.length > 0 ? `${loc.join(".")}: ${error}` : error,
  }));
  return {
    valid: issues.length === 0,
    can_send: issues.length === 0,
    issues,
  };
}
