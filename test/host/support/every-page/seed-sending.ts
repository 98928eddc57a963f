import { toBlock, toBlocksJson } from "../../../../src/sending/templates/blocks/blocks.ts";
import { eventually } from "../gateway-rig.ts";
import type { Site } from "../pages.ts";
import { ADDRESS, PERSON, SUBJECT, WORD } from "./names.ts";

/** Content of templates and broadcasts. */
const HTML = `<h1>Thank you</h1><p>Hello {{name}}, <a href="https://shop.example/orders/20391">follow your parcel</a>.</p>`;
export const BLOCKS = toBlocksJson([
  toBlock("heading", { text: "Thank you" }),
  toBlock("text", { text: "Hello {{name}}" }),
  toBlock("columns", { text: "Green tea", rightText: "Black tea" }),
  toBlock("divider", {}),
  toBlock("button", { text: "Follow your parcel", url: "https://shop.example/orders/20391" }),
]);
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
        html: HTML.replace("{{name}}", PERSON),
        text: "Thank you",
        tags: ["receipt", "order"],
      },
      ...{ tracking: { opens: true, clicks: true }, ...more },
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
  const byBlocks = await call("POST", "/v1/templates/", { ...content, name: "Welcome", blocks_json: BLOCKS });
  const broadcast = (name: string) =>
    call("POST", "/v1/broadcasts/", { name, from_address: workspace.mailbox, contact_list_id: list, ...content });
  const [draft, sent] = await Promise.all([broadcast(`Autumn harvest ${WORD}`), broadcast("November news")]);
  const variant = await compare(call, draft.id);
  const winner = await compare(call, sent.id);
  const winning = { metric: "clicks", after_hours: 24 };
  await call("PATCH", `/v1/broadcasts/${sent.id}`, { ab_test_pct: 50, ab_auto_promote: winning });
  const local = await call("POST", "/v1/broadcasts/", {
    ...{ name: "Winter news", from_address: workspace.mailbox, contact_list_id: list, ...content },
    ...{ scheduled_at: new Date(ctx.now() + 7 * DAY_MS).toISOString(), local_time_field: "timezone" },
  });
  const drafted = await call("POST", "/v1/broadcasts/", {
    ...{ name: `Welcome ${WORD}`, from_address: workspace.mailbox, ...content, blocks_json: BLOCKS },
  });
  for (const [person, reason] of ["unsubscribe", "bounce", "complaint"].entries())
    await call("POST", "/v1/suppressions/", { email: `person${person + 3}@example.org`, reason });
  await call("POST", `/v1/broadcasts/${sent.id}/send`);
  await eventually(async () => {
    const { meta } = await mailDb
      .prepare(
        `UPDATE broadcast_counts AS c SET opened = delivered - 1, clicked = iif(v.label = 'A', delivered - 1, 0) FROM broadcast_variants v
           JOIN broadcasts b ON b.n = v.broadcast WHERE b.id = ?1 AND v.broadcast = c.broadcast AND v.n = c.variant
           AND c.queued > 0 AND c.delivered + c.bounced + c.failed + c.cancelled = c.queued`,
      )
      .bind(sent.id)
      .run();
    return meta.changes === 2 || undefined;
  });
  await eventually(async () => {
    const { status } = await call<{ status: string }>("GET", `/v1/emails/${bounced?.id}`);
    return status === "bounced" || undefined;
  });
  return {
    ...{ email_id: delivered?.id, "email_id.bounced": bounced?.id, "email_id.scheduled": scheduled?.id },
    ...{ template_id: template.id, "template_id.blocks": byBlocks.id },
    ...{
      broadcast_id: draft.id,
      "broadcast_id.sent": sent.id,
      "broadcast_id.local": local.id,
      "broadcast_id.blocks": drafted.id,
      variant_id: variant,
      "variant_id.sent": winner,
    },
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
