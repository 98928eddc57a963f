"""Reads messages with DMARC or TLS reports and prints what is in them, one JSON line each (blocks as in python.ts)."""
import email
import gzip
import io
import json
import struct
import sys
import zipfile
from datetime import datetime
from xml.etree import ElementTree


def blocks():
    while size := sys.stdin.buffer.read(4):
        yield sys.stdin.buffer.read(struct.unpack(">I", size)[0])


def files(message):
    for part in message.walk():
        if part.is_multipart() or (part.get_content_type() == "text/plain" and part.get_filename() is None):
            continue
        data = part.get_payload(decode=True)
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        elif data[:2] == b"PK":
            archive = zipfile.ZipFile(io.BytesIO(data))
            data = archive.read(archive.namelist()[0])
        yield data


def find(element, path):
    for name in path.split("/"):
        element = next((child for child in element if child.tag.split("}")[-1] == name), None)
        if element is None:
            return ""
    return (element.text or "").strip()


def dmarc(data):
    root = ElementTree.fromstring(data)
    rows = {}
    for record in root:
        if record.tag.split("}")[-1] != "record":
            continue
        key = " ".join(
            [find(record, "row/source_ip")] + [find(record, f"row/policy_evaluated/{name}") == "pass" and name or "-" for name in ("dkim", "spf")]
        )
        rows[key] = rows.get(key, 0) + int(find(record, "row/count"))
    times = [int(find(root, f"report_metadata/date_range/{name}")) * 1000 for name in ("begin", "end")]
    return ["dmarc", find(root, "report_metadata/org_name"), find(root, "report_metadata/report_id"), *times, rows]


def tls(data):
    report = json.loads(data)
    rows = {}
    for policy in report["policies"]:
        summary = policy["summary"]
        name = policy["policy"]["policy-domain"]
        good, bad = rows.get(name, [0, 0])
        rows[name] = [good + summary["total-successful-session-count"], bad + summary["total-failure-session-count"]]
    span = report["date-range"]
    times = [int(datetime.fromisoformat(span[name].replace("Z", "+00:00")).timestamp() * 1000) for name in ("start-datetime", "end-datetime")]
    return ["tls", report["organization-name"], report["report-id"], *times, rows]


for block in blocks():
    data = next(files(email.message_from_bytes(block))).strip()
    print(json.dumps(dmarc(data) if data[:1] == b"<" else tls(data)), flush=True)
