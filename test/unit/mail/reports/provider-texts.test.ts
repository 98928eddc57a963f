import { describe, expect, it } from "vitest";
import { classifyFailure } from "../../../../src/mail/reports/classify.ts";
import { parseFeedback } from "../../../../src/mail/reports/parse.ts";
import { toReportOutcome } from "../../../../src/sending/feedback/to-outcome.ts";
import { fromDaemon, lines, original, report } from "../../../mail/reports/samples.ts";

const classify = (text: string, status: string | null = "5.0.0") => classifyFailure({ status, text, phase: null });

/** Returns recipient, verdict and diagnostic of each recipient of a mail. */
function read(mail: string) {
  const found = parseFeedback(new TextEncoder().encode(mail), true);
  if (found.kind !== "dsn" && found.kind !== "bounce") throw new Error(`a ${found.kind}`);
  return found.recipients.map((one) => ({
    recipient: one.recipient,
    suppress: toReportOutcome(one).suppress ?? null,
    says: one.diagnostic,
  }));
}

const textOf = (...body: string[]) => fromDaemon({ from: "Mailer <MAILER-DAEMON@relay.test>" }, ...body);

describe("a Google Groups text, which leaves open if the group exists", () => {
  it.each([
    [
      "English",
      "the group you tried to contact (g) may not exist, or you may not have permission to post messages to it.",
    ],
    [
      "Czech",
      "skupina, kterou se pokoušíte kontaktovat (g), možná neexistuje nebo nemáte oprávnění do ní posílat zprávy.",
    ],
    [
      "Polish",
      "Grupa, z którą próbujesz się skontaktować (g), nie istnieje albo nie masz uprawnień do publikowania w niej.",
    ],
    [
      "Dutch",
      "de groep waarmee u contact zoekt (g), bestaat niet of u heeft geen toestemming om er berichten te plaatsen.",
    ],
    [
      "Swedish",
      "gruppen som du försökte kontakta (g) finns inte, eller så har du inte behörighet att skicka meddelanden.",
    ],
    [
      "German",
      "Die Gruppe (g) existiert nicht oder Sie haben keine Berechtigung, Nachrichten an die Adresse zu senden.",
    ],
    ["French", "Ce groupe (g) n'existe pas, ou vous n'êtes pas autorisé à envoyer un message à cette adresse."],
    ["Spanish", "Es posible que no existe el grupo (g) o que no tengas permiso para publicar en él."],
    ["Italian", "Il gruppo (g) all'indirizzo non esiste o non hai l'autorizzazione a inviare messaggi."],
    [
      "Portuguese",
      "o grupo (g) não existe ou este endereço não existe para você: você não tem permissão para enviar mensagens.",
    ],
    ["Russian", "Группа не найдена: адрес (g) не существует, или у вас нет разрешения отправлять в нее сообщения."],
    ["Japanese", "グループのアドレス (g) が存在しません。または投稿する権限がありません。"],
  ])("is no dead address in %s", (_, text) => {
    for (const status of ["5.0.0", "5.1.1", null]) expect(classify(text, status)).toBe("other");
  });
});

describe("a refusal of RCPT that sendmail shows below DATA", () => {
  const transcript = (...replies: string[]) =>
    report({
      text: lines(
        "   ----- The following addresses had permanent fatal errors -----",
        "<bob@y.test>",
        "    (reason: 550 User unknown)",
        "",
        "   ----- Transcript of session follows -----",
        "... while talking to mx.y.test.:",
        ">>> DATA",
        ...replies,
      ),
      blocks: [
        "Reporting-MTA: dns; relay.test",
        lines(
          "Final-Recipient: RFC822; bob@y.test",
          "Action: failed",
          "Status: 5.1.1",
          "Diagnostic-Code: SMTP; 550 User unknown",
        ),
      ],
    });

  it.each([
    "<<< 503 5.0.0 Need RCPT (recipient)",
    "<<< 503 Need RCPT",
    "<<< 503 5.5.1 RCPT first (#5.5.1)",
    "<<< 503 valid RCPT command must precede DATA",
    "<<< 554 5.5.1 Error: no valid recipients",
    "<<< 503 5.5.2 Need Rcpt command.",
  ])("is one of RCPT when %s follows", (reply) => {
    const mail = transcript("<<< 550 User unknown", "550 5.1.1 <bob@y.test>... User unknown", reply);
    expect(read(mail)).toMatchObject([{ recipient: "bob@y.test", suppress: "bounce" }]);
  });

  it("stays one of DATA without it: the recipient's filter answers so", () => {
    const mail = transcript("<<< 550 User unknown", "554 5.0.0 Service unavailable");
    expect(read(mail)).toMatchObject([{ recipient: "bob@y.test", suppress: null }]);
  });
});

describe("only the reply is a reason", () => {
  it.each([
    "host mx.spamexperts.com[192.0.2.1] said: 550 5.1.1 <bob@y.test>: Recipient address rejected: User unknown",
    "host quota.blocked.example.net[192.0.2.1] said: 550 No such user here",
    "mx1.mailspamprotection.com #<mx1.mailspamprotection.com #5.1.1 smtp; 550 5.1.1 user unknown> #SMTP#",
    "550 5.1.1 No such user, see https://antispam.filter.example.org/help",
    "(spam-gw.example.net) 550 5.1.1 user unknown",
  ])("and no name of a host: %s", (text) => {
    expect(classify(text, "5.1.1")).toBe("address");
  });

  it.each([
    "550 5.1.1 <bob@y.test>: 192.0.2.1 found at zen.spamhaus.org",
    "550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized",
    "554 5.2.2 STOREDRV.Deliver.Exception:QuotaExceededException; user unknown",
  ])("but the names of block lists and the codes of Exchange are: %s", (text) => {
    expect(classify(text, "5.1.1")).toBe("other");
  });

  it.each([
    "------ This is a copy of the message, including all the headers. ------",
    "Below is a copy of the message header:",
    "The following is a copy of your message's header.",
    "Copy of the original message headers:",
  ])("and no line about the copied mail: %s", (line) => {
    const mail = textOf("bob@y.test", "550 No such user here", line, "", original("bob@y.test"));
    expect(read(mail)).toMatchObject([{ recipient: "bob@y.test", suppress: "bounce" }]);
  });

  it("and no copied header", () => {
    const mail = textOf(
      "Your message could not be delivered.",
      "<bob@y.test>: 550 No such user here",
      "X-Spam-Status: No, score=1.0",
      "Authentication-Results: mx.y.test; spf=pass; dmarc=fail",
      "Subject: Your mailbox is full",
      "List-Unsubscribe: <https://x.test/blocked>",
    );
    expect(read(mail)).toMatchObject([{ recipient: "bob@y.test", suppress: "bounce", says: "550 No such user here" }]);
  });

  it.each([
    "Please contact the postmaster if you think that this mail was blocked as spam.",
    "This server uses a spam filter and rejects mail of blacklisted senders.",
    "Mailboxes have a quota of 2 GB.",
  ])("and no neighbouring line: %s", (line) => {
    for (const body of [["<bob@y.test>:", "550 No such user here"], ["<bob@y.test>: 550 No such user here"]]) {
      const mail = textOf("Your message could not be delivered.", "", ...body, line, "");
      expect(read(mail)).toMatchObject([{ recipient: "bob@y.test", suppress: "bounce" }]);
    }
  });

  it("and no line below a reply that is longer than systems wrap lines", () => {
    const reply = `550 No such user here, ${"please check the address and ".repeat(4)}send the message to another one`;
    const mail = textOf("Your message could not be delivered.", "", "<bob@y.test>:", reply, "this host filters spam");
    expect(read(mail)).toMatchObject([{ recipient: "bob@y.test", suppress: "bounce" }]);
  });

  it("while a reply of several lines counts as a whole", () => {
    const mail = textOf(
      "Your message could not be delivered.",
      "",
      "<bob@y.test>: host mx.y.test[192.0.2.1] said: 550-5.1.1 The user is",
      "    unknown or the mailbox of this user is over its",
      "    quota (in reply to RCPT TO command)",
    );
    expect(read(mail)).toMatchObject([{ suppress: null }]);
  });
});

describe("a reply of a provider", () => {
  it.each([
    ["Yandex", "5.7.1", "550 5.7.1 No such user!"],
    [
      "Yandex, in its report",
      "5.7.1",
      "host mx.yandex.test[192.0.2.1] said: 550 5.7.1 No such user! (in reply to RCPT TO command)",
    ],
    ["Free", "5.2.1", "550 5.2.1 This mailbox has been blocked due to inactivity (in reply to RCPT TO command)"],
    [
      "QQ, after DATA",
      "5.0.0",
      "550 The recipient may contain a non-existent account, please check the recipient address. (in reply to end of DATA command)",
    ],
    [
      "Postfix with a policy code",
      "5.7.1",
      "550 5.7.1 <bob@y.test>: Recipient address rejected: User unknown in relay recipient table",
    ],
  ])("says that the address is dead: %s", (_, status, text) => {
    expect(classify(text, status)).toBe("address");
    expect(classify(text, null)).toBe("address");
  });

  it.each([
    ["5.7.1", "550 5.7.1 Relaying denied, no such user"],
    ["5.7.1", "550 5.7.1 <bob@y.test>: Recipient address rejected: Access denied"],
    ["5.7.1", "550 5.7.1 mailbox unavailable"],
    ["5.7.1", "550 5.7.1 Blocked due to bad reputation"],
  ])("says no such thing by %s: %s", (status, text) => {
    expect(classify(text, status)).toBe("other");
  });

  it.each([
    ["4.0.0", "DNS Error: DNS type 'mx' lookup of y.test responded with code NXDOMAIN"],
    [
      "4.0.0",
      "DNS Error: 12345678 DNS type 'mx' lookup of y.test responded with code NXDOMAIN Domain name not found: y.test Try again later",
    ],
    ["5.1.2", "The domain y.test couldn't be found. Check for typos or unnecessary spaces and try again."],
    [
      "5.1.10",
      "The domain y.test doesn't receive email according to the administrator: returned Null MX https://www.rfc-editor.org/info/rfc7505",
    ],
    [null, "Recipient domain y.test has a Null MX record"],
  ])("says that the domain is the reason by %s: %s", (status, text) => {
    expect(classify(text, status)).toBe("domain");
  });

  it.each([
    ["5.4.312", "550 5.4.312 Message expired, DNS query failed(ServerFailure)"],
    ["5.4.312", "550 5.4.312 Message expired, DNS query failed(ErrorRetry)"],
    [
      "5.4.4",
      "Host or domain name not found. Name service error for name=y.test type=MX: Malformed or unexpected name server reply",
    ],
    ["5.4.4", "Unable to look up host y.test: SERVFAIL"],
    ["4.4.3", "DNS Error: DNS type 'mx' lookup of y.test responded with code SERVFAIL"],
    ["5.1.2", "550 5.1.2 host unknown (Name server: y.test: temporary failure in name resolution)"],
  ])("reports a temporary error of DNS, which says nothing about the domain, by %s: %s", (status, text) => {
    expect(classify(text, status)).toBe("other");
  });
});

describe("a list of recipients without empty lines", () => {
  const GMX = [
    "This message was created automatically by mail delivery software.",
    "",
    "A message that you sent could not be delivered to one or more of",
    "its recipients. This is a permanent error. The following address(es)",
    "failed:",
  ];

  it("is read recipient by recipient (GMX)", () => {
    const mail = textOf(
      ...GMX,
      "bob@y.test:",
      "SMTP error from remote server for RCPT TO command, host: mx.y.test (192.0.2.1) reason: 550-5.1.1 The email account",
      " that you tried to reach does not exist.",
      "carol@y.test:",
      "SMTP error from remote server for TEXT command, host: mx.y.test (192.0.2.1) reason: 550 user unknown",
      "dave@y.test:",
      "SMTP error from remote server for RCPT TO command, host: mx.y.test (192.0.2.1) reason: 552 mailbox is full",
      "--- The header of the original message is following. ---",
      original("bob@y.test"),
    );
    expect(read(mail)).toMatchObject([
      { recipient: "bob@y.test", suppress: "bounce" },
      { recipient: "carol@y.test", suppress: null },
      { recipient: "dave@y.test", suppress: null },
    ]);
  });

  it("with addresses in quotes", () => {
    const mail = textOf(
      ...GMX,
      '"bob@y.test":',
      "SMTP error from remote server after RCPT command:",
      "host: mx.y.test",
      "5.1.1 <bob@y.test> is not a valid mailbox",
      '"carol@y.test":',
      "SMTP error from remote server after transfer of mail text:",
      "host: mx.y.test",
      "550 user unknown",
    );
    expect(read(mail)).toMatchObject([
      { recipient: "bob@y.test", suppress: "bounce" },
      { recipient: "carol@y.test", suppress: null },
    ]);
  });

  it("in the fields of a report: each field belongs to the recipient above it", () => {
    const mail = report({
      blocks: [
        lines(
          "Reporting-MTA: dns; relay.test",
          "Original-Recipient: rfc822; bob@y.test",
          "Final-Recipient: rfc822; bob@y.test",
          "Action: failed",
          "Status: 5.0.0",
          "Diagnostic-Code: smtp; 550 No such user here",
          "Original-Recipient: rfc822; carol@y.test",
          "Final-Recipient: rfc822; carol@y.test",
          "Action: failed",
          "Status: 5.0.0",
        ),
      ],
    });
    expect(read(mail)).toEqual([
      { recipient: "bob@y.test", suppress: "bounce", says: "550 No such user here" },
      { recipient: "carol@y.test", suppress: null, says: null },
    ]);
  });
});
