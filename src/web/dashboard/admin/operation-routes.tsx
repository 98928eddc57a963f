import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import {
  blockHost,
  dropDeadLetter,
  flushOutboxes,
  getDeadLetter,
  listBlockedHosts,
  listDeadLetters,
  listOutboxRows,
  RequeueIn,
  readHost,
  replayDeadLetter,
  requeueRows,
  unblockHost,
} from "../../../operations/admin/index.ts";
import { shardNumbers } from "../../../platform/jobs/shards.ts";
import { listReceivers } from "../../../sending/receivers/index.ts";
import { BlockedHostsPage, DeadLettersPage, OutboxPage } from "./operations.tsx";
import { ReceiversPage } from "./receivers.tsx";

const PAGE_SIZE = 100;
const OUTBOX_CURSOR = /^(\d{1,15})\.(.{1,200})$/;
const DROP = "DELETE /v1/admin/dead-letters/:letter_id";

const notices: Readonly<Record<string, string>> = {
  replayed: "The message is in its queue again.",
  deleted: "The dead letter is deleted.",
  blocked: "The host is blocked.",
  unblocked: "The host is not blocked any more.",
};

/** The work lists of the platform: outboxes, dead letters, and hosts to which links do not lead. */
export const operationPages = new Hono<AppEnv>()
  .get("/app/admin/outboxes/:database", ...pageFor("GET /v1/admin/outboxes/:database"), async (c) => {
    const caller = c.get("caller");
    const database = c.req.param("database");
    const [, dueAt = "0", id = ""] = OUTBOX_CURSOR.exec(c.req.query("after") ?? "") ?? [];
    const after = { dueAt: Number(dueAt), id };
    const found = await listOutboxRows(caller, database, { after, limit: PAGE_SIZE + 1 });
    const rows = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? rows.at(-1) : undefined;
    const path = `/app/admin/outboxes/${database}`;
    const next = last && `${path}?${new URLSearchParams({ after: `${last.due_at}.${last.id}` })}`;
    const databases = ["main", ...shardNumbers(caller).map(String)];
    const notice = countNotice(c, "released", "emails are") ?? countNotice(c, "requeued", "rows are");
    return respondPage(c, <OutboxPage {...{ caller, rows, database, databases, notice }} next={next ?? null} />);
  })
  .post("/app/admin/outboxes/:database/requeue", ...pageFor("POST /v1/admin/outboxes/:database/requeue"), async (c) => {
    const fields = await readForm(c);
    const row = { id: fields.get("id") ?? "", due_at: fields.get("due_at") ?? "" };
    const { rows } = parseFields(RequeueIn, { rows: [row] });
    const database = c.req.param("database");
    const requeued = await requeueRows(
      c.get("caller"),
      database,
      rows.map(({ id, due_at }) => ({ id, dueAt: due_at })),
    );
    return c.redirect(`/app/admin/outboxes/${database}?requeued=${requeued}`, 303);
  })
  .post("/app/admin/flush", ...pageFor("POST /v1/admin/outbox/flush"), async (c) => {
    const released = await flushOutboxes(c.get("caller"));
    return c.redirect(`/app/admin/outboxes/main?released=${released}`, 303);
  })
  .get("/app/admin/receivers", ...pageFor("GET /v1/admin/receivers"), async (c) => {
    const caller = c.get("caller");
    return respondPage(c, <ReceiversPage caller={caller} receivers={await listReceivers(caller)} />);
  })
  .get("/app/admin/dead-letters", ...pageFor("GET /v1/admin/dead-letters"), async (c) => {
    const caller = c.get("caller");
    const after = c.req.query("after");
    const found = await listDeadLetters(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 });
    const letters = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? letters.at(-1) : undefined;
    const next = last === undefined ? null : `/app/admin/dead-letters?${new URLSearchParams({ after: last.id })}`;
    const notice = notices[c.req.query("done") ?? ""];
    return respondPage(c, <DeadLettersPage {...{ caller, letters, next, notice }} />);
  })
  .post(
    "/app/admin/dead-letters/:letter_id/replay",
    ...pageFor("POST /v1/admin/dead-letters/:letter_id/replay"),
    async (c) => {
      await replayDeadLetter(c.get("caller"), c.req.param("letter_id"));
      return c.redirect("/app/admin/dead-letters?done=replayed", 303);
    },
  )
  .get("/app/admin/dead-letters/:letter_id/delete", ...pageFor(DROP), async (c) => {
    const { queue, body } = await getDeadLetter(c.get("caller"), c.req.param("letter_id"));
    return respondPage(
      c,
      <ConfirmPage
        title="Delete this dead letter?"
        caller={c.get("caller")}
        button="Delete dead letter"
        back="/app/admin/dead-letters"
      >
        A message of {queue}: <span class="code">{body}</span>. The outbox rows that it names stay, and the sweep finds
        them.
      </ConfirmPage>,
    );
  })
  .post("/app/admin/dead-letters/:letter_id/delete", ...pageFor(DROP), async (c) => {
    await dropDeadLetter(c.get("caller"), c.req.param("letter_id"));
    return c.redirect("/app/admin/dead-letters?done=deleted", 303);
  })
  .get("/app/admin/blocked-hosts", ...pageFor("GET /v1/admin/blocked-hosts"), (c) => showHosts(c))
  .post("/app/admin/blocked-hosts", ...pageFor("PUT /v1/admin/blocked-hosts/:host"), async (c) => {
    const host = (await readForm(c)).get("host")?.trim() ?? "";
    return submitForm(
      c,
      async () => {
        await blockHost(c.get("caller"), readHost(host, "host"));
        return "/app/admin/blocked-hosts?done=blocked";
      },
      (refusal) => showHosts(c, { host, refusal }),
    );
  })
  .post("/app/admin/blocked-hosts/remove", ...pageFor("DELETE /v1/admin/blocked-hosts/:host"), async (c) => {
    await unblockHost(c.get("caller"), (await readForm(c)).get("host") ?? "");
    return c.redirect("/app/admin/blocked-hosts?done=unblocked", 303);
  });

/** Returns how many rows the last form changed, by the parameter of the redirect. */
function countNotice(c: Context<AppEnv>, parameter: string, of: string): string | undefined {
  const count = /^\d{1,9}$/.exec(c.req.query(parameter) ?? "")?.[0];
  return count === undefined ? undefined : `${count} ${of} due now.`;
}

async function showHosts(c: Context<AppEnv>, submitted?: { host: string; refusal: Refusal }) {
  const caller = c.get("caller");
  const after = c.req.query("after");
  const found = await listBlockedHosts(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 });
  const hosts = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? hosts.at(-1) : undefined;
  const page = (
    <BlockedHostsPage
      caller={caller}
      hosts={hosts}
      host={submitted?.host ?? ""}
      next={last === undefined ? null : `/app/admin/blocked-hosts?${new URLSearchParams({ after: last.host })}`}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}
