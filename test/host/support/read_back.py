"""Reads messages, each preceded by its length in 4 octets, and prints one JSON line for each: how Python reads it."""

import base64
import json
import sys
from email import message_from_bytes, policy


def part(message):
    kind = message.get_content_type()
    if message.is_multipart():
        return {"type": kind, "children": [part(child) for child in message.iter_parts()]}
    octets = message.get_payload(decode=True)
    out = {"type": kind, "octets": base64.b64encode(octets).decode()}
    if message.get_content_disposition():
        out["disposition"] = message.get_content_disposition()
        out["filename"] = message.get_filename()
    if message["content-id"]:
        out["contentId"] = str(message["content-id"])
    return out


def mailboxes(message, name):
    header = message[name]
    if header is None:
        return []
    return [{"name": a.display_name, "address": f"{a.username}@{a.domain}"} for a in header.addresses]


def read(octets):
    message = message_from_bytes(octets, policy=policy.default)
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
    octets = sys.stdin.buffer.read(int.from_bytes(size, "big"))
    try:
        line = read(octets)
    except Exception as error:  # The reader's own failure is an answer too: the test decides.
        line = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(line))
