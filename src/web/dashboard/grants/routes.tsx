import { readPage, respondPage } from "../../../http/page.tsx";
import { page, pagesOf, question } from "../../../http/page-actions.tsx";
import { deleteGrant, getGrant, listGrants } from "../../../identity/oauth/index.ts";
import { clientName, GrantsPage } from "./page.tsx";

export const grantPages = pagesOf(
  "program",
  page("/app/grants", "GET /v1/oauth/grants", async (c) => {
    const { rows, next } = await readPage(c, { path: "/app/grants", read: listGrants, after: ({ id }) => id });
    return respondPage(c, <GrantsPage grants={rows} />, { next, nextLabel: "Older connections" });
  }),
  question("/app/grants/:grant_id/revoke", "DELETE /v1/oauth/grants/:grant_id", {
    of: getGrant,
    title: (grant) => `Disconnect ${clientName(grant)}?`,
    button: "Disconnect",
    text: (grant) => `It can no longer act for you in the workspace ${grant.workspace_name}, from its next request on.`,
    run: deleteGrant,
    done: { revoked: "The program is disconnected." },
  }),
);
