import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { noContent } from "../../../http/no-content.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { iso } from "../../../lib/time.ts";
import { timestamp } from "../../../lib/timestamp.ts";
import { type LinkedAccountRow, listLinkedAccounts } from "./list.ts";
import { unlinkAccount } from "./unlink.ts";

const LinkedAccountOut = z
  .object({
    provider: z.enum(["google", "github"]),
    subject: z.string().describe("The provider's id of the account."),
    email: z.string().nullable().describe("Its address when it was linked. Null: not known."),
    created_at: timestamp,
  })
  .meta({
    ref: "LinkedAccount",
    examples: [
      { provider: "github", subject: "583231", email: "ada@example.com", created_at: "2026-11-21T14:00:00.000Z" },
    ],
  });

const toLinkedAccount = ({ createdAt, ...row }: LinkedAccountRow) => ({ ...row, created_at: iso(createdAt) });

const operation = operationsOf("Sessions");
const security = [{ session: [] }];

/** Accounts at Google and GitHub by which a user signs in (docs/contract/sign-in.md#ways-to-sign-in). */
export const linkedAccountRoutes = newRoutes()
  .get(
    "/v1/linked-accounts/",
    operation("session", "listLinkedAccounts", {
      summary: "List the accounts at Google and GitHub by which you sign in",
      security,
      responses: responses(200, "The accounts, oldest first, at most 100", z.array(LinkedAccountOut), [403]),
    }),
    async (c) => c.json((await listLinkedAccounts(c.get("caller"))).map(toLinkedAccount)),
  )
  .delete(
    "/v1/linked-accounts/:provider/:subject",
    operation("session", "unlinkAccount", {
      summary: "Unlink an account at Google or GitHub",
      description: "It signs in no more, unless its verified address is that of your account. Sessions go on.",
      security,
      responses: responses(204, "Unlinked", null, [403, 404]),
    }),
    (c) => noContent(c, unlinkAccount(c.get("caller"), c.req.param("provider"), c.req.param("subject"))),
  );
