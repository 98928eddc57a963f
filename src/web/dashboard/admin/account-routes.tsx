import { newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { addressKey } from "../../../lib/addresses.ts";
import { getUser, listUsers, restrictUser } from "../../../operations/admin/index.ts";
import { AccountsPage } from "./accounts.tsx";

const PATH = "/app/admin/accounts";
const RESTRICT = "POST /v1/admin/users/:user_id/restrict";

const notices = {
  restricted: "The account is restricted. Its queued emails fail.",
  unrestricted: "The restriction is ended.",
};

/** Accounts of the platform: an administrator finds them, and restricts one. */
export const accountPages = newRoutes()
  .get(PATH, ...pageFor("GET /v1/admin/users"), async (c) => {
    const email = c.req.query("email")?.trim() ?? "";
    const key = email === "" ? {} : { emailKey: addressKey(email) };
    const { rows: users, next } = await readPage(c, {
      path: PATH,
      read: (caller, query) => listUsers(caller, { ...key, ...query }),
      after: ({ id }) => id,
    });
    return respondPage(c, <AccountsPage users={users} email={email} />, { notices, next, nextLabel: "More" });
  })
  .get(`${PATH}/:user_id/restrict`, ...pageFor(RESTRICT), async (c) => {
    const { email } = await getUser(c.get("caller"), c.req.param("user_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Restrict ${email}?`} button="Restrict account" back={PATH}>
        It can send nothing from its next request on, in any workspace, and its queued emails fail.
      </ConfirmPage>,
    );
  })
  .post(`${PATH}/:user_id/restrict`, ...pageFor(RESTRICT), async (c) => {
    await restrictUser(c.get("caller"), c.req.param("user_id"), true);
    return c.redirect(`${PATH}?done=restricted`, 303);
  })
  .post(`${PATH}/:user_id/unrestrict`, ...pageFor("POST /v1/admin/users/:user_id/unrestrict"), async (c) => {
    await restrictUser(c.get("caller"), c.req.param("user_id"), false);
    return c.redirect(`${PATH}?done=unrestricted`, 303);
  });
