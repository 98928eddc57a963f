import { readPage, respondPage } from "../../../http/page.tsx";
import { button, page, pagesOf, question } from "../../../http/page-actions.tsx";
import {
  ActionLink,
  AppLayout,
  Empty,
  FindForm,
  List,
  PostLink,
  Status,
  Time,
  useCaller,
} from "../../../http/ui/index.ts";
import { addressKey } from "../../../lib/addresses.ts";
import { getUser, listUsers, restrictUser, type UserRow } from "../../../operations/admin/index.ts";

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

const AccountsPage = ({ users, email }: { users: readonly UserRow[]; email: string }) => (
  <AppLayout title="Accounts">
    <FindForm action={PATH} name="email" label="Find an address" value={email} maxlength={254} />
    <List
      caption="Accounts"
      columns={["Address", "Name", "Status", "Created", "Action"]}
      empty={
        <Empty action={{ href: PATH, label: "Show all accounts" }}>
          {email === "" ? "There are no more accounts." : `No account has the address ${email}.`}
        </Empty>
      }
      rows={users.map((user) => [
        user.email,
        user.name ?? "",
        <Status word={user.restrictedAt !== null ? "restricted" : user.isPlatformAdmin ? "administrator" : "active"} />,
        <Time at={user.createdAt} />,
        <Action user={user} isSelf={user.id === useCaller().actor.userId} />,
      ])}
    />
  </AppLayout>
);

function Action({ user, isSelf }: { user: UserRow; isSelf: boolean }) {
  const path = `${PATH}/${user.id}`;
  if (user.restrictedAt !== null)
    return (
      <PostLink to={`${path}/unrestrict`} label="End the restriction" name={`End the restriction of ${user.email}`} />
    );
  return isSelf ? null : <ActionLink to={`${path}/restrict`} label="Restrict" name={`Restrict ${user.email}`} />;
}
