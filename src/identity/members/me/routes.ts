import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { deleteCookies } from "../../../http/cookies.ts";
import { deleteAccount } from "./delete-account.ts";
import { MeOut, toMe } from "./schema.ts";

const DeletionQuery = z.object({
  workspaces: z
    .enum(["delete", "keep"])
    .default("keep")
    .describe("`delete`: also deletes the workspaces that you are alone in, with all their data."),
});

export const meRoutes = apiRoutes("Accounts")
  .get("/v1/me", "getMe", "any", {
    summary: "Get the authenticated user, workspace and scopes",
    returns: { 200: ["The caller", MeOut] },
    run: (caller) => toMe(caller),
  })
  .delete("/v1/me", "deleteAccount", "session", outlives.nothing, {
    summary: "Delete your account",
    description:
      "Needs a proof of identity of the last five minutes (POST /v1/auth/reauth). Your memberships, sessions, keys, grants and " +
      "ways to sign in end at once; what you made in workspaces of others stays there. It cannot be undone. The last owner of " +
      "a workspace gets 409 with the code `last_owner` and the workspaces in `blockers`.",
    query: DeletionQuery,
    returns: { 204: "Deleted" },
    errors: [409],
    run: async (caller, { query }, c) => {
      await deleteAccount(caller, { ...query, sendEmail: c.get("sendSystemEmail") });
      deleteCookies(c, "session", "refresh");
    },
  });
