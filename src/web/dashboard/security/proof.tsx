import { type AppContext, clientOf, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { attempt, pageFor, submitForm, textOf } from "../../../http/page-routes.ts";
import { AppLayout, Field, Form, Submit, useCaller } from "../../../http/ui/index.ts";
import { readTotpStatus, reauthenticate, sendProofLink } from "../../../identity/sign-ins/index.ts";
import { AppError, invalidField } from "../../../lib/errors.ts";

const REAUTHENTICATE = "POST /v1/auth/reauth";
const PATH = "/app/security/proof";

/** The page on which a user proves its identity again, by a code or by a link in an email (docs/contract/sign-in.md#proof-of-identity). */
export const proofPages = newRoutes()
  .get(PATH, ...pageFor(REAUTHENTICATE), showProof)
  .post(`${PATH}/link`, ...pageFor(REAUTHENTICATE), (c) =>
    attempt(c, showProof, async () => {
      await sendProofLink(c.get("caller"), clientOf(c).ip, c.get("sendSystemEmail"));
      return `${PATH}?done=sent`;
    }),
  )
  .post(PATH, ...pageFor(REAUTHENTICATE), (c) =>
    submitForm(c, showProof, async (fields) => {
      const [code, token] = [textOf(fields, "code"), textOf(fields, "token")];
      const proof = { ...(code ? { code } : {}), ...(token ? { token } : {}) };
      await reauthenticate(c.get("caller"), proof, clientOf(c).ip).catch((error: unknown) => {
        if (error instanceof AppError && error.status === 403) throw invalidField("code", error.message);
        throw error;
      });
      return "/app/security?done=proven";
    }),
  );

async function showProof(c: AppContext) {
  const token = c.get("form")?.get("token") ?? c.req.query("proof") ?? "";
  const { enabled } = await readTotpStatus(c.get("caller"));
  const step = token === "" ? "link" : "confirm";
  return respondPage(c, <ProofPage step={enabled ? "code" : step} token={token} />, {
    notices: { sent: `An email is on its way to ${c.get("caller").actor.email}. Open its link within 15 minutes.` },
  });
}

/** The page of a step. `link`: an email with a link comes first. */
const ProofPage = ({ step, token }: { step: "code" | "link" | "confirm"; token: string }) => (
  <AppLayout title="Prove that it is you">
    {step === "link" ? (
      <Form class="form" action={`${PATH}/link`}>
        <p>We send a link to {useCaller().actor.email}. It proves your identity for five minutes.</p>
        <Submit label="Send the link" />
      </Form>
    ) : (
      <Form class="form" action={PATH} fields={{ token }}>
        {step === "code" ? (
          <Field
            name="code"
            label="Code"
            hint="The six digits that your app shows."
            autocomplete="one-time-code"
            maxlength={64}
          />
        ) : (
          <p>You have opened the link of the email. Go on to prove your identity for five minutes.</p>
        )}
        <Submit label="Go on" />
      </Form>
    )}
  </AppLayout>
);
