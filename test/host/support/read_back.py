"""Parses messages, each preceded by its length in 4 bytes, and prints one JSON line with the result for each."""

import base64
import json
import sys
from email import message_from_bytes, message_from_string, policy
from email.header import decode_header, make_header
from email.utils import getaddresses


def part(message):
    kind = message.get_content_type()
    if message.is_multipart():
        return {"type": kind, "children": [part(child) for child in message.iter_parts()]}
    data = message.get_payload(decode=True)
    out = {"type": kind, "bytes": base64.b64encode(data).decode()}
    if message.get_content_disposition():
        out["disposition"] = message.get_content_disposition()
        # get_filename() would remove angle brackets.
        out["filename"] = message["content-disposition"].params.get("filename")
    if message["content-id"]:
        out["contentId"] = str(message["content-id"])
    return out


def mailboxes(message, name):
    """Returns the addresses from the new parser and the names from the old one: up to Python 3.12 the new parser keeps
    the white space between encoded-words of a phrase, against RFC 2047 6.2 (email._header_value_parser)."""
    header = message[name]
    if header is None:
        return []
    raw = dict((n.lower(), v) for n, v in message.raw_items())[name]
    names = [str(make_header(decode_header(n))) for n, _ in getaddresses([raw.replace("\r\n", "")])]
    if len(header.addresses) not in (len(names), 0):
        raise ValueError(f"the two parsers of Python see {len(header.addresses)} and {len(names)} mailboxes")
    return [{"name": n, "address": f"{a.username}@{a.domain}"} for n, a in zip(names, header.addresses)]


def read(data):
    # message_from_bytes expects ASCII headers, so a message with UTF-8 headers (RFC 6532) is parsed as text.
    if data.isascii():
        message = message_from_bytes(data, policy=policy.default)
    else:
        message = message_from_string(data.decode("utf-8"), policy=policy.SMTPUTF8)
    defects = [type(d).__name__ for p in message.walk() for d in p.defects]
    return {
        "headers": [[name.lower(), str(value)] for name, value in message.items()],
        "subject": str(message["subject"]),
        "addresses": {
            key: mailboxes(message, name)
            for key, name in (("from", "from"), ("to", "to"), ("cc", "cc"), ("replyTo", "reply-to"))
        },
        "date": message["date"].datetime.timestamp(),
        "tree": part(message),
        "defects": defects,
    }


while True:
    size = sys.stdin.buffer.read(4)
    if len(size) < 4:
        break
    data = sys.stdin.buffer.read(int.from_bytes(size, "big"))
    try:
        line = read(data)
    except Exception as error:  # The test decides whether a failure of the parser is expected.
        line = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(line))
