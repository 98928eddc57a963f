import { MailboxObject as Mailbox } from "../durable-objects/mailbox.ts";
import { Meter } from "../test/support/meter.ts";

/** Rows that all mailbox objects of this process have read. */
export const mailboxMeter = new Meter();

/** The object of a mailbox, whose database counts the rows that it reads. */
export class MailboxObject extends Mailbox {
  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const sql = new Proxy(state.storage.sql, {
      get: (target, name) => {
        if (name !== "exec") return Reflect.get(target, name);
        return (query: string, ...values: SqlStorageValue[]) => counted(target.exec(query, ...values));
      },
    });
    const storage = new Proxy(state.storage, {
      get: (target, name) => (name === "sql" ? sql : bound(target, name)),
    });
    const ctx = new Proxy(state, { get: (target, name) => (name === "storage" ? storage : bound(target, name)) });
    Object.defineProperty(this, "ctx", { value: ctx });
  }
}

/** Methods of the runtime's objects work on these objects only. */
function bound(target: object, name: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === "function" ? value.bind(target) : value;
}

/** Adds the rows that a cursor reads. Those of a statement without results are read at once. */
function counted<Row extends Record<string, SqlStorageValue>>(cursor: SqlStorageCursor<Row>): SqlStorageCursor<Row> {
  let added = 0;
  const add = () => {
    mailboxMeter.add("rowsRead", cursor.rowsRead - added);
    added = cursor.rowsRead;
  };
  add();
  return new Proxy(cursor, {
    get: (target, name) => {
      if (name !== "toArray") return bound(target, name);
      return () => {
        const rows = target.toArray();
        add();
        return rows;
      };
    },
  });
}
