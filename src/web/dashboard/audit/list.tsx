import type { AppContext } from "../../../http/env.ts";
import { readPage, respondPage, type ShownList } from "../../../http/page.tsx";
import { AppLayout, Empty, List, Time } from "../../../http/ui/index.ts";
import { type AuditEntryOut, type AuditRow, toAuditEntry } from "../../../identity/workspaces/index.ts";

/** Shows a page of an audit log. */
export async function showAudit(c: AppContext, title: string, list: Pick<ShownList<AuditRow>, "path" | "read">) {
  const { rows, next } = await readPage(c, { ...list, after: ({ id }) => id });
  return respondPage(
    c,
    <AppLayout title={title}>
      <AuditList entries={rows.map(toAuditEntry)} />
    </AppLayout>,
    { next },
  );
}

/** Entries of an audit log, newest first. */
const AuditList = ({ entries }: { entries: readonly AuditEntryOut[] }) => (
  <List
    caption="Audit log"
    kind="audit"
    columns={["Time", "Who", "Action", "What", "Address"]}
    empty={<Empty>Nothing was changed yet.</Empty>}
    rows={entries.map(({ at, actor, action, target, detail, ip }) => [
      <Time at={at} />,
      actor === null ? "the service" : actor.email,
      action,
      describe(target.kind, detail) || `${target.kind} ${target.id}`,
      ip ?? "",
    ])}
  />
);

/** Returns the names and values of an entry's detail as one line. */
function describe(kind: string, detail: unknown): string {
  const fields = Object.entries(Object(detail) as Record<string, unknown>);
  const text = fields.map(
    ([name, value]) => `${name.replaceAll("_", " ")}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return text.length === 0 ? "" : `${kind}, ${text.join(", ")}`;
}
