import { newRoutes } from "../../../http/env.ts";
import { pageQuery, toPage } from "../../../http/list-page.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { deleteGrant, getGrant, listGrants } from "../../../identity/oauth/index.ts";
import { clientName, GrantsPage } from "./page.tsx";

const PAGE_SIZE = 100;
const REVOKE = "DELETE /v1/oauth/grants/:grant_id";

export const grantPages = newRoutes()
  .get("/app/grants", ...pageFor("GET /v1/oauth/grants"), async (c) => {
    const found = await listGrants(c.get("caller"), pageQuery(c, PAGE_SIZE));
    const { rows: grants, next } = toPage(found, PAGE_SIZE, "/app/grants", ({ id }) => id);
    const notices = { revoked: "The program is disconnected." };
    return respondPage(c, <GrantsPage grants={grants} next={next} />, { notices });
  })
  .get("/app/grants/:grant_id/revoke", ...pageFor(REVOKE), async (c) => {
    const grant = await getGrant(c.get("caller"), c.req.param("grant_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Disconnect ${clientName(grant)}?`} button="Disconnect" back="/app/grants">
        It can no longer act for you in the workspace {grant.workspace_name}, from its next request on.
      </ConfirmPage>,
    );
  })
  .post("/app/grants/:grant_id/revoke", ...pageFor(REVOKE), async (c) => {
    await deleteGrant(c.get("caller"), c.req.param("grant_id"));
    return c.redirect("/app/grants?done=revoked", 303);
  });
