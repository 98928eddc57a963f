import type { CallerCtx } from "../../../access/caller.ts";
import { Empty, Field, Form, Layout, List, Pager, PostButton, Status, Time } from "../../../http/ui/index.ts";
import type { UserRow } from "../../../operations/admin/index.ts";

interface AccountsPageProps {
  caller: CallerCtx;
  users: readonly UserRow[];
  /** The address that is searched for. */
  email: string;
  next: string | null;
  notice?: string | undefined;
}

/** The accounts of the platform, with search by address. */
export const AccountsPage = ({ caller, users, email, next, notice }: AccountsPageProps) => (
  <Layout title="Accounts" caller={caller} at="/app/admin/accounts" notice={notice}>
    <Form class="filter" method="get" action="/app/admin/accounts">
      <Field name="email" label="Find an address" type="search" required={false} value={email} maxlength={254} />
      <button type="submit">Find</button>
    </Form>
    {users.length === 0 ? (
      <Empty action={{ href: "/app/admin/accounts", label: "Show all accounts" }}>
        {email === "" ? "There are no more accounts." : `No account has the address ${email}.`}
      </Empty>
    ) : (
      <List
        caption="Accounts"
        columns={["Address", "Name", "Status", "Created", "Action"]}
        rows={users.map((user) => [
          user.email,
          user.name ?? "",
          <Status
            word={user.restrictedAt !== null ? "restricted" : user.isPlatformAdmin ? "administrator" : "active"}
          />,
          <Time at={user.createdAt} />,
          <Action user={user} isSelf={user.id === caller.actor.userId} />,
        ])}
      />
    )}
    <Pager next={next} label="More" />
  </Layout>
);

function Action({ user, isSelf }: { user: UserRow; isSelf: boolean }) {
  const path = `/app/admin/accounts/${user.id}`;
  if (user.restrictedAt !== null)
    return (
      <PostButton
        to={`${path}/unrestrict`}
        label="End the restriction"
        kind="link"
        name={`End the restriction of ${user.email}`}
      />
    );
  return isSelf ? null : (
    <a class="action" href={`${path}/restrict`} aria-label={`Restrict ${user.email}`}>
      Restrict
    </a>
  );
}
