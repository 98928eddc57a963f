import {
  ActionLink,
  AppLayout,
  Empty,
  FindForm,
  List,
  PostButton,
  Status,
  Time,
  useCaller,
} from "../../../http/ui/index.ts";
import type { UserRow } from "../../../operations/admin/index.ts";

interface AccountsPageProps {
  users: readonly UserRow[];
  /** The address that is searched for. */
  email: string;
}

/** The accounts of the platform, with search by address. */
export const AccountsPage = ({ users, email }: AccountsPageProps) => (
  <AppLayout title="Accounts">
    <FindForm action="/app/admin/accounts" name="email" label="Find an address" value={email} maxlength={254} />
    <List
      caption="Accounts"
      columns={["Address", "Name", "Status", "Created", "Action"]}
      empty={
        <Empty action={{ href: "/app/admin/accounts", label: "Show all accounts" }}>
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
  return isSelf ? null : <ActionLink to={`${path}/restrict`} label="Restrict" name={`Restrict ${user.email}`} />;
}
