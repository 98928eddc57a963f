import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { toRefusal } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { getInboundEntry } from "../../../mailboxes/inbound-log/index.ts";
import { searchEmails } from "../../../sending/emails/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { InboundEntryPage, InboundPage } from "./page.tsx";

export const inboundPages = new Hono<AppEnv>()
  .get("/app/inbound", ...pageFor("GET /v1/emails/search"), async (c) => {
    const caller = c.get("caller");
    const q = c.req.query("q") ?? "";
    const before = c.req.query("before")?.toLowerCase();
    try {
      const input = { q, direction: "inbound" as const, before_inbound: before, page: 0, limit: PAGE_SIZE };
      const { rows, next } = await searchEmails(caller, input);
      const after = next?.before_inbound;
      const path = after === undefined ? null : `/app/inbound?${new URLSearchParams({ q, before: after })}`;
      return respondPage(c, <InboundPage caller={caller} entries={rows} q={q} next={path} />);
    } catch (error) {
      const { message, status } = toRefusal(error);
      return respondPage(c, <InboundPage caller={caller} entries={[]} q={q} next={null} error={message} />, { status });
    }
  })
  .get("/app/inbound/:message_id", ...pageFor("GET /v1/emails/inbound/:message_id"), async (c) => {
    const entry = await getInboundEntry(c.get("caller"), c.req.param("message_id"));
    return respondPage(c, <InboundEntryPage caller={c.get("caller")} entry={entry} />);
  });
