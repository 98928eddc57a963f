import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { checkName } from "../../lib/text-fields.ts";
import type { AppPasswordRow } from "./queries.ts";

/** Request and response schemas of app passwords. */

export const MAX_NAME_CHARACTERS = 100;

export const AppPasswordIn = z
  .object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(MAX_NAME_CHARACTERS)
      .superRefine(checkName)
      .describe("The program or device that uses it. Without control and invisible characters."),
  })
  .meta(named("AppPasswordCreate", { name: "Thunderbird on the laptop" }));
export type AppPasswordIn = z.output<typeof AppPasswordIn>;

/** The form of webmail: a session of the mailbox, which the API does not take here, needs the current password. */
export const AppPasswordForm = AppPasswordIn.extend({ current: z.string().max(256).optional() });
export type AppPasswordForm = z.output<typeof AppPasswordForm>;

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a60",
  name: "Thunderbird on the laptop",
  created_at: "2026-11-27T09:00:00.000Z",
};

export const NewAppPasswordOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    password: z.string().describe("140 random bits. Shown in this response only."),
    created_at: timestamp,
  })
  .meta(named("NewAppPassword", { ...example, password: "7k3m-x0qe-9trw-2bvn-h5ya-j8cd-p4fs" }));
export type NewAppPasswordOut = z.output<typeof NewAppPasswordOut>;

export const AppPasswordOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable().describe("To the minute. null: never."),
    maker_id: z.uuid().nullable().describe("The user who made it. Null: the mailbox itself, or not known."),
  })
  .meta(named("AppPassword", { ...example, last_used_at: null, maker_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05" }));
export type AppPasswordOut = z.output<typeof AppPasswordOut>;

/** Serializes an app password. The password is not stored. */
export const toAppPassword = (row: AppPasswordRow): AppPasswordOut => serialize(AppPasswordOut, row);
