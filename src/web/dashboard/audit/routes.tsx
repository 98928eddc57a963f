import { Hono } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { Layout, Pager } from "../../../http/ui/index.ts";
import { type AuditEntryOut, listAudit, toAuditEntry } from "../../../identity/workspaces/index.ts";
import { AuditList } from "./list.tsx";

const PAGE_SIZE = 100;

export const auditPages = new Hono<AppEnv>().get("/app/audit", ...pageFor("GET /v1/audit"), async (c) => {
  const caller = c.get("caller");
  const after = c.req.query("after")?.toLowerCase();
  const found = await listAudit(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 });
  const shown = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
  const next = last === undefined ? null : `/app/audit?${new URLSearchParams({ after: last.id })}`;
  return respondPage(c, <AuditPage caller={caller} entries={shown.map(toAuditEntry)} next={next} />);
});

/** Who changed what in the workspace, newest first. */
const AuditPage = ({
  caller,
  entries,
  next,
}: {
  caller: CallerCtx;
  entries: readonly AuditEntryOut[];
  next: string | null;
}) => (
  <Layout title="Audit log" caller={caller} at="/app/audit">
    <AuditList entries={entries} />
    <Pager next={next} />
  </Layout>
);
