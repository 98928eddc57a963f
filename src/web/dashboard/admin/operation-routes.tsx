import type { AppContext } from "../../../http/env.ts";
import { readPage, respondPage, toPage } from "../../../http/page.tsx";
import { button, change, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { parseFields } from "../../../http/page-routes.ts";
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
import { BlockedHostsPage, DeadLettersPage, OutboxPage, ReceiversPage } from "./operations.tsx";

const PAGE_SIZE = 100;
const OUTBOX_CURSOR = /^(\d{1,15})\.(.{1,200})$/;
const LETTERS = "/app/admin/dead-letters";
const HOSTS = "/app/admin/blocked-hosts";

/** The work lists of the platform: outboxes, dead letters, and hosts to which links do not lead. */
export const operationPages = pagesOf(
  "dead letter",
  page("/app/admin/outboxes/:database", "GET /v1/admin/outboxes/:database", async (c) => {
    const caller = c.get("caller");
    const database = c.req.param("database");
    const [, dueAt = "0", id = ""] = OUTBOX_CURSOR.exec(c.req.query("after") ?? "") ?? [];
    const after = { dueAt: Number(dueAt), id };
    const found = await listOutboxRows(caller, database, { after, limit: PAGE_SIZE + 1 });
    const path = `/app/admin/outboxes/${database}`;
    const { rows, next } = toPage(found, PAGE_SIZE, path, (last) => `${last.due_at}.${last.id}`);
    const databases = ["main", ...shardNumbers(caller).map(String)];
    const notice = countNotice(c, "released", "emails are") ?? countNotice(c, "requeued", "rows are");
    const shown = <OutboxPage rows={rows} database={database} databases={databases} />;
    return respondPage(c, shown, { notice, next, nextLabel: "Later" });
  }),
  change("/app/admin/outboxes/:database/requeue", "POST /v1/admin/outboxes/:database/requeue", {
    read: (fields) => parseFields(RequeueIn, { rows: [{ id: fields.get("id"), due_at: fields.get("due_at") }] }).rows,
    run: (caller, database, rows) =>
      requeueRows(
        caller,
        database,
        rows.map(({ id, due_at }) => ({ id, dueAt: due_at })),
      ),
    to: (requeued, c) => `/app/admin/outboxes/${c.req.param("database")}?requeued=${requeued}`,
    done: {},
  }),
  button("/app/admin/flush", "POST /v1/admin/outbox/flush", {
    run: flushOutboxes,
    to: (released) => `/app/admin/outboxes/main?released=${released}`,
  }),
  page("/app/admin/receivers", "GET /v1/admin/receivers", async (c) =>
    respondPage(c, <ReceiversPage receivers={await listReceivers(c.get("caller"))} />),
  ),
  page(LETTERS, "GET /v1/admin/dead-letters", async (c) => {
    const { rows, next } = await readPage(c, { path: LETTERS, read: listDeadLetters, after: ({ id }) => id });
    return respondPage(c, <DeadLettersPage letters={rows} />, { next, nextLabel: "More" });
  }),
  button(`${LETTERS}/:letter_id/replay`, "POST /v1/admin/dead-letters/:letter_id/replay", {
    run: replayDeadLetter,
    done: { replayed: "The message is in its queue again." },
  }),
  question(`${LETTERS}/:letter_id/delete`, "DELETE /v1/admin/dead-letters/:letter_id", {
    of: getDeadLetter,
    title: "Delete this dead letter?",
    button: "Delete dead letter",
    text: ({ queue, body }) => (
      <>
        A message of {queue}: <span class="code">{body}</span>. The outbox rows that it names stay, and the sweep finds
        them.
      </>
    ),
    run: dropDeadLetter,
    done: { deleted: "The dead letter is deleted." },
  }),
  page(HOSTS, "GET /v1/admin/blocked-hosts", async (c) => {
    const { rows, next } = await readPage(c, { path: HOSTS, read: listBlockedHosts, after: ({ host }) => host });
    return respondPage(c, <BlockedHostsPage hosts={rows} />, { next, nextLabel: "More" });
  }),
  change(HOSTS, "PUT /v1/admin/blocked-hosts/:host", {
    read: (fields) => readHost(fields.get("host")?.trim() ?? "", "host"),
    run: blockHost,
    done: { blocked: "The host is blocked." },
  }),
  change(`${HOSTS}/remove`, "DELETE /v1/admin/blocked-hosts/:host", {
    read: (fields) => fields.get("host") ?? "",
    run: unblockHost,
    done: { unblocked: "The host is not blocked any more." },
  }),
);

/** Returns how many rows the last form changed, by the parameter of the redirect. */
function countNotice(c: AppContext, parameter: string, of: string): string | undefined {
  const count = /^\d{1,9}$/.exec(c.req.query(parameter) ?? "")?.[0];
  return count === undefined ? undefined : `${count} ${of} due now.`;
}
