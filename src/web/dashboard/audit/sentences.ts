import type { AuditEntryOut } from "../../../identity/workspaces/index.ts";
import { isUuid } from "../../../lib/ids.ts";
import type { AuditAction } from "../../../platform/audit/actions.ts";

/** Says each action after the name of who did it. `{name}` is a value of the entry's detail, and `{target}` the id of its record. */
const SENTENCES: Readonly<Record<AuditAction, string>> = {
  "api_key.created": "created the API key {name}",
  "api_key.rotated": "rotated an API key",
  "api_key.revoked": "revoked the API key {name}",
  "domain.registered": "added the domain {name}",
  "domain.verified": "verified the domain {name}",
  "domain.dkim_rotated": "rotated the DKIM keys of {name}",
  "domain.setup_changed": "changed how the records of {name} are published",
  "domain.dmarc_policy_changed": "changed the DMARC policy of {name} from {before} to {dmarc_policy}",
  "domain.receives_changed": "changed whether {name} receives mail",
  "domain.mta_sts_changed": "changed the MTA-STS policy of {name} from {from} to {to}",
  "domain.deleted": "deleted the domain {name}",
  "domain.transferred": "moved the domain {name} to another workspace",
  "domain.overtaken": "lost the domain {name} to another workspace that verified it",
  "domain.claim_ended": "ended the claim to the domain {name}",
  "domain.egress_changed": "changed by which server {name} sends, to {to}",
  "transfer.initiated": "offered the domain {name} to {target_email}",
  "transfer.accepted": "accepted the transfer of {name}",
  "transfer.declined": "declined the transfer of {name}",
  "transfer.cancelled": "cancelled the transfer of {name}",
  "transfer.stopped": "stopped the transfer of {name}",
  "transfer.expired": "let the offer of {name} expire",
  "transfer.failed": "could not transfer {name}",
  "grant.created": "connected the program {client_name}",
  "grant.revoked": "disconnected a program",
  "mailbox.created": "made the mailbox {address}",
  "mailbox.password_changed": "changed the password of a mailbox",
  "mailbox.app_password_created": "made the app password {name}",
  "mailbox.app_password_deleted": "deleted an app password",
  "mailbox.updated": "changed the settings of a mailbox",
  "mailbox.assigned": "changed who may open {address}",
  "mailbox.deleted": "deleted the mailbox {address}",
  "mailbox.alias_added": "added the alias {address}",
  "mailbox.alias_deleted": "deleted the alias {address}",
  "mailbox.filter_forwards": "saved a filter that forwards mail",
  "mailbox.filter_ended": "ended the forwards of a filter",
  "opened as": "opened a mailbox of others as {opened_as}",
  "forwarding_rule.created": "made a forwarding rule to {target}",
  "forwarding_rule.updated": "changed a forwarding rule",
  "forwarding_rule.deleted": "deleted a forwarding rule",
  "forward_target.confirmed": "confirmed mail forwarded to {target}",
  "smtp_credential.created": "made the SMTP credential {username}",
  "smtp_credential.deactivated": "deactivated the SMTP credential {username}",
  "suppression.added": "suppressed {target}",
  "suppression.imported": "imported {rows} suppressions",
  "suppression.removed": "removed {target} from the suppressions",
  "person.topics_chosen": "changed the topics of {target}",
  "person.erased": "erased the data of a person",
  "automation.activated": "activated an automation",
  "automation.paused": "paused an automation",
  "automation.archived": "archived an automation",
  "automation.run_removed": "took a person out of an automation",
  "webhook.created": "made the webhook {url}",
  "webhook.updated": "changed a webhook",
  "webhook.deleted": "deleted the webhook {url}",
  "workspace.created": "made the workspace {name}",
  "workspace.updated": "changed the settings of the workspace",
  "workspace.deleted": "deleted the workspace {name}",
  "workspace.paused": "paused all sending",
  "workspace.resumed": "resumed sending",
  "workspace.limited": "changed the daily limit of {name} from {from} to {to}",
  "workspace.shut": "shut {name}: its keys and sign-ins are refused",
  "workspace.budget_set": "changed how many {of} {name} may have from {from} to {to}",
  "workspace.egress_changed": "changed by which server {name} sends, from {from} to {to}",
  "workspace.bulk_paused": "paused mail to many, because too many emails bounced or were marked as spam",
  "workspace.bulk_resumed": "resumed mail to many",
  "sign_in_link.created": "made a sign-in link for {email}",
  "session.started": "signed in",
  "session.ended": "signed out",
  "totp.enabled": "turned two-factor authentication on",
  "totp.disabled": "turned two-factor authentication off",
  "account.unlinked": "unlinked the {provider} account",
  "user.deleted": "deleted the account",
  "user.restricted": "restricted an account",
  "user.unrestricted": "ended the restriction of an account",
  "outbox.flushed": "ran the outbox at once",
  "outbox.requeued": "put work of the outbox into the queue again",
  "outbox.released": "released {released} emails",
  "quarantine.dropped": "dropped quarantined work",
  "quarantine.retried": "retried quarantined work",
  "search_index.rebuilt": "rebuilt the search index of {target}",
  "dead_letter.replayed": "replayed a dead letter",
  "dead_letter.dropped": "dropped a dead letter",
  "host.blocked": "blocked the host {target}",
  "host.unblocked": "unblocked the host {target}",
  "invitation.created": "invited {email} as {role}",
  "invitation.withdrawn": "withdrew an invitation",
  "member.joined": "joined as {role}",
  "member.role_changed": "changed the role of {email} from {from} to {to}",
  "member.removed": "removed {email}",
  "member.left": "left the workspace",
};

/** An id says nothing to a reader. */
const isWord = (value: unknown) => ["string", "number", "boolean"].includes(typeof value) && !isUuid(String(value));

/** Returns what an entry says was done, such as "changed the role of ada@example.org from member to admin". */
export function sentenceOf({ action, target, detail }: AuditEntryOut): string {
  const values = new Map(Object.entries({ target: target.id, ...detail }).filter(([, value]) => isWord(value)));
  const sentence = SENTENCES[action as AuditAction] ?? action;
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values.get(name) ?? "…"));
}

/** Returns the values of an entry's detail that its sentence does not have. */
export function furtherValuesOf({ action, detail }: AuditEntryOut): string {
  const sentence = SENTENCES[action as AuditAction] ?? "";
  const values = Object.entries(detail).filter(([name, value]) => isWord(value) && !sentence.includes(`{${name}}`));
  return values.map(([name, value]) => `${name}: ${value}`.replaceAll("_", " ")).join(", ");
}
