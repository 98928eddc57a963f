import { readPage, respondPage } from "../../../http/page.tsx";
import { button, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { addressKey } from "../../../lib/addresses.ts";
import { getUser, listUsers, restrictUser } from "../../../operations/admin/index.ts";
import { AccountsPage } from "./accounts.tsx";

const PATH = "/app/admin/accounts";

/** Accounts of the platform: an administrator finds them, and restricts one. */
export const accountPages = pagesOf(
  "account",
  page(PATH, "GET /v1/admin/users", async (c) => {
    const email = c.req.query("email")?.trim() ?? "";
    const key = email === "" ? {} : { emailKey: addressKey(email) };
    const { rows: users, next } = await readPage(c, {
      path: PATH,
      read: (caller, query) => listUsers(caller, { ...key, ...query }),
      after: ({ id }) => id,
    });
    return respondPage(c, <AccountsPage users={users} email={email} />, { next, nextLabel: "More" });
  }),
  question(`${PATH}/:user_id/restrict`, "POST /v1/admin/users/:user_id/restrict", {
    of: getUser,
    title: ({ email }) => `Restrict ${email}?`,
    button: "Restrict account",
    text: "It can send nothing from its next request on, in any workspace, and its queued emails fail.",
    run: (caller, id) => restrictUser(caller, id, true),
    done: { restricted: "The account is restricted. Its queued emails fail." },
  }),
  button(`${PATH}/:user_id/unrestrict`, "POST /v1/admin/users/:user_id/unrestrict", {
    run: (caller, id) => restrictUser(caller, id, false),
    done: { unrestricted: "The restriction is ended." },
  }),
);
