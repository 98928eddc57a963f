import { ButtonLink, Code, Document, files, Mark, useViewer } from "../../http/ui/index.ts";

/** Text for people, and for programs that show a link to the page. */
const SUMMARY =
  "Send email by REST or SMTP, run newsletters and automations, and host mailboxes with webmail and IMAP.";

/** Pictures of the example shop, taken by `npm run pictures`. */
const PICTURES = [
  {
    file: "dashboard-home",
    text: "The last days at a glance: what was delivered, what bounced, and what the refusing server said.",
  },
  {
    file: "broadcast-results",
    text: "Broadcasts test two subjects on a sample and send the better one to everyone else.",
  },
  { file: "inbox", text: "Answers arrive in mailboxes, which a team reads in webmail or in a mail program." },
] as const;

const firstCall = (origin: string) => `curl ${origin}/v1/emails/ \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"from_": {"email": "hello@shop.example"},
       "to": [{"email": "grace@example.org"}],
       "subject": "Your order has left", "text": "It arrives on Friday."}'`;

/** The page at the root of the service. */
export function FrontPage() {
  const { service, origin } = useViewer();
  return (
    <Document title={service} of={SUMMARY} description={SUMMARY} styles={[files.frontStyle]} kind="front">
      <header class="bar">
        <Mark />
        <strong class="who">{service}</strong>
        <nav aria-label="Main">
          <a href="/docs">Documentation</a>
          <a href="/status">Status</a>
          <a href="/mail">Webmail</a>
          <a href="/app">Sign in</a>
        </nav>
      </header>
      <main id="main">
        <section class="lead">
          <div>
            <h1>{SUMMARY}</h1>
            <p class="soft">
              Every email is signed with DKIM, delivered from a queue, and followed until it is delivered, bounced or
              answered.
            </p>
            <p class="actions">
              <ButtonLink to="/docs/guides/first-email" label="Send a first email" kind="main" />
              <ButtonLink to="/app" label="Sign in" kind="quiet" />
            </p>
          </div>
          <Code label="The first call" text={firstCall(origin)} />
        </section>
        {PICTURES.map(({ file, text }) => (
          <figure>
            <figcaption>{text}</figcaption>
            <img src={`/pictures/${file}.png`} alt="" width="1280" height="720" loading="lazy" />
          </figure>
        ))}
      </main>
    </Document>
  );
}
