import { isRecentlyReauthenticated } from "../../../access/sessions/reauthentication.ts";
import { deleteCookies } from "../../../http/cookies.ts";
import { type AppContext, clientOf, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor, submitForm } from "../../../http/page-routes.ts";
import { AppLayout, ButtonLink, Field, Form, Notice, Submit, useCaller } from "../../../http/ui/index.ts";
import {
  type AccountWorkspace,
  deleteAccount,
  deletionIssue,
  isAlone,
  listAccountWorkspaces,
} from "../../../identity/members/index.ts";
import { readTotpStatus, sendDeletionLink } from "../../../identity/sign-ins/index.ts";
import { invalidField } from "../../../lib/errors.ts";
import { withProof } from "../proof-of-identity.tsx";

const DELETE = "DELETE /v1/me";
const PATH = "/app/security/delete";

/** The page that deletes the account, after a proof of identity and its typed address. */
export const deleteAccountPages = newRoutes()
  .get(PATH, ...pageFor(DELETE), showForm)
  .post(`${PATH}/link`, ...pageFor(DELETE), (c) =>
    attempt(c, showForm, async () => {
      await sendDeletionLink(c.get("caller"), clientOf(c).ip, c.get("sendSystemEmail"));
      return `${PATH}?done=sent`;
    }),
  )
  .post(PATH, ...pageFor(DELETE), (c) =>
    submitForm(c, showForm, async (fields) => {
      const { email } = c.get("caller").actor;
      if ((fields.get("email") ?? "").trim().toLowerCase() !== email.toLowerCase())
        throw invalidField("email", `Type ${email} to go on`);
      const caller = await withProof(c, fields.get("proof")?.trim() ?? "");
      await deleteAccount(caller, { workspaces: "delete", sendEmail: c.get("sendSystemEmail") });
      deleteCookies(c, "session", "refresh");
      return "/auth/sign-in";
    }),
  );

async function showForm(c: AppContext) {
  const caller = c.get("caller");
  const proof = c.get("form")?.get("proof")?.trim() ?? c.req.query("proof") ?? "";
  const [workspaces, totp] = await Promise.all([listAccountWorkspaces(caller), readTotpStatus(caller)]);
  // A proof counts for minutes, also when the form is refused for another reason.
  const needsProof = !isRecentlyReauthenticated(caller);
  const step = deletionIssue(workspaces, "delete") ? "refused" : stepOf({ needsProof, hasTotp: totp.enabled, proof });
  const isSent = !c.get("refusal") && c.req.query("done") === "sent";
  return respondPage(c, <DeleteAccountPage workspaces={workspaces} step={step} proof={proof} isSent={isSent} />);
}

/** The next step of a deletion. `link`: an email with a link proves the identity first. */
type Step = "refused" | "link" | "code" | "confirm";

function stepOf({ needsProof, hasTotp, proof }: { needsProof: boolean; hasTotp: boolean; proof: string }): Step {
  if (!needsProof) return "confirm";
  if (hasTotp) return "code";
  return proof === "" ? "link" : "confirm";
}

interface DeleteAccountPageProps {
  workspaces: readonly AccountWorkspace[];
  step: Step;
  proof: string;
  /** The email with the link was sent just now. */
  isSent: boolean;
}

const DeleteAccountPage = ({ workspaces, step, proof, isSent }: DeleteAccountPageProps) => (
  <AppLayout title="Delete your account?">
    {isSent ? (
      <Notice kind="good">An email is on its way to {useCaller().actor.email}. Open its link within 15 minutes.</Notice>
    ) : null}
    <p>Your sessions, API keys, SMTP credentials and connected programs stop working at once. This cannot be undone.</p>
    <Names title="Deleted with all their data, because you are alone in them" of={workspaces.filter(isAlone)} />
    <Names title="You leave, and what you made there stays" of={workspaces.filter((each) => !isAlone(each))} />
    {step === "refused" ? <Refused workspaces={workspaces} /> : <DeletionForm step={step} proof={proof} />}
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

const DeletionForm = ({ step, proof }: Pick<DeleteAccountPageProps, "step" | "proof">) =>
  step === "link" ? (
    <Form class="form" action={`${PATH}/link`}>
      <p>First prove that it is you: we send a link to {useCaller().actor.email}.</p>
      <div class="actions">
        <Submit label="Send the link" />
        <ButtonLink to="/app/security" label="Cancel" kind="quiet" />
      </div>
    </Form>
  ) : (
    <Form class="form" action={PATH}>
      {step === "code" ? (
        <Field
          name="proof"
          label="Code"
          hint="The six digits that your app shows."
          autocomplete="one-time-code"
          maxlength={64}
        />
      ) : (
        <input type="hidden" name="proof" value={proof} />
      )}
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
