import { inputOf, isChecked } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { change, page, pagesOf } from "../../../http/page-actions.tsx";
import { AppLayout, Check, Field, Form, Submit } from "../../../http/ui/index.ts";
import { AppError, invalidField } from "../../../lib/errors.ts";
import { ForceIn, forceDomain } from "../../../transfers/domain-transfers/index.ts";

const FORCE = "POST /v1/admin/domain-transfers/:domain_id";

/** The transfer of a domain by an administrator of the platform. */
export const forcePages = pagesOf(
  "domain",
  page("/app/admin/transfers", FORCE, (c) => respondPage(c, <ForcePage />)),
  change("/app/admin/transfers", FORCE, {
    read: (fields) => ({
      domainId: fields.get("domain_id")?.trim() ?? "",
      input: inputOf(ForceIn, { rotate_dkim: isChecked })(fields),
    }),
    run: (caller, { domainId, input }) => forceDomain(caller, domainId, input).catch(explainUnknown),
    done: { moved: "The domain has moved." },
  }),
);

/** Names the field that a 404 is about. */
function explainUnknown(error: unknown): never {
  if (!(error instanceof AppError) || error.status !== 404) throw error;
  throw invalidField(error.message.startsWith("Domain") ? "domain_id" : "target_email", error.message);
}

const ForcePage = () => (
  <AppLayout title="Force transfer">
    <p>
      The domain moves at once and for good to the oldest workspace that the account manages. Its owners of today are
      told, and cannot stop it.
    </p>
    <Form class="form" action="/app/admin/transfers">
      <Field name="domain_id" label="Id of the domain" maxlength={100} autocomplete="off" />
      <Field name="target_email" label="Email address of the account that gets it" maxlength={254} />
      <Check name="rotate_dkim" label="Make new DKIM keys" checked />
      <p>
        <Submit label="Move the domain" kind="danger" />
      </p>
    </Form>
  </AppLayout>
);
