import { AppLayout, Check, Field, Form, Submit } from "../../../http/ui/index.ts";

/** The form that moves a domain of any workspace to another account, at once. */
export const ForcePage = () => (
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
