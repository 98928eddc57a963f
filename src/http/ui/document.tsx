import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { textColorOn } from "../../lib/text-color.ts";
import { files } from "./generated/files.ts";
import { logoUrl, useTexts, useViewer } from "./viewer.tsx";

interface DocumentProps {
  title: string;
  /** The last part of the title. Default: the name of the service. */
  of?: string | undefined;
  /** Paths of stylesheets beside that of every page. */
  styles?: readonly string[] | undefined;
  /** Path of the script that the page loads. The headers of its response must allow that. */
  script?: string | undefined;
  /** URL that the page opens by itself at once. */
  refreshTo?: string | undefined;
  /** Summary for search engines, and for programs that show a link to the page. */
  description?: string | undefined;
  /** Class of the body. */
  kind?: string | undefined;
  children?: Child;
}

/** The HTML document of a page: head, the link that skips to `#main`, and the content. */
export function Document({ title, of, styles = [], script, refreshTo, description, kind, children }: DocumentProps) {
  const viewer = useViewer();
  const { zone, isAutomatic, now, service, origin, recipient } = viewer;
  const { logo, color } = recipient?.brand ?? {};
  const end = recipient ? recipient.brand?.name : (of ?? service);
  return (
    <html lang={recipient?.language ?? "en"} data-zone={isAutomatic ? zone : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {refreshTo === undefined ? null : <meta http-equiv="refresh" content={`0;url=${refreshTo}`} />}
        <title>{[title, ...(end === undefined ? [] : [end])].join(" · ")}</title>
        {description === undefined ? null : (
          <>
            <meta name="description" content={description} />
            <meta property="og:title" content={title} />
            <meta property="og:description" content={description} />
            <meta property="og:site_name" content={service} />
            <meta property="og:image" content={`${origin}/pictures/dashboard-home.png`} />
          </>
        )}
        {/* Without an icon, browsers load that of this service. */}
        <link rel="icon" href={recipient ? (logo ? logoUrl(viewer, logo) : "data:,") : "/favicon.svg"} />
        {recipient ? null : (
          <>
            <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
            <link rel="manifest" href="/site.webmanifest" />
          </>
        )}
        {[files.style, ...styles].map((path) => (
          <link rel="stylesheet" href={path} />
        ))}
        {color ? <style nonce={recipient?.nonce}>{raw(styleOf(color))}</style> : null}
        {script === undefined ? null : <script type="module" src={script} />}
      </head>
      <body class={kind} data-now={script ? now : undefined}>
        <a class="skip" href="#main">
          {useTexts().skip}
        </a>
        {children}
      </body>
    </html>
  );
}

const styleOf = (color: string) =>
  `main.narrow button:not(.quiet){border-color:${color};background:${color};color:${textColorOn(color)}}main.narrow>section{border-top:3px solid ${color}}`;
