import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { pathText } from "../../../http/openapi.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { named } from "../../../lib/serialize.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import { inboxRoute } from "../routes.ts";
import { Address, FolderOut, toAddress } from "../schema.ts";
import { createFolder, deleteFolder, renameFolder } from "./change.ts";
import { FolderIn } from "./schema.ts";

const AddressQuery = z.object({ q: z.string().max(320).default("").describe("A part of the name or address.") });
const QuotaOut = z
  .object({ used_bytes: z.int(), quota_bytes: z.int().nullable(), message_count: z.int() })
  .meta(named("InboxQuota", { used_bytes: 2048, quota_bytes: null, message_count: 1 }));
const SectionOut = z
  .object({ section: z.string(), bytes: z.int(), count: z.int() })
  .meta(named("InboxStorageSection", { section: "INBOX", bytes: 2048, count: 1 }));
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
      .max(mailboxBudgets.blocked_senders.rows),
  })
  .meta({ ref: "InboxBlockedSenders", example: { emails: ["spam@example.org"] } });

const name = pathText("name", "Name of the folder, percent-encoded", "Projects");

export const folderRoutes = apiRoutes("Inbox", inboxRoute)
  .get("/v1/inbox/:mailbox_id/folders", "listInboxFolders", "inbox:read", {
    summary: "List the folders of a mailbox",
    returns: { 200: ["At most 500 folders", z.array(FolderOut)] },
    run: (_caller, { mailbox }) => mailbox.store.listFolders(),
  })
  .post("/v1/inbox/:mailbox_id/folders", "createInboxFolder", "inbox:write", outlives.nothing, {
    summary: "Create a folder",
    description: `A mailbox has at most ${mailboxBudgets.folders.rows} folders.`,
    body: FolderIn,
    returns: { 201: ["The folder", FolderOut] },
    run: (caller, { mailbox, body }) => createFolder(caller, mailbox, body.name),
  })
  .patch("/v1/inbox/:mailbox_id/folders/:name", "updateInboxFolder", "inbox:write", outlives.nothing, {
    summary: "Rename a folder",
    parameters: [name],
    body: FolderIn,
    returns: { 200: ["The folder", FolderOut] },
    errors: [409],
    run: (_caller, { name, mailbox, body }) => renameFolder(mailbox, name, body.name),
  })
  .delete("/v1/inbox/:mailbox_id/folders/:name", "deleteInboxFolder", "inbox:write", outlives.nothing, {
    summary: "Delete an empty folder",
    parameters: [name],
    returns: { 204: "Deleted" },
    errors: [409],
    run: (_caller, { name, mailbox }) => deleteFolder(mailbox, name),
  })
  .get("/v1/inbox/:mailbox_id/addresses", "listInboxAddresses", "inbox:read", {
    summary: "Complete an address from mail sent and received",
    query: AddressQuery,
    returns: { 200: ["At most 20 addresses, the most used first", z.array(Address)] },
    run: async (_caller, { mailbox, query }) => (await mailbox.store.addresses(query.q)).map(toAddress),
  })
  .get("/v1/inbox/:mailbox_id/quota", "getInboxQuota", "inbox:read", {
    summary: "Get the size of a mailbox and its limit",
    returns: { 200: ["The size", QuotaOut] },
    run: async (_caller, { mailbox }) => {
      const { store, quotaBytes } = mailbox;
      const { usedBytes, messageCount } = await store.quota();
      return { used_bytes: usedBytes, quota_bytes: quotaBytes, message_count: messageCount };
    },
  })
  .get("/v1/inbox/:mailbox_id/storage-sections", "listInboxStorageSections", "inbox:read", {
    summary: "List the sizes of the folders and of all attachments",
    returns: { 200: ["One entry a folder, then the attachments in all of them", z.array(SectionOut)] },
    run: (_caller, { mailbox }) => mailbox.store.sections(),
  })
  .get("/v1/inbox/:mailbox_id/blocked-senders", "listInboxBlockedSenders", "inbox:read", {
    summary: "List the senders whose mail goes to Spam",
    returns: { 200: ["At most 1,000 addresses", BlockedSenders] },
    run: async (_caller, { mailbox }) => ({ emails: await mailbox.store.listBlockedSenders() }),
  })
  .put("/v1/inbox/:mailbox_id/blocked-senders", "replaceInboxBlockedSenders", "inbox:write", outlives.nothing, {
    summary: "Replace the senders whose mail goes to Spam",
    body: BlockedSenders,
    returns: { 200: ["What is now stored", BlockedSenders] },
    run: async (_caller, { mailbox, body }) => {
      const { store } = mailbox;
      await store.replaceBlockedSenders(body.emails);
      return { emails: await store.listBlockedSenders() };
    },
  });
