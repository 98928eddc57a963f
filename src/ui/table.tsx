import type { Child } from "hono/jsx";
import { iso } from "../lib/time.ts";

interface TableProps {
  /** Read by screen readers. */
  caption: string;
  columns: readonly string[];
  children?: Child;
}

/** A table that scrolls sideways in its own box when it is wider than the page. */
export const Table = ({ caption, columns, children }: TableProps) => (
  <section class="table" aria-label={caption} tabindex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col">{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

/** A time in UTC, to the minute. `at` in ms since 1970. */
export const Time = ({ at }: { at: number }) => (
  <time dateTime={iso(at)}>
    {iso(at)
      .replace("T", " ")
      .replace(/:\d\d\.\d+Z$/, " UTC")}
  </time>
);
