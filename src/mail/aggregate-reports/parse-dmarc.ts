import { Parser } from "htmlparser2";
import { parseIp } from "../../lib/ip-addresses.ts";
import { bounds, isCount, isSpan } from "./rules.ts";
import { type DmarcRecord, type DmarcReport, ReportError } from "./types.ts";

/** Texts of elements, by their path below `feedback` or `record`, such as `row/count`. The last of several counts. */
type Values = Map<string, string>;

const SECOND_MS = 1_000;
/** Paths of the elements that are kept, so that others take no memory. */
const USED = new Set([
  ...["report_metadata/org_name", "report_metadata/report_id", "policy_published/domain"],
  ...["report_metadata/date_range/begin", "report_metadata/date_range/end"],
  ...["row/source_ip", "row/count", "row/policy_evaluated/disposition", "row/policy_evaluated/dkim"],
  ...["row/policy_evaluated/spf", "identifiers/header_from"],
]);
const DISPOSITIONS = ["none", "quarantine", "reject"] as const;

/**
 * Parses an aggregate report in either form: RFC 9990, or RFC 7489 appendix C. Entities of a document type are not expanded. A
 * record that cannot be true is skipped. Throws ReportError when the report is not well-formed, incomplete, or beyond a bound.
 */
export function parseDmarcReport(xml: string): DmarcReport {
  const { head, records: rows } = readElements(xml);
  const from = Number.parseInt(head.get("report_metadata/date_range/begin") ?? "", 10) * SECOND_MS;
  const to = Number.parseInt(head.get("report_metadata/date_range/end") ?? "", 10) * SECOND_MS;
  const organization = head.get("report_metadata/org_name") ?? "";
  const reportId = head.get("report_metadata/report_id") ?? "";
  const domain = toDomain(head.get("policy_published/domain"));
  if (reportId === "" || domain === "") throw new ReportError("the report does not say whose it is");
  if (!isSpan(from, to)) throw new ReportError("the time of the report cannot be true");
  const records = rows.flatMap((row) => toRecord(row, domain) ?? []);
  return { kind: "dmarc", organization, reportId, from, to, domain, records, skipped: rows.length - records.length };
}

function toRecord(values: Values, domain: string): DmarcRecord | null {
  const source = parseIp(values.get("row/source_ip") ?? "")?.toString();
  const messages = Number(values.get("row/count") ?? Number.NaN);
  if (source === undefined || !isCount(messages)) return null;
  const evaluated = (name: string) => (values.get(`row/policy_evaluated/${name}`) ?? "").toLowerCase();
  const disposition = DISPOSITIONS.find((one) => one === evaluated("disposition")) ?? "none";
  return {
    source,
    messages,
    disposition,
    headerFrom: toDomain(values.get("identifiers/header_from")) || domain,
    dkim: evaluated("dkim") === "pass",
    spf: evaluated("spf") === "pass",
  };
}

const toDomain = (text: string | undefined) => (text ?? "").toLowerCase().replace(/\.$/, "");

/** Reads the elements of a report: those above the records, and those of each record. */
function readElements(xml: string): { head: Values; records: Values[] } {
  const [head, records, path]: [Values, Values[], string[]] = [new Map(), [], []];
  let [text, isComplete, isOpened, elements] = ["", false, false, 0];
  const parser = new Parser(
    {
      // With `onopentag` the parser would collect the attributes, without a bound.
      onopentagname(tag) {
        if (tag.length > bounds.nameCharacters) throw new ReportError("the name of an element is too long");
        const name = localName(tag);
        isOpened = true;
        elements += 1;
        if (elements > bounds.elements) throw new ReportError(`there are more than ${bounds.elements} elements`);
        if (path.length === 0 && (name !== "feedback" || isComplete)) throw new ReportError("this is no report");
        if (path.length === bounds.depth) throw new ReportError("the elements are nested too deep");
        path.push(name);
        if (path.length === 2 && name === "record") records.push(new Map());
        if (records.length > bounds.records) throw new ReportError(`there are more than ${bounds.records} records`);
        text = "";
      },
      ontext(part) {
        if (text.length <= bounds.valueCharacters) text += part;
      },
      onclosetag(_, isImplied) {
        // The parser calls the end of `<comment/>` implied.
        const isSelfClosed = isOpened && xml.slice(parser.endIndex - 1, parser.endIndex + 1) === "/>";
        if (isImplied && !isSelfClosed) throw new ReportError("the report is not well-formed, or was cut off");
        const isOfRecord = path[1] === "record";
        const values = isOfRecord ? records.at(-1) : head;
        const key = path.slice(isOfRecord ? 2 : 1).join("/");
        const value = USED.has(key) ? text.trim().slice(0, bounds.valueCharacters) : "";
        if (value !== "") values?.set(key, value);
        path.pop();
        text = "";
        isOpened = false;
        isComplete ||= path.length === 0;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  if (!isComplete) throw new ReportError("the report was cut off");
  return { head, records };
}

/** Returns the name of an element without its prefix, in lower case. */
const localName = (tag: string) => tag.slice(tag.indexOf(":") + 1).toLowerCase();
