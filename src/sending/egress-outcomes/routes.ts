import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { readFields } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { readVolume, saveWarmUp } from "../receivers/index.ts";
import { MAX_OUTCOMES, recordOutcomes } from "./record.ts";
import { MAX_LEASES, renewLeases } from "./renew-leases.ts";

const text = (max: number) => z.string().max(max);
const ticket = text(100);
const reply = z.object({
  code: z.number().int().min(200).max(599),
  enhanced: text(16).nullable(),
  text: text(512),
});
const route = { relay: text(255).optional(), receiver: text(255).optional() };
const phases = ["connect", "tls", "greeting", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "final-dot"] as const;

/** The times of UUIDs have 48 bits (RFC 9562 5.7): the id of an event has this one. */
const MAX_TIME = 2 ** 48 - 1;
const at = z.number().int().min(0).max(MAX_TIME).optional();
const result = z.discriminatedUnion("kind", [
  z.object({ at, kind: z.literal("held") }),
  z.object({ at, kind: z.literal("accepted"), reply, ...route }),
  z.object({ at, kind: z.literal("recipient-refused"), phase: z.literal("rcpt"), reply, ...route }),
  z.object({ at, kind: z.literal("message-refused"), phase: z.enum(["mail", "data", "final-dot"]), reply, ...route }),
  z.object({
    at,
    kind: z.literal("deferred"),
    phase: z.enum(phases),
    reply: reply.nullable(),
    reason: text(1_000),
    ...route,
  }),
  z.object({
    at,
    kind: z.literal("ambiguous"),
    phase: z.literal("final-dot"),
    reply: z.null(),
    reason: text(1_000),
    ...route,
  }),
  z.object({
    at,
    kind: z.literal("paced"),
    receiver: text(255),
    label: text(255),
    seconds: z.number().int().min(0).max(432_000),
    reason: text(1_000),
  }),
  z.object({ at, kind: z.literal("returned"), reason: text(1_000) }),
]);

const OutcomesIn = z.object({
  /** The source address of the egress. */
  address: text(100),
  outcomes: z
    .array(
      z.object({
        ticket,
        recipients: z
          .array(z.object({ address: text(1_000), result }))
          .min(1)
          .max(50),
      }),
    )
    .min(1)
    .max(MAX_OUTCOMES),
});
/** Bytes of a body: 100 outcomes of one recipient with the longest replies. An egress sends fewer of more recipients. */
const MAX_BYTES = 262_144;
const VolumeIn = z.object({
  address: text(100),
  /** Without it nothing is kept of the warm-up: an egress of an earlier version does not tell it. */
  name: text(255).optional(),
  warm_up: z
    .object({ since: z.number().int().min(0).nullable() })
    .nullable()
    .optional(),
});
const LeasesIn = z.object({ tickets: z.array(ticket).min(1).max(MAX_LEASES) });

/** The calls of an egress that holds emails under the leases of their outbox rows (docs/egress.md). */
export const egressOutcomeRoutes = newRoutes()
  .post("/gateway/outcomes", needs("gateway"), async (c) => {
    const { address, outcomes } = await readFields(c, OutcomesIn, MAX_BYTES);
    return c.json({ reply: null, ...(await recordOutcomes(c.get("ctx"), address, outcomes)) });
  })
  .post("/gateway/leases", needs("gateway"), async (c) => {
    const { tickets } = await readFields(c, LeasesIn);
    return c.json({ reply: null, ...(await renewLeases(c.get("ctx"), tickets)) });
  })
  .post("/gateway/volume", needs("gateway"), async (c) => {
    const { address, name, warm_up: warmUp } = await readFields(c, VolumeIn);
    const ctx = c.get("ctx");
    if (name !== undefined && warmUp !== undefined) await saveWarmUp(ctx, { address, name, warmUp });
    return c.json({ reply: null, receivers: warmUp === null ? [] : await readVolume(ctx, address) });
  });
