import type { CallerCtx } from "../../../access/caller.ts";
import { getContact } from "../../../audience/contacts/index.ts";
import { erasePerson, exportPages, getErasure, readTimeline } from "../../../audience/people/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { get, page, question } from "../../../http/page-actions.tsx";
import { ReceiptPage } from "./receipt-page.tsx";
import { TimelinePage } from "./timeline-page.tsx";

const CONTACT = "/app/contacts/:list_id/contacts/:contact_id";

/** The pages that show, export and erase the person of a contact. */
export const personRoutes = [
  page(`${CONTACT}/timeline`, "GET /v1/people/:email/events", async (c) => {
    const { path, contact } = await readContact(c);
    const before = /^\d{1,15}$/.exec(c.req.query("before") ?? "")?.[0];
    const earlierThan = before === undefined ? undefined : Number(before);
    const { next, ...timeline } = await readTimeline(c.get("caller"), contact.email, earlierThan);
    return respondPage(c, <TimelinePage contact={contact} path={path} {...timeline} />, {
      next: next === null ? null : `${path}/timeline?before=${next}`,
    });
  }),
  get(`${CONTACT}/export`, "GET /v1/people/:email/export", async (c) => {
    const { contact } = await readContact(c);
    return c.body(await toJsonStream(c.get("caller"), contact.email), 200, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": 'attachment; filename="person.json"',
      "Cache-Control": "no-store",
    });
  }),
  question(`${CONTACT}/erase`, "DELETE /v1/people/:email", {
    of: getContact,
    title: ({ email }) => `Erase ${email}?`,
    button: "Erase this person",
    text: "Contacts in all lists, evidence of consent and the content of emails to this person are removed, and waiting emails are cancelled. Unsubscribes and other reasons against mail stay as a hash. This cannot be undone.",
    run: async (caller, listId, id) => erasePerson(caller, (await getContact(caller, listId, id)).email),
    to: "/app/people/erasures/:id",
  }),
  page("/app/people/erasures/:erasure_id", "GET /v1/people/erasures/:erasure_id", async (c) => {
    const receipt = await getErasure(c.get("caller"), c.req.param("erasure_id"));
    return respondPage(c, <ReceiptPage receipt={receipt} />);
  }),
];

/** Returns the contact of the path, and the path of its page. Throws 404. */
async function readContact(c: AppContext) {
  const [listId, contactId] = [c.req.param("list_id") ?? "", c.req.param("contact_id") ?? ""];
  const contact = await getContact(c.get("caller"), listId, contactId);
  return { contact, path: `/app/contacts/${listId}/contacts/${contactId}` };
}

/** Returns the pages of an export as one JSON list. The first is read before the response begins, so that its errors have a status. */
async function toJsonStream(caller: CallerCtx, email: string): Promise<ReadableStream<Uint8Array>> {
  const pages = exportPages(caller, email);
  const encoder = new TextEncoder();
  let page = await pages.next();
  let prefix = "[";
  return new ReadableStream({
    async pull(controller) {
      if (page.done) {
        controller.enqueue(encoder.encode("]\n"));
        return controller.close();
      }
      controller.enqueue(encoder.encode(`${prefix}${JSON.stringify(page.value)}`));
      prefix = ",\n";
      page = await pages.next();
    },
  });
}
