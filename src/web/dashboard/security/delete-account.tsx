import { deleteCookies } from "../../../http/cookies.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor, submitForm } from "../../../http/page-routes.ts";
import { AppLayout, ButtonLink, Field, Form, Notice, Submit, useCaller } from "../../../http/ui/index.ts";
import {
  type AccountWorkspace,
  deleteAccount,
  deletionIssue,
  isAlone,
  listAccountWorkspaces,
} from "../../../identity/members/index.ts";
import { invalidField } from "../../../lib/errors.ts";

const DELETE = "DELETE /v1/me";
const PATH = "/app/security/delete";

/** The page that deletes the account, after its typed address. */
export const deleteAccountPages = newRoutes()
  .get(PATH, ...pageFor(DELETE), showForm)
  .post(PATH, ...pageFor(DELETE), (c) =>
    submitForm(c, showForm, async (fields) => {
      const { email } = c.get("caller").actor;
      if ((fields.get("email") ?? "").trim().toLowerCase() !== email.toLowerCase())
        throw invalidField("email", `Type ${email} to go on`);
      await deleteAccount(c.get("caller"), { workspaces: "delete", sendEmail: c.get("sendSystemEmail") });
      deleteCookies(c, "session", "refresh");
      return "/auth/sign-in";
    }),
  );

async function showForm(c: AppContext) {
  const workspaces = await listAccountWorkspaces(c.get("caller"));
  return respondPage(c, <DeleteAccountPage workspaces={workspaces} />);
}

const DeleteAccountPage = ({ workspaces }: { workspaces: readonly AccountWorkspace[] }) => (
  <AppLayout title="Delete your account?">
    <p>Your sessions, API keys, SMTP credentials and connected programs stop working at once. This cannot be undone.</p>
    <Names title="Deleted with all their data, because you are alone in them" of={workspaces.filter(isAlone)} />
    <Names title="You leave, and what you made there stays" of={workspaces.filter((each) => !isAlone(each))} />
    {deletionIssue(workspaces, "delete") ? <Refused workspaces={workspaces} /> : <DeletionForm />}
  </AppLayout>
);

const Names = ({ title, of }: { title: string; of: readonly AccountWorkspace[] }) =>
  of.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <ul>
        {of.map(({ name }) => (
          <li>{name}</li>
        ))}
      </ul>
    </>
  );

function Refused({ workspaces }: { workspaces: readonly AccountWorkspace[] }) {
  const names = deletionIssue(workspaces, "delete")?.blockers.map(({ label }) => label) ?? [];
  return (
    <>
      <Notice kind="bad">
        {names.length === 0
          ? "You have too many workspaces. Leave or delete some first."
          : `You are the last owner of ${names.join(", ")}. Make another member an owner first, or delete the workspace.`}
      </Notice>
      <ButtonLink to="/app/team" label="Team" kind="quiet" />
    </>
  );
}

const DeletionForm = () => (
  <Form class="form" action={PATH}>
    <Field
      name="email"
      label={`To go on, type your address: ${useCaller().actor.email}`}
      autocomplete="off"
      maxlength={254}
    />
    <div class="actions">
      <Submit label="Delete account" kind="danger final" />
      <ButtonLink to="/app/security" label="Cancel" kind="quiet" />
    </div>
  </Form>
);
