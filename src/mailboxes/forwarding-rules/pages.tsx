import { Form, Layout, TextPage } from "../../http/ui/index.ts";
import type { ForwardRequest } from "./confirm.ts";

/** The page of a link to confirm an address. Only its button confirms it. */
export const forwardRequestPage = ({ name, email }: ForwardRequest) => (
  <Layout title="Receive forwarded mail?">
    <p>
      The workspace <strong>{name}</strong> wants to forward mail to <strong>{email}</strong>.
    </p>
    <Form>
      <button type="submit" class="wide">
        Forward mail to {email}
      </button>
    </Form>
  </Layout>
);

/** The page after the confirmation. */
export const forwardConfirmedPage = ({ name, email }: ForwardRequest) => (
  <Layout title="Mail is forwarded">
    <p>
      The workspace <strong>{name}</strong> may forward mail to <strong>{email}</strong> from now on.
    </p>
  </Layout>
);

/** The page of a link that does not work, or no longer. */
export const invalidForwardPage = () => (
  <TextPage of={() => ["This link does not work", "It was used, or it is older than 7 days."]} />
);
