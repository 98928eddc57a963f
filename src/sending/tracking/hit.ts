import * as z from "zod";
import { isUuid } from "../../lib/ids.ts";

const uuid = z.string().refine(isUuid);

/** A message of the queue `hits`. `type` carries the version. */
const HitMessage = z
  .object({
    type: z.literal("hit.v1"),
    id: uuid,
    kind: z.enum(["open", "click"]),
    /** The workspace's number. */
    workspace: z.int(),
    email: uuid,
    /** Index of the recipient. Null when several recipients got the same message. */
    recipient: z.int().nullable(),
    /** Milliseconds since 1970. */
    at: z.int(),
    /** Target of a click. */
    url: z.string().optional(),
    /** User agent. */
    ua: z.string(),
    ip: z.string(),
    /** The Sec-Purpose header, when the request had one. */
    purpose: z.string().optional(),
    /** Name of the client's autonomous system, when it is known. */
    network: z.string().optional(),
  })
  .refine(({ kind, url }) => (url === undefined) === (kind === "open"));
export type HitMessage = z.output<typeof HitMessage>;

/** Returns whether a queue message is a hit of a version that this Worker supports. */
export const isHitMessage = (body: unknown): body is HitMessage => HitMessage.safeParse(body).success;
