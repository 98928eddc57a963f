import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noContent } from "../../../http/no-content.ts";
import { operationsOf, pathText, responses } from "../../../http/openapi.ts";
import { body, query } from "../../../http/validate.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { mailboxLimits } from "../../mailbox-store/index.ts";
import { bodyErrors, errors, open } from "../routes.ts";
import { Address, FolderOut, toAddress, toFolder } from "../schema.ts";
import { createFolder, deleteFolder, renameFolder } from "./change.ts";
import { FolderIn } from "./schema.ts";

const AddressQuery = z.object({ q: z.string().max(320).default("").describe("A part of the name or address.") });
const QuotaOut = z
  .object({ used_bytes: z.int(), quota_bytes: z.int().nullable(), message_count: z.int() })
  .meta({ ref: "InboxQuota", examples: [{ used_bytes: 2048, quota_bytes: null, message_count: 1 }] });
const SectionOut = z
  .object({ section: z.string(), bytes: z.int(), count: z.int() })
  .meta({ ref: "InboxStorageSection", examples: [{ section: "INBOX", bytes: 2048, count: 1 }] });
const BlockedSenders = z
  .object({
    emails: z
      .array(
        z
          .string()
          .max(1000)
          .transform((email, context) => {
            const address = parseAddress(email);
            if (!address) context.addIssue({ code: "custom", message: "Not a valid email address" });
            return address?.key ?? "";
          })
          .meta({ maxLength: 254, pattern: "@" }),
      )
      .max(mailboxLimits.blockedSenders),
  })
  .meta({ ref: "InboxBlockedSenders", example: { emails: ["spam@example.org"] } });

const operation = operationsOf("Inbox");
const name = pathText("name", "Name of the folder, percent-encoded", "Projects");

export const folderRoutes = newRoutes()
  .get(
    "/v1/inbox/:mailbox_id/folders",
    operation("inbox:read", "listInboxFolders", {
      summary: "List the folders of a mailbox",
      responses: responses(200, "At most 500 folders", z.array(FolderOut), errors),
    }),
    async (c) => c.json((await (await open(c)).store.listFolders()).map(toFolder)),
  )
  .post(
    "/v1/inbox/:mailbox_id/folders",
    operation("inbox:write", "createInboxFolder", {
      summary: "Create a folder",
      description: `A mailbox has at most ${mailboxLimits.folders} folders.`,
      responses: responses(201, "The folder", FolderOut, [...bodyErrors, 409]),
    }),
    ...body(FolderIn),
    idempotent(201, open),
    async (c) => c.json(await createFolder(c.get("caller"), await open(c), c.req.valid("json").name), 201),
  )
  .patch(
    "/v1/inbox/:mailbox_id/folders/:name",
    operation("inbox:write", "updateInboxFolder", {
      summary: "Rename a folder",
      parameters: [name],
      responses: responses(200, "The folder", FolderOut, [...bodyErrors, 409]),
    }),
    ...body(FolderIn),
    async (c) => c.json(await renameFolder(await open(c), c.req.param("name"), c.req.valid("json").name)),
  )
  .delete(
    "/v1/inbox/:mailbox_id/folders/:name",
    operation("inbox:write", "deleteInboxFolder", {
      summary: "Delete an empty folder",
      parameters: [name],
      responses: responses(204, "Deleted", null, [...errors, 409]),
    }),
    async (c) => noContent(c, deleteFolder(await open(c), c.req.param("name"))),
  )
  .get(
    "/v1/inbox/:mailbox_id/addresses",
    operation("inbox:read", "listInboxAddresses", {
      summary: "Complete an address from mail sent and received",
      responses: responses(200, "At most 20 addresses, the most used first", z.array(Address), errors),
    }),
    query(AddressQuery),
    async (c) => c.json((await (await open(c)).store.addresses(c.req.valid("query").q)).map(toAddress)),
  )
  .get(
    "/v1/inbox/:mailbox_id/quota",
    operation("inbox:read", "getInboxQuota", {
      summary: "Get the size of a mailbox and its limit",
      responses: responses(200, "The size", QuotaOut, errors),
    }),
    async (c) => {
      const { store, quotaBytes } = await open(c);
      const { usedBytes, messageCount } = await store.quota();
      return c.json({ used_bytes: usedBytes, quota_bytes: quotaBytes, message_count: messageCount });
    },
  )
  .get(
    "/v1/inbox/:mailbox_id/storage-sections",
    operation("inbox:read", "listInboxStorageSections", {
      summary: "List the sizes of the folders and of all attachments",
      responses: responses(200, "One entry a folder, then the attachments in all of them", z.array(SectionOut), errors),
    }),
    async (c) => c.json(await (await open(c)).store.sections()),
  )
  .get(
    "/v1/inbox/:mailbox_id/blocked-senders",
    operation("inbox:read", "listInboxBlockedSenders", {
      summary: "List the senders whose mail goes to Spam",
      responses: responses(200, "At most 1,000 addresses", BlockedSenders, errors),
    }),
    async (c) => c.json({ emails: await (await open(c)).store.listBlockedSenders() }),
  )
  .put(
    "/v1/inbox/:mailbox_id/blocked-senders",
    operation("inbox:write", "replaceInboxBlockedSenders", {
      summary: "Replace the senders whose mail goes to Spam",
      responses: responses(200, "What is now stored", BlockedSenders, bodyErrors),
    }),
    ...body(BlockedSenders),
    async (c) => {
      const { store } = await open(c);
      await store.replaceBlockedSenders(c.req.valid("json").emails);
      return c.json({ emails: await store.listBlockedSenders() });
    },
  );
