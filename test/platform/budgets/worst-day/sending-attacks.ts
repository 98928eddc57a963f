import { multipart } from "../../../audience/contacts/csv-support.ts";
import { database } from "../../../support/databases.ts";
import { runOutboxAt } from "../../../support/run-outbox-at.ts";
import { aMail, type TestWorkspace } from "../../../support/workspace.ts";
import { type Attack, anAddress, posting, textOf } from "./attack.ts";

/** Greatest html and attachments of an email, in bytes; the rest of the body has some room. */
const HTML_BYTES = 4_999_000;
const FILE_BYTES = 24 * 1024 * 1024 - 1_000;
/** Greatest body of a template, with room for its other fields. */
const TEMPLATE_BYTES = 1_850_000;
/** An email of a batch of 500 within 40 MB. */
const BATCHED_BYTES = 60_000;
const BATCH = 500;
/** A text with which a response is just small enough for the row of its key. */
const RESPONSE_BYTES = 15_500;
/** Rows of a CSV file that is not too slow for a test; a file may have 100,000. */
const CSV_ROWS = 10_000;

const recipients = () => Array.from({ length: 50 }, (_, n) => ({ email: `delivered+${n}@simulator.test` }));
const deliver = () => runOutboxAt(Date.now());
const aLargeMail = (attacker: TestWorkspace) => {
  const file = {
    filename: "a.bin",
    content_type: "application/octet-stream",
    content_base64: btoa("x".repeat(FILE_BYTES)),
  };
  return aMail(attacker, { to: recipients(), html: textOf(HTML_BYTES), text: undefined, attachments: [file] });
};
const aBatch = (attacker: TestWorkspace) =>
  Array.from({ length: BATCH }, () => aMail(attacker, { to: recipients().slice(0, 1), text: textOf(BATCHED_BYTES) }));

const aResendMail = ({ mailbox }: TestWorkspace, text = textOf(1_000_000)) => ({
  ...{ from: mailbox, to: recipients().map(({ email }) => email), subject: textOf(998), text },
});
const aTemplate = () => ({ name: textOf(200), subject: textOf(998), html_body: textOf(TEMPLATE_BYTES) });

/** Returns a CSV file of addresses. */
export const csvOf = (header: string, row: () => string) =>
  multipart([header, ...Array.from({ length: CSV_ROWS }, row)].join("\n"));

/** Returns an attack that leaves nothing but the response of a creation, which is stored under its key. */
const storedResponses = (way: string, body: () => object, calls?: number): Attack => ({
  operation: "DELETE /v1/templates/:template_id",
  way: `of a new one with an Idempotency-Key ${way}`,
  requests: 2,
  ...(calls === undefined ? {} : { calls }),
  prepare: async (attacker) => async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const { id } = await attacker.create("/v1/templates/", body(), headers);
    return attacker.call("DELETE", `/v1/templates/${id}`);
  },
});

/** Attacks by emails and by what they are made of. */
export const sendingAttacks: readonly Attack[] = [
  posting("POST /v1/emails/", aLargeMail, { way: "as large as possible", calls: 3, finish: deliver }),
  posting(
    "POST /v1/emails/",
    (attacker) => aMail(attacker, { to: recipients(), subject: textOf(998), text: textOf(15_000) }),
    { way: "in its row", finish: deliver },
  ),
  {
    operation: "POST /v1/emails/",
    way: "with a daily limit",
    prepare: async (attacker) => {
      await database.run("UPDATE workspaces SET daily_limit = 5 WHERE id = ?1", [attacker.workspaceId]);
      return () => attacker.post("/v1/emails/", aMail(attacker));
    },
  },
  posting("POST /v1/emails/batch", aBatch, { calls: 3, finish: deliver }),
  posting("POST /compat/resend/emails", (attacker) => aResendMail(attacker), { calls: 12, finish: deliver }),
  posting(
    "POST /compat/resend/emails/batch",
    (attacker) => Array.from({ length: 100 }, () => aResendMail(attacker, textOf(9_000))),
    {
      ...{ calls: 4, finish: deliver },
    },
  ),
  posting("POST /v1/templates/", aTemplate, { calls: 60 }),
  storedResponses("whose response its row has", () => ({ name: "t", text_body: textOf(RESPONSE_BYTES) })),
  storedResponses("whose response is an object", aTemplate, 12),
  {
    operation: "POST /v1/templates/:template_id/duplicate",
    calls: 60,
    prepare: async (attacker) => {
      const { id } = await attacker.create("/v1/templates/", { ...aTemplate(), name: "t" });
      return () => attacker.post(`/v1/templates/${id}/duplicate`, undefined);
    },
  },
  posting("POST /v1/topics/", () => ({ name: textOf(200), description: textOf(1_000) }), { budgets: { topics: 6 } }),
  posting("POST /v1/suppressions/", () => ({ email: `${"s".repeat(27)}${anAddress()}` })),
  {
    operation: "POST /v1/suppressions/import",
    calls: 4,
    prepare: async (attacker) => () => {
      const { body, headers } = csvOf("email", anAddress);
      return attacker.call("POST", "/v1/suppressions/import", body, headers);
    },
  },
];
