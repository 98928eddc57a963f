import * as z from "zod";
import { deleteCookies } from "../../../http/cookies.ts";
import { newRoutes } from "../../../http/env.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { query } from "../../../http/validate.ts";
import { deleteAccount } from "./delete-account.ts";
import { MeOut, toMe } from "./schema.ts";

const operation = operationsOf("Accounts");

const DeletionQuery = z.object({
  workspaces: z
    .enum(["delete", "keep"])
    .default("keep")
    .describe("`delete`: also deletes the workspaces that you are alone in, with all their data."),
});

export const meRoutes = newRoutes()
  .get(
    "/v1/me",
    operation("any", "getMe", {
      summary: "Get the authenticated user, workspace and scopes",
      responses: responses(200, "The caller", MeOut),
    }),
    (c) => c.json(toMe(c.get("caller"))),
  )
  .delete(
    "/v1/me",
    operation("session", "deleteAccount", {
      summary: "Delete your account",
      description:
        "Needs a proof of identity of the last five minutes (POST /v1/auth/reauth). Your memberships, sessions, keys, grants and " +
        "ways to sign in end at once; what you made in workspaces of others stays there. It cannot be undone. The last owner of " +
        "a workspace gets 409 with the code `last_owner` and the workspaces in `blockers`.",
      responses: responses(204, "Deleted", null, [403, 409]),
    }),
    query(DeletionQuery),
    async (c) => {
      const { workspaces } = c.req.valid("query");
      await deleteAccount(c.get("caller"), { workspaces, sendEmail: c.get("sendSystemEmail") });
      deleteCookies(c, "session", "refresh");
      return c.body(null, 204);
    },
  );
