import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { addressKey } from "../../../lib/addresses.ts";
import { getUser, listUsers, restrictUser } from "../../../operations/admin/index.ts";
import { AccountsPage } from "./accounts.tsx";

const PAGE_SIZE = 100;
const RESTRICT = "POST /v1/admin/users/:user_id/restrict";

const notices: Readonly<Record<string, string>> = {
  restricted: "The account is restricted. Its queued emails fail.",
  unrestricted: "The restriction is ended.",
};

/** Accounts of the platform: an administrator finds them, and restricts one. */
export const accountPages = new Hono<AppEnv>()
  .get("/app/admin/accounts", ...pageFor("GET /v1/admin/users"), async (c) => {
    const caller = c.get("caller");
    const email = c.req.query("email")?.trim() ?? "";
    const after = c.req.query("after")?.toLowerCase();
    const found = await listUsers(caller, {
      ...(email === "" ? {} : { emailKey: addressKey(email) }),
      ...(after ? { after } : {}),
      limit: PAGE_SIZE + 1,
    });
    const users = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? users.at(-1) : undefined;
    const next = last === undefined ? null : `/app/admin/accounts?${new URLSearchParams({ after: last.id })}`;
    const notice = notices[c.req.query("done") ?? ""];
    return respondPage(c, <AccountsPage caller={caller} users={users} email={email} next={next} notice={notice} />);
  })
  .get("/app/admin/accounts/:user_id/restrict", ...pageFor(RESTRICT), async (c) => {
    const { email } = await getUser(c.get("caller"), c.req.param("user_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Restrict ${email}?`}
        caller={c.get("caller")}
        button="Restrict account"
        back="/app/admin/accounts"
      >
        It can send nothing from its next request on, in any workspace, and its queued emails fail.
      </ConfirmPage>,
    );
  })
  .post("/app/admin/accounts/:user_id/restrict", ...pageFor(RESTRICT), async (c) => {
    await restrictUser(c.get("caller"), c.req.param("user_id"), true);
    return c.redirect("/app/admin/accounts?done=restricted", 303);
  })
  .post(
    "/app/admin/accounts/:user_id/unrestrict",
    ...pageFor("POST /v1/admin/users/:user_id/unrestrict"),
    async (c) => {
      await restrictUser(c.get("caller"), c.req.param("user_id"), false);
      return c.redirect("/app/admin/accounts?done=unrestricted", 303);
    },
  );
