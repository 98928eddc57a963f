/** Checked by the compiler: no statement, query or context reaches a database of the other kind. */
import { describe, expectTypeOf, it } from "vitest";
import type { CallerCtx } from "../../../../src/access/caller.ts";
import type {
  Ctx,
  MailCtx,
  MailDatabase,
  MailStatement,
  MainDatabase,
  MainStatement,
  OutboxCtx,
} from "../../../../src/platform/context.ts";
import type { mailAlias, mailOrm, Orm, orm } from "../../../../src/platform/db/client.ts";
import type * as mail from "../../../../src/platform/db/schema/mail/index.ts";
import type * as main from "../../../../src/platform/db/schema/main/index.ts";

type Insertable<Builder extends { insert: (table: never) => unknown }> = Parameters<Builder["insert"]>[0];
type Updatable<Builder extends { update: (table: never) => unknown }> = Parameters<Builder["update"]>[0];
type Deletable<Builder extends { delete: (table: never) => unknown }> = Parameters<Builder["delete"]>[0];
type Selectable<Builder extends { select(): { from: (source: never) => unknown } }> = Parameters<
  ReturnType<Builder["select"]>["from"]
>[0];

describe("the handles of main and mail databases", () => {
  it("the query builder of a database takes its own tables only", () => {
    expectTypeOf<ReturnType<typeof orm>>().toEqualTypeOf<Orm<"main">>();
    expectTypeOf<ReturnType<typeof mailOrm>>().toEqualTypeOf<Orm<"mail">>();
    expectTypeOf<typeof main.domains>().toExtend<Selectable<Orm<"main">>>();
    expectTypeOf<typeof mail.emails>().toExtend<Selectable<Orm<"mail">>>();
    expectTypeOf<typeof mail.emails>().not.toExtend<Selectable<Orm<"main">>>();
    expectTypeOf<typeof main.domains>().not.toExtend<Selectable<Orm<"mail">>>();
    expectTypeOf<typeof mail.emails>().not.toExtend<Insertable<Orm<"main">>>();
    expectTypeOf<typeof mail.emails>().not.toExtend<Updatable<Orm<"main">>>();
    expectTypeOf<typeof mail.emails>().not.toExtend<Deletable<Orm<"main">>>();
    expectTypeOf<typeof main.domains>().not.toExtend<Insertable<Orm<"mail">>>();
    expectTypeOf<typeof main.domains>().not.toExtend<Parameters<typeof mailAlias>[0]>();
    expectTypeOf<ReturnType<typeof mailAlias<typeof mail.emails, "e">>>().toExtend<Selectable<Orm<"mail">>>();
    expectTypeOf<ReturnType<typeof mailAlias<typeof mail.emails, "e">>>().not.toExtend<Selectable<Orm<"main">>>();
  });

  it("a batch takes statements of its own kind of database only", () => {
    expectTypeOf<MailStatement[]>().toExtend<Parameters<MailDatabase["batch"]>[0]>();
    expectTypeOf<MailStatement[]>().not.toExtend<Parameters<MainDatabase["batch"]>[0]>();
    expectTypeOf<MainStatement[]>().not.toExtend<Parameters<MailDatabase["batch"]>[0]>();
    expectTypeOf<D1PreparedStatement[]>().not.toExtend<Parameters<MailDatabase["batch"]>[0]>();
    expectTypeOf<ReturnType<MailStatement["bind"]>>().toEqualTypeOf<MailStatement>();
  });

  it("a context without a mail database reaches no mail table", () => {
    expectTypeOf<Ctx>().not.toExtend<Parameters<typeof mailOrm>[0]>();
    expectTypeOf<OutboxCtx<"main">>().not.toExtend<Parameters<typeof mailOrm>[0]>();
    expectTypeOf<MailCtx["mail"]>().toEqualTypeOf<MailDatabase>();
    expectTypeOf<CallerCtx>().toExtend<MailCtx>();
    expectTypeOf<Ctx["db"]>().toEqualTypeOf<MainDatabase>();
  });
});
