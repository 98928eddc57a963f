import { REAUTHENTICATION_TTL_MS } from "../../src/access/sessions/rules.ts";
import { transitions as broadcastTransitions } from "../../src/audience/broadcasts/rules.ts";
import { MAX_FAILED_CHECKS, RECHECK_MS, RETIRED_KEY_MS, RETRY_CHECK_MS } from "../../src/domains/domains/rules.ts";
import { findingCodes } from "../../src/domains/health/codes.ts";
import { bounds } from "../../src/mail/messages/rules.ts";
import { importNow } from "../../src/mailboxes/inbox/archives/rules.ts";
import { limits as mailboxLimits, systemFolders } from "../../src/mailboxes/mailbox-store/rules.ts";
import { retryDelay } from "../../src/notices/notification-channels/rules.ts";
import { categories, channels, DEFAULT_PREFERENCES } from "../../src/notices/notifications/rules.ts";
import {
  codes,
  REQUEST_WINDOW_MS,
  SAFETY_WINDOW_MS,
  transitions as transferTransitions,
} from "../../src/transfers/domain-transfers/rules.ts";
import { waitsOf, waitTable } from "./email-tables.ts";
import { bytes, code, count, duration, table } from "./markdown.ts";

function windowOf(row: object): string {
  if ("during" in row) return `during ${row.during}`;
  return "after" in row ? `after ${row.after}` : "";
}

/** Tables of broadcasts, domains, transfers, mailboxes and notifications. */
export const resourceTables = {
  "broadcast-transitions": () =>
    table(
      ["from", "on", "to"],
      broadcastTransitions.map(({ from, on, to }) => [code(from), on, code(to)]),
    ),
  "domain-times": () =>
    table(
      ["what", "value"],
      [
        ["time between two checks of a verified domain", duration(RECHECK_MS)],
        ["time until a check without a response of DNS is repeated", duration(RETRY_CHECK_MS)],
        ["failed checks in a row after which a domain is `failed`", MAX_FAILED_CHECKS],
        ["time for which a retired DKIM key is listed", duration(RETIRED_KEY_MS)],
      ],
    ),
  "domain-findings": () =>
    table(
      ["code", "severity", "meaning"],
      Object.entries(findingCodes).map(([name, [severity, text]]) => [code(name), severity, text]),
    ),
  "transfer-transitions": () =>
    [
      table(
        ["from", "on", "to", "window"],
        transferTransitions.map((row) => [code(row.from), row.on, code(row.to), windowOf(row)]),
      ),
      table(
        ["time", "value"],
        [
          ["request window", duration(REQUEST_WINDOW_MS)],
          ["safety window", duration(SAFETY_WINDOW_MS)],
          ["proof of identity before a force", duration(REAUTHENTICATION_TTL_MS)],
        ],
      ),
    ].join("\n\n"),
  "transfer-codes": () =>
    table(
      ["code", "status", "meaning"],
      Object.entries(codes).map(([name, [status, text]]) => [code(name), status, text]),
    ),
  folders: () =>
    table(
      ["folder", "role"],
      systemFolders.map(({ name, role }) => [name, code(role)]),
    ),
  "inbox-limits": () =>
    table(
      ["limit", "value"],
      [
        ["name of a folder or label", `${mailboxLimits.nameBytes} bytes`],
        ["words of a search", mailboxLimits.words],
        ["matches that the total of a search counts", mailboxLimits.countedMatches],
        ["characters of a message that a search covers", mailboxLimits.searchCharacters],
        ["archive that is imported before the response", bytes(importNow.archiveBytes)],
        ["messages that are imported before the response", importNow.messages],
      ],
    ),
  "message-bounds": () =>
    table(
      ["bound of a parsed message", "value"],
      [
        ["header of a message or part", bytes(bounds.headerBytes)],
        ["parts", bounds.parts],
        ["depth of parts", bounds.depth],
        ["texts that search covers, together", bytes(bounds.searchBytes)],
        ["parts that are shown as text, and as HTML; others are attachments", String(bounds.shownParts)],
        ["header fields that are listed", String(bounds.listedFields)],
        ["addresses", count(bounds.addresses)],
      ],
    ),
  "notification-defaults": () =>
    table(
      ["category", ...channels],
      categories.map((name) => [
        code(name),
        ...channels.map((channel) => (DEFAULT_PREFERENCES[name][channel] ? "yes" : "no")),
      ]),
    ),
  "notification-waits": () => waitTable(waitsOf(retryDelay)),
};
