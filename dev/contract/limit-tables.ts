import { ACCESS_TOKEN_TTL_MS } from "../../src/access/sessions/rules.ts";
import {
  ACCESS_TOKEN_TTL_MS as GRANT_TOKEN_TTL_MS,
  REFRESH_TOKEN_TTL_MS,
  GRACE_MS as REUSE_MS,
} from "../../src/access/tokens/rules.ts";
import { limits as automationLimits } from "../../src/audience/automations/rules.ts";
import { limits as broadcastLimits } from "../../src/audience/broadcasts/rules.ts";
import { submissionPolicies } from "../../src/audience/forms/rules.ts";
import { GRACE_MS as KEY_GRACE_MS, limits as keyLimits } from "../../src/identity/api-keys/rules.ts";
import { EXPIRED_KEPT_MS, INVITATION_TTL_MS, invitationPolicies } from "../../src/identity/invitations/rules.ts";
import { CODE_TTL_MS, REGISTRATIONS_PER_HOUR, UNUSED_CLIENT_TTL_MS } from "../../src/identity/oauth/rules.ts";
import {
  failurePolicies,
  MAGIC_LINK_TTL_MS,
  magicLinkPolicies,
  SECOND_FACTOR_TTL_MS,
} from "../../src/identity/sign-ins/rules.ts";
import { creationPolicy } from "../../src/identity/workspaces/rules.ts";
import { importLimits } from "../../src/lib/csv/limits.ts";
import { HEADER_NAME_CHARACTERS } from "../../src/lib/header-rules.ts";
import { NAME_BYTES } from "../../src/lib/text-rules.ts";
import { limits as ruleLimits } from "../../src/mailboxes/forwarding-rules/rules.ts";
import { KEPT_DAYS } from "../../src/mailboxes/mailbox-store/rules.ts";
import { NOTIFICATION_DAYS } from "../../src/notices/notifications/rules.ts";
import { DELIVERY_DAYS } from "../../src/notices/webhooks/rules.ts";
import { AUDIT_RETENTION_DAYS } from "../../src/platform/audit/rules.ts";
import { type Budget, ownerOf } from "../../src/platform/budgets/budget.ts";
import { mailBudgets } from "../../src/platform/budgets/mail-tables.ts";
import { mainBudgets } from "../../src/platform/budgets/main-tables.ts";
import { folderBudgets, mailboxBudgets } from "../../src/platform/budgets/objects.ts";
import { RESPONSE_TTL_MS } from "../../src/platform/idempotency/rules.ts";
import { eventLimits } from "../../src/platform/person-events/rules.ts";
import { requestPolicies, sendPolicies } from "../../src/platform/rate-limits/rules.ts";
import { causes, offersPolicy, strangersPolicy } from "../../src/platform/service-mail/rules.ts";
import { parseVariables } from "../../src/platform/settings/settings.ts";
import { limits as emailLimits } from "../../src/sending/emails/rules.ts";
import { loginLimits } from "../../src/sending/submissions/rules.ts";
import { DOMAIN_FAILURE_DAYS } from "../../src/sending/suppressions/domain-failures.ts";
import { SOFT_BOUNCE_DAYS } from "../../src/sending/suppressions/soft-bounces.ts";
import { MAX_TRACKED_LINKS } from "../../src/sending/tracking/index.ts";
import { bytes, count, duration, table } from "./markdown.ts";

/** Returns the settings of a deployment that sets none but the master key. */
function defaults() {
  const { settings } = parseVariables({ MASTER_KEYS: `1:${"A".repeat(43)}=` });
  if (!settings) throw new Error("The settings have no defaults");
  return settings;
}

const per = ({ limit, windowSeconds }: { limit: number; windowSeconds: number }) =>
  `${count(limit)} in ${duration(windowSeconds * 1000)}`;

/** Returns a line of each budget that counts the rows of an owner. */
const rowsOf = (budgets: Readonly<Record<string, Budget>>, kind?: string) =>
  Object.values(budgets).flatMap((budget) => {
    if (!("rows" in budget)) return [];
    const together = budget.bytes === undefined ? "" : `, together ${count(budget.bytes)} bytes as JSON`;
    return [[`a ${kind ?? ownerOf(budget).kind}`, budget.of, `${count(budget.rows)}${together}`, budget.remedy]];
  });

/** Tables of limits, rates and lifetimes. */
export const limitTables = {
  "email-limits": () =>
    table(
      ["limit", "value"],
      [
        ["recipients (to, cc and bcc together)", emailLimits.recipients],
        ["display name", `${count(NAME_BYTES)} bytes`],
        ["subject, and a header line", `${count(emailLimits.lineBytes)} octets (RFC 5322 2.1.1)`],
        ["custom headers", `${emailLimits.customHeaders}, together ${bytes(emailLimits.customHeaderBytes)}`],
        ["name of a custom header", `${HEADER_NAME_CHARACTERS} characters`],
        ["html and text together", `${count(emailLimits.bodyBytes)} bytes`],
        ["attachments", `${emailLimits.attachments}, together ${bytes(emailLimits.attachmentBytes)} decoded`],
        ["file name", `${emailLimits.filenameBytes} bytes`],
        ["tags", `${emailLimits.tags} of ${emailLimits.tagCharacters} characters`],
        ["tracked links", MAX_TRACKED_LINKS],
        ["`send_at`, ahead", `${duration(emailLimits.scheduleMinMs)} to ${duration(emailLimits.scheduleMaxMs)}`],
        ["moves of a scheduled email", emailLimits.moves],
      ],
    ),
  counts: () =>
    table(
      ["of", "at most"],
      [
        ["emails of a batch", emailLimits.batch],
        ["steps of an automation", automationLimits.steps],
        ["events of a batch", eventLimits.batch],
        ["data of an event, as JSON", bytes(eventLimits.dataBytes)],
        ["rows of a CSV file", `${count(importLimits.rows)}, in ${bytes(importLimits.fileBytes)}`],
        ["contacts of a broadcast or bulk send", broadcastLimits.audience],
        ["domains that an API key is restricted to", keyLimits.domains],
      ],
    ),
  budgets: () =>
    table(
      ["of", "what", "at most", "at the end"],
      [...rowsOf(mainBudgets), ...rowsOf(mailBudgets), ...rowsOf(mailboxBudgets, "mailbox"), ...rowsOf(folderBudgets)],
    ),
  "rate-limits": () => {
    const { domainRegistrationsPerHour, domainVerificationsPerHour, transferInitiationsPerMinute } = defaults();
    const { network, target, others } = loginLimits("user", "192.0.2.1");
    return table(
      ["calls", "limit"],
      [
        ["requests of a key or session", per(requestPolicies.credential)],
        ["requests of a workspace, of all its keys and sessions", per(requestPolicies.workspace)],
        [
          "sends (`POST /v1/emails/`, `POST /v1/events` and their batches) of a key or session",
          per(sendPolicies.credential),
        ],
        ["sends of a workspace, of all its keys and sessions", per(sendPolicies.workspace)],
        ["sign-in links to an address", per(magicLinkPolicies.address)],
        ["sign-in links from an ip", per(magicLinkPolicies.ip)],
        [
          "failed sign-ins (second factor; mailbox by webmail, IMAP and submission together) of a target from a network",
          per(failurePolicies.network),
        ],
        ["failed sign-ins of a target", per(failurePolicies.target)],
        ["failed SMTP logins of a user name from a network", per(network[0])],
        ["failed SMTP logins of a user name", per(target[0])],
        ["failed SMTP logins from a network", per(others[0][0])],
        ["registrations of OAuth clients from an ip", `${REGISTRATIONS_PER_HOUR} in 1 hour`],
        ["registrations of domains in a workspace", `${domainRegistrationsPerHour} in 1 hour`],
        ["verifications of domains in a workspace", `${domainVerificationsPerHour} in 1 hour`],
        ["initiations of transfers by a user, refused ones too", `${transferInitiationsPerMinute} in 1 minute`],
        ["emails that ask outside addresses to take forwards", `${ruleLimits.requestsPerHour} in 1 hour`],
        ["workspaces that a user creates", per(creationPolicy)],
        ["invitations of a workspace", per(invitationPolicies.workspace)],
        ["emails of invitations to an address from a workspace", per(invitationPolicies.emailsFromWorkspace)],
        ["emails of the service that strangers cause, to an address without `+tag`", per(strangersPolicy)],
        ["transfers that a workspace offers to an address", per(offersPolicy)],
        ["submissions of a form from a network", per(submissionPolicies.network)],
        ["submissions of a form", per(submissionPolicies.form)],
      ],
    );
  },
  "service-mail": () =>
    table(
      ["mail", "caused by", "limits"],
      Object.entries(causes).map(([cause, { by, limits }]) => [cause.replaceAll("_", " "), by, limits]),
    ),
  retention: () =>
    table(
      ["what", "kept for"],
      [
        ["emails, inbound log", `${defaults().retentionDays} days, by the setting`],
        ["responses under an Idempotency-Key", duration(RESPONSE_TTL_MS)],
        ["audit log", `${AUDIT_RETENTION_DAYS} days`],
        ["notifications", `${NOTIFICATION_DAYS} days`],
        ["deliveries of webhooks", `${DELIVERY_DAYS} days`],
        ["events of persons", duration(eventLimits.keptMs)],
        ["runs of automations", `${duration(eventLimits.keptMs)} after their end`],
        ["messages in Trash and Spam", `${KEPT_DAYS} days after they came there`],
        ["expired invitations", duration(EXPIRED_KEPT_MS)],
        ["first report of a failure of a whole domain", `${DOMAIN_FAILURE_DAYS} days`],
        ["soft bounces that list no address", `${SOFT_BOUNCE_DAYS} days after the last`],
      ],
    ),
  lifetimes: () =>
    table(
      ["what", "valid for"],
      [
        ["access token of a session or mailbox session", duration(ACCESS_TOKEN_TTL_MS)],
        ["access token of an OAuth grant", duration(GRANT_TOKEN_TTL_MS)],
        ["refresh token", duration(REFRESH_TOKEN_TTL_MS)],
        ["used refresh token, for the same successor", duration(REUSE_MS)],
        ["sign-in link", duration(MAGIC_LINK_TTL_MS)],
        ["sign-in that waits for the second factor", duration(SECOND_FACTOR_TTL_MS)],
        ["invitation", duration(INVITATION_TTL_MS)],
        ["authorization code", duration(CODE_TTL_MS)],
        ["OAuth client that was never used", duration(UNUSED_CLIENT_TTL_MS)],
        ["API key after its rotation", duration(KEY_GRACE_MS)],
      ],
    ),
};
