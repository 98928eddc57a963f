import * as z from "zod";
import { type AppContext, clientOf, newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { needs } from "../../http/needs.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, pathText, responses } from "../../http/openapi.ts";
import { respondPage } from "../../http/page.tsx";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { refuseCrossSite } from "../../http/same-origin.ts";
import { body, query } from "../../http/validate.ts";
import { AppError } from "../../lib/errors.ts";
import { respondSignIn } from "../sign-ins/index.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import { acceptInvitation } from "./accept.ts";
import { inviteMember } from "./create.ts";
import { invalidInvitationPage, invitationPage } from "./pages.tsx";
import { getInvitation, listInvitations } from "./queries.ts";
import { redeemInvitation } from "./redeem.ts";
import { invitationPolicies, OPEN_INVITATIONS } from "./rules.ts";
import { AcceptedOut, InvitationIn, InvitationOut, SentInvitationOut, toInvitation } from "./schema.ts";
import { withdrawInvitation } from "./withdraw.ts";

const operation = operationsOf("Members");
const token = pathText("token", "The last part of the mailed link", "kYx0Zt3vJ1eBq7mS9uLw2Rd5Hf8Gc4Na6Pi0oTsVbXE");

export const invitationRoutes = newRoutes()
  .post(
    "/v1/workspaces/:workspace_id/invitations",
    operation("team:manage", "sendInvitation", {
      summary: "Invite a person to a workspace by email",
      description:
        "The mailed link is valid for 7 days and once. Inviting an address again replaces the earlier invitation. A workspace has " +
        `at most ${OPEN_INVITATIONS} open invitations and makes ${invitationPolicies.workspace.limit} in an hour. An address gets one email a day from a workspace, and ` +
        `${invitationPolicies.emails.limit} from all; beyond that no email is sent (\`email_sent\`), and the person sees the invitation after sign-in. Returns 503 ` +
        "when the service has no mailbox for its own emails.",
      responses: responses(201, "The invitation", SentInvitationOut, [403, 404, 409, 413, 415, 503]),
    }),
    ...body(InvitationIn),
    idempotent(201),
    async (c) => {
      const [caller, send] = [c.get("caller"), c.get("sendSystemEmail")];
      return c.json(await inviteMember(caller, c.req.param("workspace_id"), c.req.valid("json"), send), 201);
    },
  )
  .get(
    "/v1/workspaces/:workspace_id/invitations",
    operation("team:view", "listInvitations", {
      summary: "List the pending invitations of a workspace",
      responses: responses(200, "A page of invitations, oldest first", z.array(InvitationOut), [403, 404]),
    }),
    query(z.object(cursorQuery)),
    async (c) => {
      await requireActiveWorkspace(c.get("caller"), c.req.param("workspace_id"));
      return respondList(c, { read: listInvitations, after: ({ id }) => id, serialize: toInvitation });
    },
  )
  .delete(
    "/v1/workspaces/:workspace_id/invitations/:invitation_id",
    operation("team:manage", "revokeInvitation", {
      summary: "Withdraw an invitation",
      responses: responses(204, "Withdrawn", null, [403, 404]),
    }),
    (c) => noContent(c, withdrawInvitation(c.get("caller"), c.req.param("workspace_id"), c.req.param("invitation_id"))),
  )
  .post(
    "/v1/invitations/:token/accept",
    operation("session", "acceptInvitation", {
      summary: "Accept an invitation to a workspace",
      description:
        "Takes a session of the user with the invited address. Returns 410 for an expired invitation, and 404 for one that " +
        "was used or withdrawn.",
      parameters: [token],
      responses: responses(200, "You are a member of the workspace", AcceptedOut, [403, 404, 409, 410]),
    }),
    async (c) => c.json(await acceptInvitation(c.get("caller"), c.req.param("token"))),
  )
  .get("/invitations/:token", needs("public"), async (c) => {
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
