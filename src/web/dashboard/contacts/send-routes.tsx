import { BulkSendIn, sendToList } from "../../../audience/broadcasts/index.ts";
import { getList, toList } from "../../../audience/contacts/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { page, post } from "../../../http/page-actions.tsx";
import { onceForForm, submitForm } from "../../../http/page-routes.ts";
import { MOST_COUNTED } from "../../../platform/budgets/budget.ts";
import { listTopics } from "../../../sending/topics/index.ts";
import { listSenders } from "../senders.ts";
import { SendPage, SentPage } from "./send-page.tsx";

const SEND = "POST /v1/contacts/:list_id/send";
/** Greatest body of the form, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;

/** The page that mails a list. */
export const sendRoutes = [
  page("/app/contacts/:list_id/send", SEND, showForm),
  post("/app/contacts/:list_id/send", SEND, (c) =>
    submitForm(c, { show: showForm, maxBytes: MAX_FORM_BYTES }, async (fields) => {
      const list = toList(await getList(c.get("caller"), c.req.param("list_id")));
      fields.set("contact_list_id", list.id);
      const input = inputOf(BulkSendIn)(fields);
      const result = await onceForForm(c, (ctx) => sendToList(ctx, list.id, input));
      return respondPage(c, <SentPage list={list} result={result} />);
    }),
  ),
];

async function showForm(c: AppContext) {
  const caller = c.get("caller");
  const [list, senders, topics] = await Promise.all([
    getList(caller, c.req.param("list_id") ?? ""),
    listSenders(caller),
    listTopics(caller, { limit: MOST_COUNTED }),
  ]);
  return respondPage(c, <SendPage senders={senders} topics={topics} list={toList(list)} />);
}
