import { Parser } from "htmlparser2";
import { parseIp } from "../../lib/ip-addresses.ts";
import { bounds, isCount, isSpan } from "./rules.ts";
import { type DmarcRecord, type DmarcReport, ReportError } from "./types.ts";

/** Texts of elements, by their path below `feedback` or `record`, such as `row/count`. The last of several counts. */
type Values = Map<string, string>;

const SECOND_MS = 1_000;
const DISPOSITIONS = ["none", "quarantine", "reject"] as const;

/**
 * Parses an aggregate report in either form: RFC 9990, or RFC 7489 appendix C. Entities of a document type are not expanded. Throws
 * ReportError when it is not well-formed, incomplete, beyond a bound, or has a record that cannot be true.
 */
export function parseDmarcReport(xml: string): DmarcReport {
  const { head, records } = readElements(xml);
  const from = Number.parseInt(head.get("report_metadata/date_range/begin") ?? "", 10) * SECOND_MS;
  const to = Number.parseInt(head.get("report_metadata/date_range/end") ?? "", 10) * SECOND_MS;
  const organization = head.get("report_metadata/org_name") ?? "";
  const reportId = head.get("report_metadata/report_id") ?? "";
  const domain = toDomain(head.get("policy_published/domain"));
  if (organization === "" || reportId === "" || domain === "")
    throw new ReportError("the report does not say whose it is");
  if (!isSpan(from, to)) throw new ReportError("the time of the report cannot be true");
  return {
    kind: "dmarc",
    organization,
    reportId,
    from,
    to,
    domain,
    records: records.map((row) => toRecord(row, domain)),
  };
}

function toRecord(values: Values, domain: string): DmarcRecord {
  const source = parseIp(values.get("row/source_ip") ?? "")?.toString();
  const messages = Number(values.get("row/count") ?? "");
  if (source === undefined) throw new ReportError("a record has no address of a server");
  if (!isCount(messages)) throw new ReportError("a record has no count");
  const evaluated = (name: string) => (values.get(`row/policy_evaluated/${name}`) ?? "").toLowerCase();
  const disposition = DISPOSITIONS.find((one) => one === evaluated("disposition")) ?? "none";
  return {
    ...{ source, messages, disposition },
    headerFrom: toDomain(values.get("identifiers/header_from")) || domain,
    dkim: evaluated("dkim") === "pass",
    spf: evaluated("spf") === "pass",
  };
}

const toDomain = (text: string | undefined) => (text ?? "").toLowerCase().replace(/\.$/, "");

/** Reads the elements of a report: those above the records, and those of each record. */
function readElements(xml: string): { head: Values; records: Values[] } {
  const [head, records, path]: [Values, Values[], string[]] = [new Map(), [], []];
  let [text, isComplete] = ["", false];
  const parser = new Parser(
    {
      onopentag(tag) {
        const name = localName(tag);
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
        if (isImplied) throw new ReportError("the report is not well-formed, or was cut off");
        const isOfRecord = path[1] === "record";
        const values = isOfRecord ? records.at(-1) : head;
        const value = text.trim().slice(0, bounds.valueCharacters);
        if (value !== "") values?.set(path.slice(isOfRecord ? 2 : 1).join("/"), value);
        path.pop();
        text = "";
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
