import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { creation, page, pagesOf, post } from "../../../http/page-actions.tsx";
import { readForm, textOf } from "../../../http/page-routes.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { withQuery } from "../../../lib/with-query.ts";
import {
  addSuppression,
  listSuppressions,
  removeSuppression,
  removeTopicUnsubscribe,
  SuppressionIn,
  toSuppression,
} from "../../../sending/suppressions/index.ts";
import { importPages } from "./import-routes.tsx";
import { Removed, SuppressionsPage } from "./page.tsx";

const PAGE_SIZE = 100;

export const suppressionPages = pagesOf(
  "suppression",
  importPages,
  page("/app/suppressions", "GET /v1/suppressions/", async (c) => {
    const { address = "", after, after_topic: afterTopic, done, email, reason, topic_id: topicId } = c.req.query();
    const search = address.trim();
    const found = await listSuppressions(c.get("caller"), {
      ...(search === "" ? {} : { email: parseAddress(search)?.key ?? null }),
      ...(after ? { after } : {}),
      ...(afterTopic ? { afterTopic } : {}),
      page: 0,
      limit: PAGE_SIZE,
    });
    const shown = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
    const element = (
      <SuppressionsPage
        suppressions={shown.map((row) => ({ ...toSuppression(row), topicName: row.topicName ?? null }))}
        search={search}
      />
    );
    const notice =
      done === "removed" && email ? (
        <Removed email={email} reason={reason ?? "manual"} topicId={topicId || null} />
      ) : undefined;
    const next = last ? withQuery("/app/suppressions", { after: last.email, after_topic: last.topicId }) : null;
    return respondPage(c, element, { notice, next, nextLabel: "More" });
  }),
  creation("/app/suppressions", "POST /v1/suppressions/", {
    read: inputOf(SuppressionIn),
    run: addSuppression,
    done: { added: "The address is suppressed." },
  }),
  post("/app/suppressions/remove", "DELETE /v1/suppressions/:email", async (c) => {
    const fields = await readForm(c);
    const email = fields.get("email") ?? "";
    const topicId = textOf(fields, "topic_id");
    if (topicId === null) await removeSuppression(c.get("caller"), email);
    else await removeTopicUnsubscribe(c.get("caller"), email, topicId);
    const about = { email, reason: fields.get("reason") ?? "manual", topic_id: topicId };
    return c.redirect(withQuery("/app/suppressions", { done: "removed", ...about }), 303);
  }),
);
