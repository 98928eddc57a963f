import { HOUR_MS } from "../../src/lib/time.ts";
import type { RecipientResult } from "../../src/mail/smtp/transport.ts";
import { receiveMail } from "../../src/mailboxes/inbound/index.ts";
import { sendEmail } from "../../src/sending/emails/index.ts";
import { addSuppression, SuppressionIn } from "../../src/sending/suppressions/index.ts";
import { type Kind, requestOf } from "./emails.ts";
import { gone } from "./people.ts";
import { reply } from "./scripted-egress.ts";
import { SHOP, type Shop, timeOf } from "./shop.ts";

const refused = (code: number, dsn: string, text: string): RecipientResult => ({
  kind: "recipient-refused",
  phase: "rcpt",
  reply: reply(code, dsn, text),
});
const deferred = (code: number, dsn: string, text: string): RecipientResult => ({
  kind: "deferred",
  phase: "rcpt",
  reason: "the server refused the recipient for now",
  reply: reply(code, dsn, text),
});
const confirmedLater: RecipientResult = {
  kind: "accepted",
  dsnRequested: true,
  reply: reply(250, "2.0.0", "Ok: queued as 4F2A1B77C0"),
};

interface Trouble {
  name: string;
  email: string;
  kind: Kind;
  /** Hours before the end of the history. */
  hoursAgo: number;
  resultOf?: (attempt: number) => RecipientResult;
}

/** Emails that do not simply arrive. The last domain of each is one where npm start fails in the same way. */
const TROUBLES: readonly Trouble[] = [
  {
    name: "Elin Sandgren",
    email: "elin.sandgren@post.test",
    kind: "receipt",
    hoursAgo: 5.4,
    resultOf: () =>
      refused(
        550,
        "5.1.1",
        "<elin.sandgren@post.test>: Recipient address rejected: User unknown in local recipient table",
      ),
  },
  {
    name: "Ulla-Britt Wachtmeister",
    email: "ulla-britt@kontor.test",
    kind: "shipping",
    hoursAgo: 52,
    resultOf: () => refused(550, "5.1.1", "The email account that you tried to reach does not exist"),
  },
  {
    name: "Gustav Ekman",
    email: "gustav.ekman@inbox.test",
    kind: "receipt",
    hoursAgo: 99,
    resultOf: () => refused(552, "5.2.2", "The recipient's mailbox is over its storage limit"),
  },
  {
    name: "IT of Nordkontor",
    email: "it@nordkontor.test",
    kind: "password",
    hoursAgo: 30,
    resultOf: () => ({
      kind: "message-refused",
      phase: "final-dot",
      reply: reply(554, "5.7.1", "Message rejected as spam by the policy of nordkontor.test"),
    }),
  },
  {
    name: "Old Harbour Hotel",
    email: "reception@old-harbour.test",
    kind: "shipping",
    hoursAgo: 120,
    resultOf: () => deferred(451, "4.4.1", "Connection to the storage timed out, try again later"),
  },
  {
    name: "Café Pelikan",
    email: "pelikan@blocked.test",
    kind: "receipt",
    hoursAgo: 0.3,
    resultOf: () => deferred(451, "4.7.1", "Too many messages from your network, try again later"),
  },
  {
    name: "Saga Lund",
    email: "saga.lund@greylist.test",
    kind: "receipt",
    hoursAgo: 76,
    resultOf: (attempt) =>
      attempt > 1
        ? { ...confirmedLater, dsnRequested: false }
        : deferred(451, "4.7.1", "Greylisted, please try again in 60 seconds"),
  },
  {
    name: "Bookkeeping",
    email: "accounts@kontor.test",
    kind: "receipt",
    hoursAgo: 1.2,
    resultOf: () => confirmedLater,
  },
];

/** Plans the emails that bounce, are deferred, fail, are refused as spam, or wait for a confirmation. */
export function planTroubles(shop: Shop, ids: Record<Kind, string>): void {
  const { past, caller, end } = shop;
  for (const { email } of gone)
    past.egress.script(email, () => refused(550, "5.1.1", "User unknown; the account was closed"));
  for (const [index, { resultOf, hoursAgo, kind, ...to }] of TROUBLES.entries()) {
    if (resultOf) past.egress.script(to.email, resultOf);
    past.plan(end - hoursAgo * HOUR_MS, () => sendEmail(caller, requestOf(ids, kind, to, 20_500 + index), "api"));
  }
}

/** Plans a complaint about spam, an email to a suppressed address, and a bounce that arrives an hour after the email was accepted. */
export function planReports(shop: Shop, ids: Record<Kind, string>): void {
  const { past, caller } = shop;
  const send = (name: string, email: string, order: number) =>
    sendEmail(caller, requestOf(ids, "shipping", { name, email }, order), "api");
  const report = (about: string, raw: (returnPath: string) => string) => () =>
    receive(shop, past.egress.returnPaths.get(about) ?? "", raw);
  const [complainer, moved, late] = ["rolf.lund@example.net", "moved-away@example.org", "petra.vidal@kontor.test"];
  past.egress.script(late, () => confirmedLater);
  past.plan(timeOf(shop, 6, 9), () => send("Rolf Lund", complainer, 20_604));
  past.plan(
    timeOf(shop, 6, 15),
    report(complainer, (path) => complaintOf(complainer, path)),
  );
  past.plan(timeOf(shop, 3, 10), async () => addSuppression(caller, SuppressionIn.parse({ email: moved })));
  past.plan(timeOf(shop, 9, 11.3), () => send("Vera Palm", moved, 20_611));
  past.plan(timeOf(shop, 10, 12), () => send("Petra Vidal", late, 20_619));
  past.plan(
    timeOf(shop, 10, 13),
    report(late, (path) => bounceOf(late, path)),
  );
}

async function receive({ past }: Shop, to: string, write: (returnPath: string) => string): Promise<void> {
  const bytes = new TextEncoder().encode(write(to).replaceAll("\n", "\r\n"));
  async function* raw() {
    yield bytes;
  }
  const result = await receiveMail(past.ctx, { from: "", to, raw: raw(), size: bytes.length, authentication: null });
  if (!result.accepted) throw new Error(`a report was refused: ${result.reply}`);
}

const bounceOf = (recipient: string, returnPath: string) => `From: Mail Delivery System <mailer-daemon@kontor.test>
To: ${returnPath}
Subject: Undelivered Mail Returned to Sender
Message-ID: <late-bounce@kontor.test>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="report"

--report
Content-Type: text/plain; charset=us-ascii

Your message could not be delivered to ${recipient}.

--report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.kontor.test

Final-Recipient: rfc822; ${recipient}
Action: failed
Status: 5.1.1
Remote-MTA: dns; mailstore.kontor.test
Diagnostic-Code: smtp; 550 5.1.1 <${recipient}>: mailbox was closed by its owner

--report--
`;

const complaintOf = (recipient: string, returnPath: string) => `From: feedback@example.net
To: ${returnPath}
Subject: Complaint about a message from ${SHOP.domain}
Message-ID: <complaint@example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="report"

--report
Content-Type: text/plain; charset=us-ascii

A user marked this message as spam.

--report
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: Example-FBL/1.0
Version: 1
Original-Mail-From: <${returnPath}>
Original-Rcpt-To: <${recipient}>

--report
Content-Type: text/rfc822-headers

From: orders@${SHOP.domain}
Subject: Your order is on its way

--report--
`;
