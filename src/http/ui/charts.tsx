import type { Child } from "hono/jsx";
import { placesOf, ticksOf } from "./chart-ticks.ts";
import { toSentence } from "./status.tsx";
import { Table } from "./table.tsx";

/** One line of a chart, or one part of its bars. The kind is its colour, that of its status where it has one; lines differ by their dashes too. */
export interface Series {
  label: string;
  kind: "good" | "bad" | "hollow" | "info" | "plan" | "warn" | "accent" | "soft";
  /** One value for each label of the chart. */
  values: readonly number[];
}

interface ChartProps {
  /** Names the figures, such as "Mail by day". */
  subject: string;
  /** The kind of a place on the horizontal axis, such as "Day", and the names of all places. */
  place: string;
  labels: readonly string[];
  series: readonly Series[];
  /** Columns that only the table below the chart has. */
  more?: readonly Pick<Series, "label" | "values">[];
  /** True for half the height. */
  isSmall?: boolean;
}

/** Of the lines, whose picture is stretched to the width of the page. Bars and texts are placed in percent, so they are not. */
const WIDTH = 1_000;
const HEIGHT = 200;

/** Bars that are stacked in the order of the series, from the bottom. */
export function BarChart(props: ChartProps) {
  const { labels, series } = props;
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const ticks = ticksOf(Math.max(...sums, 1));
  const top = ticks.at(-1) ?? 1;
  const step = 100 / labels.length;
  return (
    <Chart {...props} ticks={ticks} centre={(index) => (index + 0.5) * step} hasBars>
      {labels.map((label, index) => {
        let used = 0;
        return (
          <g class="bar">
            <title>{valuesAt(index, label, series)}</title>
            <rect class="place" x={percent(index * step)} y="0" width={percent(step)} height="100%" />
            {series.map(({ kind, values }) => {
              const height = (100 * (values[index] ?? 0)) / top;
              used += height;
              return height === 0 ? null : (
                <rect
                  class={`fill ${kind}`}
                  x={percent(index * step + step * 0.2)}
                  y={percent(100 - used)}
                  width={percent(step * 0.6)}
                  height={percent(height)}
                  rx="2"
                />
              );
            })}
          </g>
        );
      })}
    </Chart>
  );
}

/** Lines, each with its own dashes and a light area below it. A place of the axis names its values when the pointer is over it. */
export function LineChart(props: ChartProps) {
  const { labels, series } = props;
  const ticks = ticksOf(Math.max(...series.flatMap(({ values }) => values), 1));
  const top = ticks.at(-1) ?? 1;
  const step = WIDTH / Math.max(1, labels.length - 1);
  return (
    <Chart {...props} ticks={ticks} centre={(index) => (100 * index * step) / WIDTH}>
      <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width="100%" height="100%" preserveAspectRatio="none">
        {series.map(({ kind, values }, index) => {
          const points = values
            .map((value, at) => `${round(at * step)},${round(HEIGHT - (HEIGHT * value) / top)}`)
            .join(" ");
          const end = round((values.length - 1) * step);
          return (
            <>
              <polygon class={`area ${kind}`} points={`0,${HEIGHT} ${points} ${end},${HEIGHT}`} />
              <polyline class={`stroke ${kind} dash-${index}`} points={points} />
            </>
          );
        })}
        {labels.map((label, at) => (
          <rect class="place" x={round((at - 0.5) * step)} y="0" width={round(step)} height={HEIGHT}>
            <title>{valuesAt(at, label, series)}</title>
          </rect>
        ))}
      </svg>
    </Chart>
  );
}

/** Returns what a place of the horizontal axis has of each series. */
const valuesAt = (index: number, label: string, series: readonly Series[]) =>
  `${label}: ${series.map((one) => `${one.values[index] ?? 0} ${one.label}`).join(", ")}`;

interface FrameProps extends ChartProps {
  /** The values of the vertical axis that have a tick, from 0 on, at equal distances. */
  ticks: readonly number[];
  /** Returns where a label stands on the horizontal axis, in percent of its length. */
  centre: (index: number) => number;
  hasBars?: boolean;
  children?: Child;
}

const Chart = (props: FrameProps) => (
  <>
    <Picture {...props} />
    <details>
      <summary>The figures as a table</summary>
      <Figures {...props} />
    </details>
  </>
);

const Figures = ({ subject, place, labels, series, more = [] }: ChartProps) => (
  <Table caption={subject} columns={[place, ...[...series, ...more].map(({ label }) => label)]}>
    {labels.map((label, index) => (
      <tr>
        <th scope="row">{label}</th>
        {[...series, ...more].map(({ values }) => (
          <td class="number">{(values[index] ?? 0).toLocaleString("en")}</td>
        ))}
      </tr>
    ))}
  </Table>
);

const Picture = ({ subject, labels, series, ticks, centre, isSmall, hasBars, children }: FrameProps) => (
  <figure class={isSmall ? "chart small" : "chart"}>
    <ul class="legend">
      {series.map(({ label, kind }, index) => (
        <li>
          {hasBars ? (
            <svg class="key square" viewBox="0 0 8 8" aria-hidden="true">
              <rect class={`fill ${kind}`} width="8" height="8" rx="2" />
            </svg>
          ) : (
            <svg class="key" viewBox="0 0 24 8" aria-hidden="true">
              <line class={`stroke ${kind} dash-${index}`} x1="0" y1="4" x2="24" y2="4" />
            </svg>
          )}
          {label}
        </li>
      ))}
    </ul>
    <div class="plot">
      <div class="scale" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span>{tick.toLocaleString("en")}</span>
        ))}
      </div>
      <svg
        class="picture"
        role="img"
        aria-label={`${subject} from ${labels[0]} to ${labels.at(-1)}. The figures are in the table below.`}
      >
        {ticks.map((_, index) => {
          const y = percent(100 - (100 * index) / (ticks.length - 1));
          return <line class={index === 0 ? "grid base" : "grid"} x1="0" y1={y} x2="100%" y2={y} />;
        })}
        {children}
      </svg>
      <svg class="axis" aria-hidden="true">
        {placesOf(labels).map(({ index, text }, place, places) => (
          <g class={(places.length - 1 - place) % 2 === 1 ? "minor" : undefined}>
            <line class="grid base" x1={percent(centre(index))} y1="0" x2={percent(centre(index))} y2="4" />
            <text x={percent(centre(index))} y="17" text-anchor={anchorAt(centre(index))}>
              {text}
            </text>
          </g>
        ))}
      </svg>
    </div>
  </figure>
);

/** Returns how a text is aligned at its place, so that it stays within the picture. */
const anchorAt = (place: number) => (place < 3 ? "start" : place > 97 ? "end" : "middle");

/** A share from 0 to 1 as a bar, beside its text. */
export const Share = ({ of, text }: { of: number; text: string }) => (
  <span class="share">
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="fill accent" x="0" y="0" width={round(100 * Math.min(1, of))} height="8" />
    </svg>
    {text}
  </span>
);

interface TilesProps {
  /** `values`: one for each day, oldest first. */
  tiles: readonly (Pick<Series, "kind" | "values"> & { name: string; value: string; href: string; share?: string })[];
}

/** Figures of some days, each above a line of its days. */
export const Tiles = ({ tiles }: TilesProps) => (
  <dl class="tiles">
    {tiles.map(({ name, value, href, share, kind, values }) => (
      <div>
        <dt>{name}</dt>
        <dd>
          <a href={href}>{value}</a> {share === undefined ? null : <span class="soft">{share}</span>}
          <Sparkline kind={kind} values={values} />
        </dd>
      </div>
    ))}
  </dl>
);

/** A line without axes: the figure beside it says what it is of. */
function Sparkline({ kind, values }: Pick<Series, "kind" | "values">) {
  const top = Math.max(...values, 1);
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${round(at * step)},${round(22 - (20 * value) / top)}`).join(" ");
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <polygon class={`fill ${kind}`} points={`0,24 ${points} 100,24`} />
      <polyline class={`stroke ${kind}`} points={points} />
    </svg>
  );
}

interface NumbersProps {
  /** `share`: what the figure is of another one, such as `4.2 %`. `note` stands below them. */
  numbers: readonly {
    name: string;
    value: string;
    href?: string | undefined;
    share?: string | undefined;
    note?: string | undefined;
  }[];
}

/** Figures with their names. */
export const Numbers = ({ numbers }: NumbersProps) => (
  <dl class="numbers even">
    {numbers.map(({ name, value, href, share, note }) => (
      <div>
        <dt>{name}</dt>
        <dd>
          {href === undefined ? value : <a href={href}>{value}</a>}
          {share === undefined ? null : [" ", <span class="soft">{share}</span>]}
          {note === undefined ? null : <p class="soft">{note}</p>}
        </dd>
      </div>
    ))}
  </dl>
);

type Choices<Value extends string> = Readonly<Record<Value, string>> | readonly (readonly [Value, text: string])[];

const pairsOf = <Value extends string>(choices: Choices<Value>) =>
  (Symbol.iterator in choices ? choices : Object.entries(choices)) as readonly (readonly [Value, string])[];

interface ChipsProps<Value extends string> {
  /** Read by screen readers. */
  label: string;
  choices: Choices<Value>;
  /** Empty when none is. */
  chosen: Value | "";
  to: (value: Value) => string;
}

/** Links of which one is chosen, such as filters of a list. */
export const Chips = <Value extends string>({ label, choices, chosen, to }: ChipsProps<Value>) => (
  <ul class="chips" aria-label={label}>
    {pairsOf(choices).map(([value, text]) => (
      <li>
        <a href={to(value)} aria-current={value === chosen ? "true" : undefined}>
          {toSentence(text)}
        </a>
      </li>
    ))}
  </ul>
);

const round = (value: number) => Math.round(value * 10) / 10;
const percent = (value: number) => `${round(value)}%`;
