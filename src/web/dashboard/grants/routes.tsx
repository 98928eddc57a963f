import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { deleteGrant, getGrant, listGrants } from "../../../identity/oauth/index.ts";
import { clientName, GrantsPage } from "./page.tsx";

const PAGE_SIZE = 100;
const REVOKE = "DELETE /v1/oauth/grants/:grant_id";

export const grantPages = new Hono<AppEnv>()
  .get("/app/grants", ...pageFor("GET /v1/oauth/grants"), async (c) => {
    const caller = c.get("caller");
    const found = await listGrants(caller, { after: c.req.query("after")?.toLowerCase(), limit: PAGE_SIZE + 1 });
    const grants = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? grants.at(-1) : undefined;
    const next = last === undefined ? null : `?${new URLSearchParams({ after: last.id })}`;
    const notice = c.req.query("done") === "revoked" ? "The program is disconnected." : undefined;
    return respondPage(c, <GrantsPage caller={caller} grants={grants} next={next} notice={notice} />);
  })
  .get("/app/grants/:grant_id/revoke", ...pageFor(REVOKE), async (c) => {
    const caller = c.get("caller");
    const grant = await getGrant(caller, c.req.param("grant_id"));
    const title = `Disconnect ${clientName(grant)}?`;
    return respondPage(
      c,
      <ConfirmPage title={title} caller={caller} button="Disconnect" back="/app/grants">
        It can no longer act for you in the workspace {grant.workspace_name}, from its next request on.
      </ConfirmPage>,
    );
  })
  .post("/app/grants/:grant_id/revoke", ...pageFor(REVOKE), async (c) => {
    await deleteGrant(c.get("caller"), c.req.param("grant_id"));
    return c.redirect("/app/grants?done=revoked", 303);
  });
