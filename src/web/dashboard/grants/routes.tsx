import { newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { deleteGrant, getGrant, listGrants } from "../../../identity/oauth/index.ts";
import { clientName, GrantsPage } from "./page.tsx";

const REVOKE = "DELETE /v1/oauth/grants/:grant_id";

export const grantPages = newRoutes()
  .get("/app/grants", ...pageFor("GET /v1/oauth/grants"), async (c) => {
    const { rows, next } = await readPage(c, { path: "/app/grants", read: listGrants, after: ({ id }) => id });
    const notices = { revoked: "The program is disconnected." };
    return respondPage(c, <GrantsPage grants={rows} next={next} />, { notices });
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
