import type { CallerCtx } from "../../../access/caller.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, creation, page, pagesOf, post } from "../../../http/page-actions.tsx";
import { parseFields, readForm } from "../../../http/page-routes.ts";
import { acceptReceivedInvitation, listReceivedInvitations } from "../../../identity/invitations/index.ts";
import { iso } from "../../../lib/time.ts";
import { listNotifications, toNotification } from "../../../notices/notifications/index.ts";
import {
  bucketStart,
  bucketsOf,
  findTotals,
  hoursOf,
  hoursPerBucket,
  NO_COUNTS,
} from "../../../sending/analytics/index.ts";
import { findNewestFailureReasons, SendIn, searchEmails, sendEmail } from "../../../sending/emails/index.ts";
import { readSystemMail } from "../../../sending/system-emails/index.ts";
import { findIncoming, listOutgoing } from "../../../transfers/domain-transfers/index.ts";
import { listSenders } from "../senders.ts";
import { callExample, type ExampleCard } from "./example.tsx";
import { type HomeContent, HomePage } from "./page.tsx";
import { findSetup } from "./queries.ts";
import { toTestRequest } from "./test-mail.tsx";
import type { Week } from "./week.tsx";

/** Most failures, notifications and transfers that the page shows. */
const SHOWN = 5;
/** Days of the plot. */
const DAYS = 7;

export const homePages = pagesOf(
  "workspace",
  page("/app", "GET /v1/me", async (c) => {
    const caller = c.get("caller");
    if (caller.actor.mailboxesOnly) return c.redirect("/mail", 303);
    return respondPage(c, <HomePage {...(await findContent(caller))} />);
  }),
  button("/app/invitations/:invitation_id/accept", "POST /v1/invitations/:token/accept", {
    run: acceptReceivedInvitation,
    done: { joined: "You are a member of the workspace." },
  }),
  post("/app/example", "GET /v1/me", async (c) => {
    const response = await callExample(c.get("caller"), (await readForm(c)).get("method") ?? "");
    if (response === null) return c.notFound();
    // A response goes on until the shop is filled.
    c.executionCtx.waitUntil(response.text());
    return c.redirect("/app", 303);
  }),
  creation("/app/test-mail", "POST /v1/emails/", {
    read: (fields, c) => parseFields(SendIn, toTestRequest(fields, iso(c.get("ctx").now()))),
    run: (ctx, input) => sendEmail(ctx, input, "ui"),
    to: "/app/emails/:id?done=sent",
    done: {},
  }),
);

/** Reads what the page shows and the role may see. The queries run at the same time. */
async function findContent(caller: CallerCtx): Promise<HomeContent> {
  const may = (scope: Parameters<typeof caller.actor.scopes.has>[0]) => caller.actor.scopes.has(scope);
  const [invitations, setup, week, failures, transfers, unread, senders, systemMail, example] = await Promise.all([
    listReceivedInvitations(caller),
    findSetup(caller),
    may("analytics:view") ? findWeek(caller) : null,
    may("emails:view") ? findFailures(caller) : [],
    may("domains:view") && caller.settings.domainTransfers ? findTransfers(caller) : [],
    may("notifications:view")
      ? listNotifications(caller, { unread: true, category: "alerts", limit: SHOWN, offset: 0 })
      : null,
    may("emails:send") ? listSenders(caller) : [],
    caller.actor.kind === "session" && caller.actor.isPlatformAdmin ? readSystemMail(caller) : null,
    callExample(caller, "GET").then((response) => response?.json<ExampleCard>() ?? null),
  ]);
  return {
    invitations,
    setup,
    week,
    failures,
    transfers,
    notifications: unread?.rows.map(toNotification) ?? [],
    senders: senders.map(({ address }) => address),
    systemMail,
    example,
  };
}

/** Counts the last days, in UTC. Today is not over. */
async function findWeek(caller: CallerCtx): Promise<Week> {
  const { last } = hoursOf("7d", caller.now());
  const hours = { first: (Math.floor(last / 24) - DAYS + 1) * 24, last };
  const totals = await findTotals(caller, hours, hoursPerBucket("day"));
  return bucketsOf(hours, "day").map((bucket) => ({
    day: iso(bucketStart(bucket, "day")).slice(0, 10),
    counts: totals.get(bucket) ?? NO_COUNTS,
  }));
}

const FAILURES = ["failed", "bounced", "rejected"] as const;

async function findFailures(caller: CallerCtx) {
  const search = { q: "", direction: "outbound" as const, page: 0, limit: SHOWN };
  const [reasons, ...found] = await Promise.all([
    findNewestFailureReasons(caller, FAILURES, SHOWN),
    ...FAILURES.map((status) => searchEmails(caller, { ...search, status })),
  ]);
  const rows = found.flatMap((one) => one.rows);
  const newest = rows.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1)).slice(0, SHOWN);
  return newest.map((row) => ({ ...row, reason: reasons.get(row.id) ?? null }));
}

async function findTransfers(caller: CallerCtx) {
  const [incoming, outgoing] = await Promise.all([
    findIncoming(caller, { limit: SHOWN }),
    listOutgoing(caller, { limit: SHOWN }),
  ]);
  const now = caller.now();
  const open = outgoing.filter(
    ({ status, expiresAt }) => status === "accepted" || (status === "pending" && expiresAt > now),
  );
  return [...incoming, ...open];
}
