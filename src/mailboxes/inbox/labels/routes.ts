import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noContent } from "../../../http/no-content.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { body } from "../../../http/validate.ts";
import { mailboxLimits } from "../../mailbox-store/index.ts";
import { bodyErrors, errors, open } from "../routes.ts";
import { LabelOut, toLabel } from "../schema.ts";
import { createLabel, deleteLabel, updateLabel } from "./change.ts";
import { LabelIn, LabelPatch } from "./schema.ts";

const operation = operationsOf("Inbox");

export const labelRoutes = newRoutes()
  .get(
    "/v1/inbox/:mailbox_id/labels",
    operation("inbox:read", "listInboxLabels", {
      summary: "List labels by name",
      responses: responses(200, "At most 200 labels", z.array(LabelOut), errors),
    }),
    async (c) => c.json((await (await open(c)).store.listLabels()).map(toLabel)),
  )
  .post(
    "/v1/inbox/:mailbox_id/labels",
    operation("inbox:write", "createInboxLabel", {
      summary: "Create a label",
      description: `A mailbox has at most ${mailboxLimits.labels} labels.`,
      responses: responses(201, "The label", LabelOut, [...bodyErrors, 409]),
    }),
    ...body(LabelIn),
    idempotent(201, open),
    async (c) => c.json(toLabel(await createLabel(c.get("caller"), await open(c), c.req.valid("json"))), 201),
  )
  .patch(
    "/v1/inbox/:mailbox_id/labels/:label_id",
    operation("inbox:write", "updateInboxLabel", {
      summary: "Update a label",
      responses: responses(200, "The label", LabelOut, [...bodyErrors, 409]),
    }),
    ...body(LabelPatch),
    async (c) => c.json(toLabel(await updateLabel(await open(c), c.req.param("label_id"), c.req.valid("json")))),
  )
  .delete(
    "/v1/inbox/:mailbox_id/labels/:label_id",
    operation("inbox:write", "deleteInboxLabel", {
      summary: "Delete a label",
      description: "Its messages stay.",
      responses: responses(204, "Deleted", null, errors),
    }),
    async (c) => noContent(c, deleteLabel(await open(c), c.req.param("label_id"))),
  );
