import type { Child } from "hono/jsx";
import type { CallerCtx } from "../../access/caller.ts";
import { VERSION } from "../../lib/version.ts";
import { pausedSources } from "../../platform/bulk-pauses/rules.ts";
import type { RecipientTexts } from "../../platform/recipient-texts/en.ts";
import { Document } from "./document.tsx";
import { ErrorSummary, Notice } from "./form.tsx";
import { files } from "./generated/files.ts";
import { Header } from "./header.tsx";
import { Icon, Mark } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { NextPage } from "./table.tsx";
import { Toast } from "./toast.tsx";
import { logoUrl, useCaller, useTexts, useViewer } from "./viewer.tsx";

/** The layout of pages outside of the dashboard: a narrow column with one card. Those of recipients show the sender, if there is one. */
export function Layout({ title, refreshTo, children }: { title: string; refreshTo?: string; children?: Child }) {
  const viewer = useViewer();
  const { recipient } = viewer;
  const { writes } = useTexts();
  const { brand, address } = recipient ?? {};
  return (
    <Document title={title} refreshTo={refreshTo}>
      <main id="main" class="narrow">
        {recipient ? null : <Mark size={40} />}
        {brand ? (
          <header>
            {brand.logo ? <img src={logoUrl(viewer, brand.logo)} alt="" /> : null}
            <strong>{brand.name}</strong>
          </header>
        ) : null}
        <section>
          <h1>{title}</h1>
          {children}
        </section>
        {brand ? (
          <footer>
            {address === undefined ? null : <p>{writes(brand.name, address)}</p>}
            <address>{brand.address}</address>
          </footer>
        ) : null}
      </main>
    </Document>
  );
}

/** A page of one text, for recipients. `of` returns its title and the text in their language. */
export function TextPage({ of }: { of: (texts: RecipientTexts) => readonly [title: string, text: string] }) {
  const [title, text] = of(useTexts());
  return (
    <Layout title={title}>
      <p>{text}</p>
    </Layout>
  );
}

interface AppLayoutProps {
  title: string;
  /** Path of an entry of the menu that the page belongs to. Default: the path of the page. */
  at?: string;
  /** Links and buttons beside the title. */
  actions?: Child;
  /** Text of the search over everything whose results the page shows. */
  query?: string;
  children?: Child;
}

/** The layout of the pages of the dashboard: bar, menu, and content over the whole width. */
export function AppLayout({ title, at, actions, query, children }: AppLayoutProps) {
  const { path, notice, submitted } = useViewer();
  const isFilled = Array.from(submitted?.fields?.keys() ?? []).some((name) => name !== "idempotency_key");
  const caller = useCaller();
  return (
    <Document title={title} of={caller.workspace.name} script={files.script} styles={[files.dashboardStyle]} kind="app">
      <Header caller={caller} query={query} />
      <Menu caller={caller} at={at ?? path} />
      <main id="main">
        <Banners caller={caller} />
        <div class="title">
          <h1>{title}</h1>
          {actions ? (
            <div class="actions" id="actions" data-live="">
              {actions}
            </div>
          ) : null}
        </div>
        {notice === undefined ? null : <Toast>{notice}</Toast>}
        {/* A form says itself why it was refused. A button has no place for that, nor has a path. */}
        {isFilled ? null : <ErrorSummary />}
        {children}
        <NextPage />
        <Foot />
      </main>
    </Document>
  );
}

const Foot = () => (
  <footer class="foot">
    {useViewer().service} {VERSION} · <a href="/status">Status</a>
  </footer>
);

const Banners = ({ caller: { actor, workspace } }: { caller: CallerCtx }) => (
  <>
    {actor.restricted ? (
      <p class="notice bad">
        <Icon name="alert" />
        This account is restricted. It cannot send email.
      </p>
    ) : null}
    {workspace.sendingPaused ? <Notice kind="warn">Sending is paused in this workspace.</Notice> : null}
    {workspace.bulkPause > 0 ? (
      <Notice kind="warn">
        Too many emails bounced or were marked as spam, so this mail is paused:{" "}
        {pausedSources(workspace.bulkPause).join(", ")}. <a href="/app/settings#paused-mail">Resume it</a>
      </Notice>
    ) : null}
  </>
);
