import type { Child } from "hono/jsx";
import { ButtonLine } from "./buttons.tsx";
import { useViewer } from "./viewer.tsx";

interface TableProps {
  /** Read by screen readers. */
  caption: string;
  columns: readonly string[];
  children?: Child;
}

interface HeadProps extends Pick<TableProps, "columns"> {
  id?: string | undefined;
  /** Names of the columns of numbers. */
  numbers?: ReadonlySet<string>;
}

const Head = ({ columns, id, numbers }: HeadProps) => (
  <thead id={id}>
    <tr>
      {columns.map((column) => (
        <th scope="col" class={numbers?.has(column) ? "number" : undefined}>
          {column}
        </th>
      ))}
    </tr>
  </thead>
);

/** A table that scrolls sideways in its own box when it is wider than the page. */
export const Table = ({ caption, columns, children }: TableProps) => (
  <section class="table" aria-label={caption} tabindex={0}>
    <table>
      <Head columns={columns} />
      <tbody>{children}</tbody>
    </table>
  </section>
);

interface ListProps {
  /** Read by screen readers. */
  caption: string;
  /** Names of the columns. False: neither the column nor its cells are shown. */
  columns: readonly (string | false)[];
  rows: readonly (readonly Child[])[];
  /** Class with the widths of its columns, and with what becomes of texts that do not fit. */
  kind?: string;
  /** The ids of the rows, in their order, in a list inside `Live`: only rows that change are replaced. `name` is its own on the page. */
  live?: { name: string; ids: readonly string[] };
  /** Stands in place of a list without rows. Default: its head. */
  empty?: Child;
}

/** A count or a share, as pages write them. */
const NUMBER = /^[+-]?\d{1,3}(?:,?\d{3})*(?:\.\d+)?(?: %| \(.*\))?$/;
const isNumber = (cell: Child) => typeof cell === "number" || (typeof cell === "string" && NUMBER.test(cell));
const isNothing = (cell: Child) => cell === "" || cell === "–" || cell === null;

/** A table whose rows are cards in narrow windows, with the column before each cell. The first link of a row is as large as the row. */
export function List({ caption, columns, rows, kind, live, empty }: ListProps) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const isOfNumbers = columns.map((_, index) => {
    const cells = rows.map((row) => row[index]).filter((cell) => !isNothing(cell));
    return cells.length > 0 && cells.every(isNumber);
  });
  const numbers = new Set(columns.filter((name, index) => name !== false && isOfNumbers[index]).map(String));
  return (
    <div class={kind === undefined ? "list" : `list ${kind}`} id={live && `${live.name}-list`}>
      <table aria-label={caption} id={live && `${live.name}-table`}>
        <Head
          columns={columns.filter((column) => column !== false)}
          id={live && `${live.name}-head`}
          numbers={numbers}
        />
        <tbody id={live && `${live.name}-body`}>
          {rows.map((cells, row) => (
            <tr id={live && `${live.name}-${live.ids[row]}`}>
              {cells.map((cell, index) =>
                columns[index] === false ? null : (
                  <td data-column={columns[index]} class={isOfNumbers[index] ? "number" : undefined}>
                    <div>{cell}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A part of a page that is read again every 5 s while the page is visible, or only with other parts when `isPolled` is false. */
export const Live = ({ id, isPolled = true, children }: { id: string; isPolled?: boolean; children?: Child }) => (
  <div id={id} data-live="" data-poll={isPolled ? "" : undefined}>
    {children}
  </div>
);

/** Content, or code, which has a button that copies it when `copy` names it. */
type Fact = Child | { code: Child; copy?: string };

const isCode = (fact: Fact): fact is { code: Child; copy?: string } =>
  typeof fact === "object" && fact !== null && "code" in fact;

/** Names with their values. A value that is null is left out. */
export const Facts = ({ of }: { of: Readonly<Record<string, Fact>> }) => (
  <dl class="facts">
    {Object.entries(of).map(([name, fact]) =>
      fact === null ? null : (
        <>
          <dt>{name}</dt>
          {isCode(fact) ? (
            <dd class="code" data-copy={fact.copy && ""} data-what={fact.copy}>
              {fact.code}
            </dd>
          ) : (
            <dd>{fact}</dd>
          )}
        </>
      ),
    )}
  </dl>
);

/** The link to the next page of the list that `respondPage` names. It stands at the end of the page. */
export function NextPage() {
  const { next } = useViewer();
  return next ? <ButtonLine {...next} kind="quiet" /> : null;
}
