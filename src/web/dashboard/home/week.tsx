import { BarChart, LinkLine, Tiles } from "../../../http/ui/index.ts";
import type { Counts } from "../../../sending/analytics/index.ts";

/** Counts of the last days, oldest first. */
export type Week = readonly { day: string; counts: Readonly<Counts> }[];

/** Recipients of the last days as stacked bars, with their figures. */
export function WeekChart({ week }: { week: Week }) {
  const columns = week.map(({ counts }) => toColumns(counts));
  const isEmpty = columns.every((column) => Object.values(column).every((count) => count === 0));
  return (
    <>
      <h2>The last {week.length} days</h2>
      <WeekTiles columns={columns} />
      {isEmpty ? (
        <p class="soft">No email has left in these days.</p>
      ) : (
        <BarChart
          subject="Recipients by day"
          place="Day"
          labels={week.map(({ day }) => day)}
          isSmall
          series={[
            { label: "Delivered", kind: "good", values: columns.map(({ delivered }) => delivered) },
            { label: "Sent, not confirmed", kind: "info", values: columns.map(({ unconfirmed }) => unconfirmed) },
            { label: "Bounced", kind: "bad", values: columns.map(({ bounced }) => bounced) },
            { label: "Failed", kind: "hollow", values: columns.map(({ failed }) => failed) },
          ]}
        />
      )}
      <LinkLine to="/app/analytics" label="All analytics" />
    </>
  );
}

function WeekTiles({ columns }: { columns: readonly ReturnType<typeof toColumns>[] }) {
  const values = (name: keyof ReturnType<typeof toColumns>) => columns.map((column) => column[name]);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, count) => total + count, 0);
  const all = columns.map((column) => Object.values(column).reduce((total, count) => total + count, 0));
  const share = (numbers: readonly number[]) =>
    sum(all) === 0 ? "" : `${((100 * sum(numbers)) / sum(all)).toFixed(1)} %`;
  return (
    <Tiles
      tiles={[
        { name: "Recipients", kind: "accent" as const, numbers: all },
        { name: "Delivered", kind: "good" as const, numbers: values("delivered") },
        { name: "Bounced", kind: "bad" as const, numbers: values("bounced"), most: "bounced" },
        { name: "Failed", kind: "bad" as const, numbers: values("failed") },
      ].map(({ name, kind, numbers, most = "sent" }) => ({
        name,
        href: `/app/analytics?period=7d&most=${most}`,
        kind,
        values: numbers,
        value: sum(numbers).toLocaleString("en"),
        ...(numbers === all ? {} : { share: share(numbers) }),
      }))}
    />
  );
}

/** The states of `sent` and what is left of them, so that the bars of a day are as high as its `sent` and `unsent`. */
const toColumns = ({ sent, delivered, bounced, soft_bounced: soft, failed, unsent }: Counts) => ({
  delivered,
  unconfirmed: Math.max(0, sent - delivered - bounced - soft - failed),
  bounced: bounced + soft,
  failed: failed + unsent,
});
