import { Layout } from "../../http/ui/index.ts";

/** The page at the root of the service. It leads to the reference, the dashboard and webmail. */
export const StartPage = () => (
  <Layout title="Email delivery service">
    <p>Sends official email over a REST API and SMTP, and reports the delivery of every recipient.</p>
    <div class="stack">
      <a class="button wide" href="/app">
        Open the dashboard
      </a>
      <a class="button quiet wide" href="/docs">
        Read the API reference
      </a>
      <a class="button quiet wide" href="/mail">
        Open a mailbox
      </a>
    </div>
  </Layout>
);
