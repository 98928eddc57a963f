import { BULK_EGRESS, MAIN_EGRESS } from "../../platform/settings/named-egresses.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { isBulkSource } from "../emails/index.ts";

/**
 * Returns the name of the egress that an email takes: that of its domain or else of its workspace (`assigned`), else that of
 * broadcasts and bulk sends, else that of EGRESS_URL. Pure.
 */
export function egressNameOf(
  { bulkEgressUrl }: Pick<Settings, "bulkEgressUrl">,
  { assigned, source }: { assigned: string | null; source: string },
): string {
  return assigned ?? (bulkEgressUrl !== "" && isBulkSource(source) ? BULK_EGRESS : MAIN_EGRESS);
}
