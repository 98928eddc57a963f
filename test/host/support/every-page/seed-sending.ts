import { eventually } from "../gateway-rig.ts";
import type { Site } from "../pages.ts";
import { ADDRESS, PERSON, SUBJECT, WORD } from "./names.ts";

const HTML = `<h1>Thank you</h1><p>Hello {{name}}, <a href="https://shop.example/orders/20391">follow your parcel</a>.</p>`;
const DAY_MS = 86_400_000;

/** Sends emails that end in each way, and creates templates, a broadcast that waits and one that was sent. Returns their ids. */
export async function seedSending({ call, workspace, mailDb, ctx }: Site, list: string) {
  const from_ = { email: workspace.mailbox, name: "The shop" };
  const email = (to: string, subject: string, more: object = {}) =>
    call("POST", "/v1/emails/", {
      ...{
        from_,
        to: [{ email: to, name: PERSON }],
        subject,
        html: HTML,
        text: "Thank you",
        tags: ["receipt", "order"],
      },
      ...{ variables: { name: PERSON }, tracking: { opens: true, clicks: true }, ...more },
    });
  const [delivered, bounced, , , , scheduled] = await Promise.all([
    email("delivered@simulator.test", "Your receipt for order 20391"),
    email("bounced+katharina-elisabeth.schoeneberger-mueller@simulator.test", SUBJECT),
    email("complained@simulator.test", "Our offer of the week"),
    email("deferred@simulator.test", "Reset your password"),
    email(ADDRESS, "Your order is on its way", { cc: [{ email: "bounced@simulator.test" }] }),
    email(ADDRESS, SUBJECT, { send_at: new Date(ctx.now() + DAY_MS).toISOString() }),
    ...Array.from({ length: 20 }, (_, n) =>
      email(`delivered+${n}@simulator.test`, `Your receipt for order ${20_400 + n}`),
    ),
  ]);
  const content = { subject: "{{name}}, the autumn harvest has arrived", html_body: HTML };
  const template = await call("POST", "/v1/templates/", { name: "Receipt", ...content });
  await call("POST", "/v1/templates/", { name: WORD, ...content });
  const blocks = [
    { type: "heading", text: "Thank you", url: "" },
    { type: "text", text: "Hello {{name}}", url: "" },
  ];
  const byBlocks = await call("POST", "/v1/templates/", {
    name: "Welcome",
    subject: "Welcome",
    blocks_json: { version: 1, blocks },
  });
  const broadcast = (name: string) =>
    call("POST", "/v1/broadcasts/", { name, from_address: workspace.mailbox, contact_list_id: list, ...content });
  const [draft, sent] = await Promise.all([broadcast(`Autumn harvest ${WORD}`), broadcast("November news")]);
  const variant = await compare(call, draft.id);
  const winner = await compare(call, sent.id);
  await call("PATCH", `/v1/broadcasts/${sent.id}`, { ab_test_pct: 50 });
  await call("POST", `/v1/broadcasts/${sent.id}/send`);
  await mailDb
    .prepare(
      `INSERT OR REPLACE INTO broadcast_counts (broadcast, variant, workspace, queued, attempted, delivered, clicked)
       SELECT v.broadcast, v.n, v.workspace, 500, 500, 490, iif(v.label = 'A', 90, 30) FROM broadcast_variants v
         JOIN broadcasts b ON b.n = v.broadcast WHERE b.id = ?1`,
    )
    .bind(sent.id)
    .run();
  await eventually(async () => {
    const { status } = await call<{ status: string }>("GET", `/v1/emails/${bounced?.id}`);
    return status === "bounced" || undefined;
  });
  return {
    ...{ email_id: delivered?.id, "email_id.bounced": bounced?.id, "email_id.scheduled": scheduled?.id },
    ...{ template_id: template.id, "template_id.blocks": byBlocks.id },
    ...{ broadcast_id: draft.id, "broadcast_id.sent": sent.id, variant_id: variant, "variant_id.sent": winner },
  };
}

/** Gives a broadcast two variants, and returns the id of the second. */
async function compare(call: Site["call"], broadcast: string): Promise<string> {
  await call("POST", `/v1/broadcasts/${broadcast}/variants`, {
    label: "A",
    subject: "{{name}}, your tea shelf called",
  });
  return (await call("POST", `/v1/broadcasts/${broadcast}/variants`, { label: "B", subject: SUBJECT })).id;
}
