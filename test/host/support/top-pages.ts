/** The pages of the top tasks, in a workspace that has what they show. */
import type { Seeded } from "../../../dev/seed-workspace.ts";
import { newSession } from "../../../src/access/sessions/start.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { callerOf } from "./call-api.ts";

const ROWS = 50;
const MINUTE_MS = 60_000;

export interface PageSite {
  url: string;
  /** A context with the bindings of the Worker that serves the pages. */
  ctx: Ctx;
  seed: Seeded;
}

export interface TopPage {
  path: string;
  name: string;
  /** Most bytes of its scripts, compressed (docs/performance.md). */
  scriptBytes: number;
}

const DASHBOARD_SCRIPT = 10_000;
const WEBMAIL_SCRIPT = 20_000;

/** Fills the workspace with rows and returns the pages, and the cookies of a session of its owner. */
export async function fillTopPages(site: PageSite): Promise<{ pages: TopPage[]; cookies: Record<string, string> }> {
  const { seed, ctx } = site;
  const client = { ip: null, userAgent: "The bench" };
  const owner = { userId: seed.userId, workspaceId: seed.workspaceId };
  const { statements, tokens } = await newSession(ctx, { ...owner, method: "magic_link", client });
  await ctx.db.batch(statements);
  const cookies = { session: tokens.accessToken, refresh: tokens.refreshToken };
  return { cookies, pages: [...(await fillDashboard(site)), ...(await fillWebmail(site)), ...reference] };
}

async function fillDashboard(site: PageSite): Promise<TopPage[]> {
  const { mailbox, domainId } = site.seed;
  const send_at = new Date(site.ctx.now() + 60 * MINUTE_MS).toISOString();
  const emails = Array.from({ length: ROWS }, (_, n) => ({
    ...{ from_: { email: mailbox, name: "The shop" }, to: [{ email: `person${n}@example.org`, name: `Person ${n}` }] },
    ...{ subject: `Your receipt ${n}`, html: "<h1>Thank you</h1>", text: "Thank you for your order.", send_at },
  }));
  const { results } = await call<{ results: { id: string }[] }>(site, "POST", "/v1/emails/batch", emails);
  const list = await call<Created>(site, "POST", "/v1/contacts/", { name: "Customers" });
  for (let n = 0; n < ROWS; n += 1)
    await call(site, "POST", `/v1/contacts/${list.id}/contacts`, {
      email: `person${n}@example.org`,
      name: `Person ${n}`,
    });
  const content = { subject: "News for {{name}}", html_body: "<h1>News</h1><p>Hello {{name}}</p>" };
  const template = await call<Created>(site, "POST", "/v1/templates/", { name: "Receipt", ...content });
  const draft = { name: "November news", from_address: mailbox, contact_list_id: list.id, ...content };
  const broadcast = await call<Created>(site, "POST", "/v1/broadcasts/", draft);
  for (const label of ["A", "B"])
    await call(site, "POST", `/v1/broadcasts/${broadcast.id}/variants`, { label, subject: `News ${label}` });
  const pages: [string, string][] = [
    ["/app", "home"],
    ["/app/emails", `list of ${ROWS} emails`],
    [`/app/emails/${results[0]?.id}`, "one email"],
    [`/app/contacts/${list.id}`, `list of ${ROWS} contacts`],
    [`/app/templates/${template.id}`, "template"],
    [`/app/broadcasts/${broadcast.id}/content`, "broadcast"],
    [`/app/domains/${domainId}`, "domain"],
    ["/app/analytics", "analytics"],
  ];
  return pages.map(([path, name]) => ({ path, name, scriptBytes: DASHBOARD_SCRIPT }));
}

async function fillWebmail(site: PageSite): Promise<TopPage[]> {
  const inbox = `/v1/inbox/${site.seed.mailboxId}`;
  const uids: number[] = [];
  for (let n = 0; n < ROWS; n += 1) {
    const draft = { to: [site.seed.mailbox], subject: `A question ${n}`, text: "Where is my parcel?" };
    const { uid } = await call<{ uid: number }>(site, "POST", `${inbox}/drafts`, draft);
    const move = `${inbox}/messages/${uid}/move?folder=Drafts`;
    uids.push((await call<{ uid: number }>(site, "POST", move, { folder: "INBOX" })).uid);
  }
  const path = `/mail/${site.seed.mailboxId}/INBOX`;
  const pages: [string, string][] = [
    [path, `folder of ${ROWS} messages`],
    [`${path}/${uids[0]}`, "one message"],
    [`/mail/compose/${site.seed.mailboxId}`, "new message"],
  ];
  return pages.map(([of, name]) => ({ path: of, name, scriptBytes: WEBMAIL_SCRIPT }));
}

const reference: readonly TopPage[] = [
  { path: "/docs/emails", name: "reference of emails", scriptBytes: DASHBOARD_SCRIPT },
];

interface Created {
  id: string;
}

const call = <Out>({ url, seed }: PageSite, method: string, path: string, body: object | readonly object[]) =>
  callerOf(url, seed.apiKey)<Out>(method, path, body);
