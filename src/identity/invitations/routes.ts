import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { type AppContext, clientOf } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { pathText } from "../../http/openapi.ts";
import { respondPage } from "../../http/page.tsx";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { refuseCrossSite } from "../../http/same-origin.ts";
import { AppError } from "../../lib/errors.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { strangersPolicy } from "../../platform/service-mail/rules.ts";
import { respondSignIn } from "../sign-ins/index.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import { acceptInvitation } from "./accept.ts";
import { inviteMember } from "./create.ts";
import { invalidInvitationPage, invitationPage } from "./pages.tsx";
import { getInvitation, listInvitations } from "./queries.ts";
import { redeemInvitation } from "./redeem.ts";
import { invitationPolicies } from "./rules.ts";
import { AcceptedOut, InvitationIn, InvitationOut, SentInvitationOut, toInvitation } from "./schema.ts";
import { withdrawInvitation } from "./withdraw.ts";

const token = pathText("token", "The last part of the mailed link", "kYx0Zt3vJ1eBq7mS9uLw2Rd5Hf8Gc4Na6Pi0oTsVbXE");

export const invitationRoutes = apiRoutes("Members")
  .post("/v1/workspaces/:workspace_id/invitations", "sendInvitation", "team:manage", outlives.invitation, {
    summary: "Invite a person to a workspace by email",
    description:
      "The mailed link is valid for 7 days and once. Inviting an address again replaces the earlier invitation. A workspace has " +
      `at most ${budgetOf("invitations").rows} open invitations and makes ${invitationPolicies.workspace.limit} in an hour. An address gets one email a day from a workspace, and ` +
      `${strangersPolicy.limit} from all, with whatever else strangers cause; beyond that no email is sent (\`email_sent\`), and the person sees the invitation after sign-in. Returns 503 ` +
      "when the service has no mailbox for its own emails.",
    body: InvitationIn,
    returns: { 201: ["The invitation", SentInvitationOut] },
    errors: [503],
    run: (caller, { workspace_id, body }, c) => inviteMember(caller, workspace_id, body, c.get("sendSystemEmail")),
  })
  .get("/v1/workspaces/:workspace_id/invitations", "listInvitations", "team:view", {
    summary: "List the pending invitations of a workspace",
    query: z.object(cursorQuery),
    reads: outlives.invitation,
    returns: { 200: ["A page of invitations, oldest first", z.array(InvitationOut)] },
    run: async (caller, { workspace_id, query }, c) => {
      await requireActiveWorkspace(caller, workspace_id);
      return respondList(c, query, { read: listInvitations, after: ({ id }) => id, serialize: toInvitation });
    },
  })
  .delete(
    "/v1/workspaces/:workspace_id/invitations/:invitation_id",
    "revokeInvitation",
    "team:manage",
    outlives.nothing,
    {
      summary: "Withdraw an invitation",
      returns: { 204: "Withdrawn" },
      run: (caller, { workspace_id, invitation_id }) => withdrawInvitation(caller, workspace_id, invitation_id),
    },
  )
  .post("/v1/invitations/:token/accept", "acceptInvitation", "session", outlives.invitation, {
    summary: "Accept an invitation to a workspace",
    description:
      "Takes a session of the user with the invited address. Returns 410 for an expired invitation, and 404 for one that " +
      "was used or withdrawn.",
    parameters: [token],
    once: false,
    returns: { 200: ["You are a member of the workspace", AcceptedOut] },
    errors: [409, 410],
    run: (caller, { token }) => acceptInvitation(caller, token),
  })
  .app.get("/invitations/:token", needs("public"), async (c) => {
    const invitation = await findForPage(c, c.req.param("token"));
    return invitation === null
      ? respondPage(c, invalidInvitationPage(), { status: 404 })
      : respondPage(c, invitationPage(invitation));
  })
  .post("/invitations/:token", needs("public"), async (c) => {
    refuseCrossSite(c);
    const token = c.req.param("token");
    if ((await findForPage(c, token)) === null) return respondPage(c, invalidInvitationPage(), { status: 404 });
    return respondSignIn(c, await redeemInvitation(c.get("ctx"), token, clientOf(c)));
  });

/** Returns the invitation of a token, or null for one that does not work. */
async function findForPage(c: AppContext, token: string) {
  try {
    return await getInvitation(c.get("ctx"), token);
  } catch (error) {
    if (error instanceof AppError && (error.status === 404 || error.status === 410)) return null;
    throw error;
  }
}
