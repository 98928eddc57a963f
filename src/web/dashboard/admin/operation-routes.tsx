import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readPage, respondPage, toPage } from "../../../http/page.tsx";
import { pageFor, parseFields, readForm, submitForm } from "../../../http/page-routes.ts";
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
const LETTERS = "/app/admin/dead-letters";
const HOSTS = "/app/admin/blocked-hosts";
const DROP = "DELETE /v1/admin/dead-letters/:letter_id";

const notices = {
  replayed: "The message is in its queue again.",
  deleted: "The dead letter is deleted.",
  blocked: "The host is blocked.",
  unblocked: "The host is not blocked any more.",
};

/** The work lists of the platform: outboxes, dead letters, and hosts to which links do not lead. */
export const operationPages = newRoutes()
  .get("/app/admin/outboxes/:database", ...pageFor("GET /v1/admin/outboxes/:database"), async (c) => {
    const caller = c.get("caller");
    const database = c.req.param("database");
    const [, dueAt = "0", id = ""] = OUTBOX_CURSOR.exec(c.req.query("after") ?? "") ?? [];
    const after = { dueAt: Number(dueAt), id };
    const found = await listOutboxRows(caller, database, { after, limit: PAGE_SIZE + 1 });
    const path = `/app/admin/outboxes/${database}`;
    const { rows, next } = toPage(found, PAGE_SIZE, path, (last) => `${last.due_at}.${last.id}`);
    const databases = ["main", ...shardNumbers(caller).map(String)];
    const notice = countNotice(c, "released", "emails are") ?? countNotice(c, "requeued", "rows are");
    const page = <OutboxPage rows={rows} database={database} databases={databases} />;
    return respondPage(c, page, { notice, next, nextLabel: "Later" });
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
  .get("/app/admin/receivers", ...pageFor("GET /v1/admin/receivers"), async (c) =>
    respondPage(c, <ReceiversPage receivers={await listReceivers(c.get("caller"))} />),
  )
  .get(LETTERS, ...pageFor("GET /v1/admin/dead-letters"), async (c) => {
    const { rows, next } = await readPage(c, { path: LETTERS, read: listDeadLetters, after: ({ id }) => id });
    return respondPage(c, <DeadLettersPage letters={rows} />, { notices, next, nextLabel: "More" });
  })
  .post(`${LETTERS}/:letter_id/replay`, ...pageFor("POST /v1/admin/dead-letters/:letter_id/replay"), async (c) => {
    await replayDeadLetter(c.get("caller"), c.req.param("letter_id"));
    return c.redirect(`${LETTERS}?done=replayed`, 303);
  })
  .get(`${LETTERS}/:letter_id/delete`, ...pageFor(DROP), async (c) => {
    const { queue, body } = await getDeadLetter(c.get("caller"), c.req.param("letter_id"));
    return respondPage(
      c,
      <ConfirmPage title="Delete this dead letter?" button="Delete dead letter" back={LETTERS}>
        A message of {queue}: <span class="code">{body}</span>. The outbox rows that it names stay, and the sweep finds
        them.
      </ConfirmPage>,
    );
  })
  .post(`${LETTERS}/:letter_id/delete`, ...pageFor(DROP), async (c) => {
    await dropDeadLetter(c.get("caller"), c.req.param("letter_id"));
    return c.redirect(`${LETTERS}?done=deleted`, 303);
  })
  .get(HOSTS, ...pageFor("GET /v1/admin/blocked-hosts"), showHosts)
  .post(HOSTS, ...pageFor("PUT /v1/admin/blocked-hosts/:host"), (c) =>
    submitForm(c, showHosts, async (fields) => {
      await blockHost(c.get("caller"), readHost(fields.get("host")?.trim() ?? "", "host"));
      return `${HOSTS}?done=blocked`;
    }),
  )
  .post(`${HOSTS}/remove`, ...pageFor("DELETE /v1/admin/blocked-hosts/:host"), async (c) => {
    await unblockHost(c.get("caller"), (await readForm(c)).get("host") ?? "");
    return c.redirect(`${HOSTS}?done=unblocked`, 303);
  });

/** Returns how many rows the last form changed, by the parameter of the redirect. */
function countNotice(c: AppContext, parameter: string, of: string): string | undefined {
  const count = /^\d{1,9}$/.exec(c.req.query(parameter) ?? "")?.[0];
  return count === undefined ? undefined : `${count} ${of} due now.`;
}

async function showHosts(c: AppContext) {
  const { rows, next } = await readPage(c, { path: HOSTS, read: listBlockedHosts, after: ({ host }) => host });
  return respondPage(c, <BlockedHostsPage hosts={rows} />, { notices, next, nextLabel: "More" });
}
