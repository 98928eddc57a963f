import { newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor } from "../../../http/page-routes.ts";
import { getInboundEntry } from "../../../mailboxes/inbound-log/index.ts";
import { searchEmails } from "../../../sending/emails/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { InboundEntryPage, InboundPage } from "./page.tsx";

export const inboundPages = newRoutes()
  .get("/app/inbound", ...pageFor("GET /v1/emails/search"), (c) => {
    const q = c.req.query("q") ?? "";
    const before = c.req.query("before")?.toLowerCase();
    const show = () => respondPage(c, <InboundPage entries={[]} q={q} />);
    return attempt(c, show, async () => {
      const input = { q, direction: "inbound" as const, before_inbound: before, page: 0, limit: PAGE_SIZE };
      const { rows, next } = await searchEmails(c.get("caller"), input);
      const after = next?.before_inbound;
      return respondPage(c, <InboundPage entries={rows} q={q} />, {
        next: after === undefined ? null : `/app/inbound?${new URLSearchParams({ q, before: after })}`,
      });
    });
  })
  .get("/app/inbound/:message_id", ...pageFor("GET /v1/emails/inbound/:message_id"), async (c) => {
    const entry = await getInboundEntry(c.get("caller"), c.req.param("message_id"));
    return respondPage(c, <InboundEntryPage entry={entry} />);
  });
