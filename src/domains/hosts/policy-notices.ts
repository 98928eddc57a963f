import type { Notice } from "../../notices/notifications/index.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { mtaStsId } from "./mta-sts.ts";
import type { PolicyMode } from "./policy-rules.ts";

/** Returns the notice of a change that the service makes; null: it needs none. Pure. */
export function policyNotice(
  settings: Pick<Settings, "mxHost">,
  { id, name }: { id: string; name: string },
  { from, to }: { from: PolicyMode; to: PolicyMode },
): Notice | null {
  const common = { category: "alerts", href: `/domains/${id}` } as const;
  const record = `Where _mta-sts.${name} is a TXT record, change its id to ${mtaStsId(settings, to)}.`;
  if (to === "enforce")
    return {
      ...common,
      severity: "success",
      title: `Mail to ${name} must now be encrypted`,
      body: `The MTA-STS policy was tested for 14 days without a failure and is now enforced. ${record}`,
    };
  if (from !== "enforce") return null;
  return {
    ...common,
    severity: "warning",
    title: `Mail to ${name} no longer has to be encrypted`,
    body: `The last check found that its MX records do not lead here, or the domain is no longer verified, so its MTA-STS policy is ended. It is tested again once they do. ${record}`,
  };
}
