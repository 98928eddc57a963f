import type { Context } from "hono";
import { Hono } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import { isRecentlyReauthenticated } from "../../../access/sessions/reauthentication.ts";
import { clientOf } from "../../../http/client.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { deleteSessionCookies } from "../../../http/session-cookies.ts";
import { ButtonLink, Field, Form, Layout, Notice } from "../../../http/ui/index.ts";
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
export const deleteAccountPages = new Hono<AppEnv>()
  .get(PATH, ...pageFor(DELETE), (c) => showForm(c, { proof: c.req.query("proof") ?? "" }))
  .post(`${PATH}/link`, ...pageFor(DELETE), async (c) =>
    submitForm(
      c,
      async () => {
        await sendDeletionLink(c.get("caller"), clientOf(c).ip, c.get("sendSystemEmail"));
        return `${PATH}?done=sent`;
      },
      (refusal) => showForm(c, { proof: "", refusal }),
    ),
  )
  .post(PATH, ...pageFor(DELETE), async (c) => {
    const fields = await readForm(c);
    const proof = fields.get("proof")?.trim() ?? "";
    return submitForm(
      c,
      async () => {
        const { email } = c.get("caller").actor;
        if ((fields.get("email") ?? "").trim().toLowerCase() !== email.toLowerCase())
          throw invalidField("email", `Type ${email} to go on`);
        const caller = await withProof(c, proof);
        await deleteAccount(caller, { workspaces: "delete", sendEmail: c.get("sendSystemEmail") });
        deleteSessionCookies(c);
        return "/auth/sign-in";
      },
      (refusal) => showForm(c, { proof, refusal }),
    );
  });

async function showForm(c: Context<AppEnv>, { proof, refusal }: { proof: string; refusal?: Refusal }) {
  const caller = c.get("caller");
  const [workspaces, totp] = await Promise.all([listAccountWorkspaces(caller), readTotpStatus(caller)]);
  // A proof counts for minutes, also when the form is refused for another reason.
  const needsProof = !isRecentlyReauthenticated(caller);
  const step = deletionIssue(workspaces, "delete") ? "refused" : stepOf({ needsProof, hasTotp: totp.enabled, proof });
  const isSent = !refusal && c.req.query("done") === "sent";
  const page = <DeleteAccountPage {...{ caller, workspaces, step, proof, isSent, refusal }} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

/** The next step of a deletion. `link`: an email with a link proves the identity first. */
type Step = "refused" | "link" | "code" | "confirm";

function stepOf({ needsProof, hasTotp, proof }: { needsProof: boolean; hasTotp: boolean; proof: string }): Step {
  if (!needsProof) return "confirm";
  if (hasTotp) return "code";
  return proof === "" ? "link" : "confirm";
}

interface DeleteAccountPageProps {
  caller: CallerCtx;
  workspaces: readonly AccountWorkspace[];
  step: Step;
  proof: string;
  /** The email with the link was sent just now. */
  isSent: boolean;
  refusal?: Refusal | undefined;
}

const DeleteAccountPage = ({ caller, workspaces, step, proof, isSent, refusal }: DeleteAccountPageProps) => (
  <Layout title="Delete your account?" caller={caller} at="/app/security">
    {isSent ? (
      <Notice kind="good">An email is on its way to {caller.actor.email}. Open its link within 15 minutes.</Notice>
    ) : null}
    <p>Your sessions, API keys, SMTP credentials and connected programs stop working at once. This cannot be undone.</p>
    <Names title="Deleted with all their data, because you are alone in them" of={workspaces.filter(isAlone)} />
    <Names title="You leave, and what you made there stays" of={workspaces.filter((each) => !isAlone(each))} />
    {step === "refused" ? <Refused workspaces={workspaces} /> : <DeletionForm {...{ caller, step, proof, refusal }} />}
  </Layout>
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

const DeletionForm = ({
  caller,
  step,
  proof,
  refusal,
}: Pick<DeleteAccountPageProps, "caller" | "step" | "proof" | "refusal">) =>
  step === "link" ? (
    <Form class="form" action={`${PATH}/link`} refusal={refusal}>
      <p>First prove that it is you: we send a link to {caller.actor.email}.</p>
      <div class="actions">
        <button type="submit">Send the link</button>
        <ButtonLink to="/app/security" label="Cancel" kind="quiet" />
      </div>
    </Form>
  ) : (
    <Form class="form" action={PATH} refusal={refusal}>
      {step === "code" ? (
        <Field
          name="proof"
          label="Code"
          hint="The six digits that your app shows."
          autocomplete="one-time-code"
          errors={refusal?.errors}
          maxlength={64}
        />
      ) : (
        <input type="hidden" name="proof" value={proof} />
      )}
      <Field
        name="email"
        label={`To go on, type your address: ${caller.actor.email}`}
        autocomplete="off"
        errors={refusal?.errors}
        maxlength={254}
      />
      <div class="actions">
        <button class="danger final" type="submit">
          Delete account
        </button>
        <ButtonLink to="/app/security" label="Cancel" kind="quiet" />
      </div>
    </Form>
  );
