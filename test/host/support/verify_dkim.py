"""Verifies DKIM signatures with dkimpy. Each block is preceded by its length in 4 bytes. The first block is a JSON object of TXT records by name; the others are messages."""

import json
import sys

import dkim


def block():
    size = sys.stdin.buffer.read(4)
    return sys.stdin.buffer.read(int.from_bytes(size, "big")) if len(size) == 4 else None


records = json.loads(block())


def lookup(name, timeout=5):
    return records.get(name.decode().rstrip("."), "").encode()


while (message := block()) is not None:
    results = []
    head = message.replace(b"\r\n", b"\n").split(b"\n\n", 1)[0].lower()
    for index in range((b"\n" + head).count(b"\ndkim-signature:")):
        try:
            results.append(bool(dkim.DKIM(message).verify(index, dnsfunc=lookup)))
        except Exception as error:
            results.append(f"{type(error).__name__}: {error}")
    print(json.dumps(results))
