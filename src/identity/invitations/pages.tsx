import { ButtonLine, Form, Layout } from "../../http/ui/index.ts";
import type { Invitation } from "./queries.ts";

/** The page of an invitation link. Only its button accepts the invitation. */
export const invitationPage = ({ email, role, workspace, invitedBy }: Invitation) => (
  <Layout title={`Invitation to ${workspace.name}`}>
    <p>
      <strong>{invitedBy}</strong> invites <strong>{email}</strong> to the workspace <strong>{workspace.name}</strong>{" "}
      as {role === "member" ? "a member" : `an ${role}`}.
    </p>
    <Form>
      <button type="submit" class="wide">
        Join as {email}
      </button>
    </Form>
  </Layout>
);

/** The page of a link that does not work, or no longer. */
export const invalidInvitationPage = () => (
  <Layout title="This invitation does not work">
    <p>It was used, withdrawn or replaced by a newer one, or it is older than 7 days.</p>
    <ButtonLine to="/auth/sign-in" label="Sign in" />
  </Layout>
);
