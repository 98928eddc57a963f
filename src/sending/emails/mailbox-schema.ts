import * as z from "zod";

const FORM = '{"email": "ada@example.org", "name": "Ada"}';
export const Mailbox = z
  .object(
    {
      email: z.string().max(1000).meta({
        minLength: 3,
        maxLength: 254,
        description: "An address without a display name, at most 254 bytes.",
      }),
      name: z
        .string()
        .max(1000)
        .meta({ maxLength: 320, pattern: "^[^\\u0000-\\u001f\\u007f\\u2028\\u2029]*$" })
        .nullish()
        .describe("Display name, at most 320 bytes, without control and invisible characters."),
    },
    `Expected an object such as ${FORM}`,
  )
  .meta({ ref: "EmailAddress", description: "An address with an optional display name." });

export const Mailboxes = z.array(Mailbox, `Expected a list such as [${FORM}]`);
