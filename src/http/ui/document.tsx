import type { Child } from "hono/jsx";
import { files } from "./generated/files.ts";
import { useViewer } from "./viewer.tsx";

interface DocumentProps {
  title: string;
  /** Paths of stylesheets beside that of every page. */
  styles?: readonly string[];
  /** True when the page loads the script. The headers of its response must allow that. */
  script?: boolean;
  /** URL that the page opens by itself at once. */
  refreshTo?: string | undefined;
  /** Class of the body. */
  kind?: string | undefined;
  children?: Child;
}

/** The HTML document of a page: head, the link that skips to `#main`, and the content. */
export function Document({ title, styles = [], script = false, refreshTo, kind, children }: DocumentProps) {
  const { zone, isAutomatic } = useViewer();
  return (
    <html lang="en" data-zone={isAutomatic ? zone : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {refreshTo === undefined ? null : <meta http-equiv="refresh" content={`0;url=${refreshTo}`} />}
        <title>{title}</title>
        {[files.style, ...styles].map((path) => (
          <link rel="stylesheet" href={path} />
        ))}
        {script ? <script type="module" src={files.script} /> : null}
      </head>
      <body class={kind}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {children}
      </body>
    </html>
  );
}
