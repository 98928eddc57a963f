import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { migrate, type NewMessage } from "../../../src/mailboxes/mailbox-store/index.ts";

/** Returns a new mailbox object. */
export function aStore() {
  return env.MAILBOX.getByName(crypto.randomUUID());
}

/** Returns a mailbox object whose database has an earlier version of the schema, without messages. */
export async function anEarlierStore(version: number) {
  const store = aStore();
  await runInDurableObject(store, async (_, { storage }) => {
    await storage.deleteAll();
    storage.transactionSync(() => migrate(storage.sql, Date.now(), version));
  });
  return store;
}

/** Inserts a message into INBOX as versions before the sixth did. */
export function insertEarlier(sql: SqlStorage, { subject, thread }: { subject: string; thread: string }): void {
  sql.exec("UPDATE folders SET uidnext = uidnext + 1 WHERE id = 1");
  sql.exec(
    `INSERT INTO messages (folder, uid, object, received_at, arrived_at, date, thread, subject, preview, size, header_size, seen, draft, files,
       file_bytes, recipients, refs, parts)
     SELECT 1, uidnext - 1, 'o' || uidnext, uidnext, 1, 1, ?, ?, 'p', 10, 5, 0, 0, 0, 0, '{"to":[],"cc":[],"bcc":[],"replyTo":[]}', '[]', '[]'
       FROM folders WHERE id = 1`,
    thread,
    subject,
  );
}

let messages = 0;

/** Returns a message as the intake stores it. `changes` replaces fields. */
export function aMessage(changes: Partial<NewMessage> = {}): NewMessage {
  messages += 1;
  return {
    object: `mailboxes/test/${crypto.randomUUID()}.eml`,
    folder: "INBOX",
    receivedAt: 1_790_000_000_000 + messages,
    date: 1_790_000_000_000,
    messageId: `<m${messages}@example.org>`,
    inReplyTo: null,
    references: [],
    from: { email: "ada@example.org", name: "Ada" },
    to: [{ email: "hello@example.com", name: null }],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: `Message ${messages}`,
    preview: "A text.",
    searchText: "A text.",
    size: 1000,
    headerSize: 200,
    parts: [],
    problem: null,
    authentication: null,
    seen: false,
    draft: false,
    deliveryKey: null,
    ...changes,
  };
}

type Store = ReturnType<typeof aStore>;

/** Inserts `count` messages straight into a folder, so that a test of a large mailbox is fast. */
export function fill(store: Store, count: number, folder = 1): Promise<void> {
  return runInDurableObject(store, (_, { storage }) => {
    storage.transactionSync(() => {
      storage.sql.exec(
        `INSERT INTO messages (folder, uid, object, received_at, arrived_at, date, thread, from_email, subject, preview, size,
           header_size, seen, draft, files, file_bytes, recipients, refs, parts)
         SELECT ?1, uidnext + j.value, 'o' || j.value, 1000000 + j.value, 1, 1, 't' || j.value, 'ada@example.org',
                'Subject ' || j.value, 'p', 10, 5, 0, 0, 0, 0, '{"to":[],"cc":[],"bcc":[],"replyTo":[]}', '[]', '[]'
           FROM folders, (SELECT value FROM json_each(?2)) j WHERE folders.id = ?1`,
        folder,
        JSON.stringify(Array.from({ length: count }, (_item, index) => index)),
      );
      storage.sql.exec("UPDATE folders SET uidnext = uidnext + ? WHERE id = ?", count, folder);
      storage.sql.exec(
        `INSERT INTO message_search (rowid, place, sender, recipients, subject, body)
         SELECT id, 'folder' || folder, from_email, '', subject, 'common ' || CASE WHEN uid % 1000 = 0 THEN 'seldom' ELSE '' END
           FROM messages WHERE folder = ?`,
        folder,
      );
    });
  });
}

/** Runs a function on the database of a mailbox and returns its result and the rows that it read. */
export function countRows<Result>(store: Store, run: (sql: Pick<SqlStorage, "exec">) => Result) {
  return runInDurableObject(store, (_, { storage }) => {
    const cursors: { rowsRead: number }[] = [];
    const result = run({
      exec: (query, ...values) => {
        const cursor = storage.sql.exec(query, ...values);
        cursors.push(cursor);
        return cursor as never;
      },
    });
    return { result, rowsRead: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0) };
  });
}
