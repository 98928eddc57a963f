import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Check, Field, Form, Layout } from "../../../http/ui/index.ts";
import { ProofField } from "../proof-of-identity.tsx";

/** The fields of the form that moves a domain, as they were filled in. The proof is never shown again. */
export interface ForceForm {
  domainId: string;
  targetEmail: string;
  rotateDkim: boolean;
}

interface ForcePageProps {
  caller: CallerCtx;
  form: ForceForm;
  /** True when the session must prove its identity again first. */
  needsProof: boolean;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** The form that moves a domain of any workspace to another account, at once. */
export const ForcePage = ({ caller, form, needsProof, notice, refusal }: ForcePageProps) => (
  <Layout title="Force transfer" caller={caller} at="/app/admin/transfers" notice={notice}>
    <p>
      The domain moves at once and for good to the oldest workspace that the account manages. Its owners of today are
      told, and cannot stop it.
    </p>
    <Form class="form" action="/app/admin/transfers" refusal={refusal}>
      <Field
        name="domain_id"
        label="Id of the domain"
        value={form.domainId}
        errors={refusal?.errors}
        maxlength={100}
        autocomplete="off"
      />
      <Field
        name="target_email"
        label="Email address of the account that gets it"
        value={form.targetEmail}
        errors={refusal?.errors}
        maxlength={254}
      />
      <Check name="rotate_dkim" label="Make new DKIM keys" checked={form.rotateDkim} />
      {needsProof ? <ProofField errors={refusal?.errors} /> : null}
      <p>
        <button class="danger" type="submit">
          Move the domain
        </button>
      </p>
    </Form>
  </Layout>
);
