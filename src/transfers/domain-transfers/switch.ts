import { AppError } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";

/** Throws 404 while DOMAIN_TRANSFERS is off (docs/contract/transfers.md#calls-of-a-transfer). */
export function requireSwitchedOn({ settings }: Pick<Ctx, "settings">): void {
  if (!settings.domainTransfers) throw new AppError(404, "Not found");
}
