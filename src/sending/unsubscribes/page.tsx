import { Layout } from "../../http/ui/index.ts";

/** Returns the page with the unsubscribe button. Loading it changes nothing: link scanners load it too (RFC 8058 3.1). */
export const confirmPage = () => (
  <Layout title="Unsubscribe?">
    <p>This sender will send no more mailings to your address.</p>
    <form method="post">
      <button type="submit">Unsubscribe</button>
    </form>
  </Layout>
);

export const donePage = () => (
  <Layout title="You are unsubscribed">
    <p>This sender will send no more mailings to your address.</p>
  </Layout>
);

export const invalidLinkPage = () => (
  <Layout title="This link does not work">
    <p>The link is incomplete, or the email is too old.</p>
  </Layout>
);
