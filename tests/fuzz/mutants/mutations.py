# SPDX-License-Identifier: MIT
"""Damage to files: bytes, lines, tokens and numbers of any file, members of JSON, attributes of XML, fields of protobuf.

mutate() is a pure function of its random generator and the bytes; every operation takes (rng, data) and returns other
bytes, or None if it finds nothing to change.
"""
import json
import re

NUMBERS = [b"0", b"-1", b"1", b"2147483647", b"2147483648", b"-2147483649", b"4294967296", b"9223372036854775807",
           b"9223372036854775808", b"-9223372036854775809", b"18446744073709551615", b"18446744073709551616", b"1e309",
           b"-1e309", b"NaN", b"Infinity", b"1e-400", b"0.1", b"-0", b"1000000000000", b"16777217", b"00", b"0x10", b""]
WIDE = [0, 1, 2, 7, 127, 128, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1]
TEXTS = ["", " ", "\0", "x" * 5000, "\x1b[31m", "\n", "\u202e", "../x", "/", "é", "0", "null", "%s%n", "a\"b", "<&>", "-"]
SCALARS = [None, True, False, 0, -1, 2**31, 2**63, 2**64, 0.5, 1e300, "", "x", [], {}, [[]], {"a": 1}]
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
TOKEN = re.compile(rb"\w+|[^\w\s]")
XML_ATTRIBUTE = re.compile(rb"\s([\w:-]+)=\"([^\"]*)\"")
DEPTHS = [50, 500, 5000, 100000]


# ---- any file -------------------------------------------------------------------------------------------------------

def flip_bit(rng, data):
    if not data:
        return None
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]


def set_byte(rng, data):
    if not data:
        return None
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.choice([0, 1, 0x0A, 0x0D, 0x22, 0x7F, 0x80, 0xC3, 0xFF])]) + data[at + 1:]


def truncate(rng, data):
    return data[:rng.randrange(len(data))] if data else None


def cut_front(rng, data):
    return data[rng.randrange(1, len(data)):] if len(data) > 1 else None


def insert(rng, data):
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.choice([1, 2, 8, 64])) + data[at:]


def insert_run(rng, data):
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice([b"\0", b" ", b"\n", b"\xff", b"["]) * rng.choice([3, 300, 30000]) + data[at:]


def part(rng, size):
    first = rng.randrange(size)
    return first, min(size, first + rng.choice([1, 2, 5, 20, 200]))


def delete_part(rng, data):
    if not data:
        return None
    a, b = part(rng, len(data))
    return data[:a] + data[b:]


def repeat_part(rng, data):
    if not data:
        return None
    a, b = part(rng, len(data))
    return data[:b] + data[a:b] * rng.choice([1, 2, 50]) + data[b:]


def swap_parts(rng, data):
    if len(data) < 4:
        return None
    a, b, c, d = sorted(rng.randrange(len(data)) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


ANY = [flip_bit, set_byte, truncate, cut_front, insert, insert_run, delete_part, repeat_part, swap_parts]


# ---- text -----------------------------------------------------------------------------------------------------------

def of_lines(change):
    def operation(rng, data):
        lines = data.splitlines(keepends=True)
        return b"".join(change(rng, lines)) if len(lines) > 1 else None
    operation.__name__ = change.__name__
    return operation


@of_lines
def delete_line(rng, lines):
    at = rng.randrange(len(lines))
    return lines[:at] + lines[at + 1:]


@of_lines
def repeat_line(rng, lines):
    at = rng.randrange(len(lines))
    return lines[:at] + [lines[at]] * rng.choice([2, 3, 100]) + lines[at + 1:]


@of_lines
def swap_lines(rng, lines):
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return lines


@of_lines
def other_line_ends(rng, lines):
    return [line.rstrip(b"\r\n") + rng.choice([b"\r\n", b"\r"]) for line in lines]


def at_match(rng, data, pattern, change):
    found = list(pattern.finditer(data))
    if not found:
        return None
    m = rng.choice(found)
    return data[:m.start()] + change(m) + data[m.end():]


def other_number(rng, data):
    return at_match(rng, data, NUMBER, lambda m: rng.choice(NUMBERS))


def near_number(rng, data):
    def change(m):
        try:
            return str(int(m[0]) + rng.choice([-1, 1, 2, 10, 100])).encode()
        except ValueError:
            return m[0] + b"1"
    return at_match(rng, data, NUMBER, change)


def number_of_elsewhere(rng, data):
    found = NUMBER.findall(data)
    return at_match(rng, data, NUMBER, lambda m: rng.choice(found))


def delete_token(rng, data):
    return at_match(rng, data, TOKEN, lambda m: b"")


def repeat_token(rng, data):
    return at_match(rng, data, TOKEN, lambda m: m[0] + rng.choice([b" ", b""]) + m[0])


def token_of_elsewhere(rng, data):
    found = TOKEN.findall(data)
    return at_match(rng, data, TOKEN, lambda m: rng.choice(found))


def odd_text(rng, data):
    return at_match(rng, data, TOKEN, lambda m: rng.choice(TEXTS).encode())


def other_encoding(rng, data):
    text = data.decode("utf-8", errors="replace")
    return rng.choice([b"\xef\xbb\xbf" + data, text.encode("utf-16"), text.encode("utf-16-le")])


NUMERIC = [other_number, near_number, near_number, number_of_elsewhere]
TEXT = [delete_line, repeat_line, swap_lines, other_number, near_number, number_of_elsewhere,
        delete_token, repeat_token, token_of_elsewhere, odd_text, other_line_ends, other_encoding]


# ---- JSON, also line by line ----------------------------------------------------------------------------------------

class Members(list):
    """An object as a list of [key, value], which may contain duplicate keys."""


def json_text(value):
    if isinstance(value, Members):
        return "{" + ",".join(json.dumps(k) + ":" + json_text(v) for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return json.dumps(value)


def json_places(value, places):
    """[(container, index)] of all members and elements."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            places.append((value, i))
            json_places(item[1] if isinstance(value, Members) else item, places)
    return places


def change_json(rng, data):
    try:
        return change_member(rng, data)
    except (ValueError, RecursionError):  # it is not JSON, or has become part of itself
        return None


def change_member(rng, data):
    root = json.loads(data, object_pairs_hook=lambda pairs: Members([k, v] for k, v in pairs))
    places = json_places(root, [])
    if not places:
        return None
    container, index = rng.choice(places)
    is_object = isinstance(container, Members)
    value = container[index][1] if is_object else container[index]
    deep = None

    def put(new):
        if is_object:
            container[index] = [container[index][0], new]
        else:
            container[index] = new
    alike = [v for c, i in places for v in [c[i][1] if isinstance(c, Members) else c[i]] if type(v) is type(value)]
    how = rng.randrange(9)
    if type(value) in (int, float) and rng.random() < 0.6:
        put(rng.choice(WIDE + [0, 1, -1, value + 1, value - 1, -value, value * 1000] + rng.sample(alike, min(20, len(alike)))))
    elif isinstance(value, str) and rng.random() < 0.4:
        put(rng.choice(alike))
    elif how == 0:
        del container[index]
    elif how == 1:
        container.insert(rng.randrange(len(container) + 1), container[index])
    elif how == 2:
        put(rng.choice(SCALARS))
    elif how == 3:
        put(rng.choice(alike))
    elif how == 4:
        other, at = rng.choice(places)
        put(other[at][1] if isinstance(other, Members) else other[at])
    elif how == 5:
        put(str(value) if not isinstance(value, str) else rng.choice(TEXTS))
    elif how == 6:
        rng.shuffle(container)
    elif is_object:
        container[index] = [rng.choice(TEXTS + [k for k, _ in container]), value]
    else:
        deep = rng.choice(DEPTHS)
        put("DEEP")
    text = json_text(root)
    if deep:
        text = text.replace('"DEEP"', '[' * deep + rng.choice(["", "]" * deep]), 1)
    return text.encode("utf-8", errors="surrogatepass")


def change_json_line(rng, data):
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(lines)) if lines else 0
    new = change_json(rng, lines[at]) if lines else None
    return None if new is None else b"".join(lines[:at]) + new + b"\n" + b"".join(lines[at + 1:])


# ---- XML ------------------------------------------------------------------------------------------------------------

def other_attribute(rng, data):
    values = [m[2] for m in XML_ATTRIBUTE.finditer(data)]
    return at_match(rng, data, XML_ATTRIBUTE,
                    lambda m: b' %s="%s"' % (m[1], rng.choice(NUMBERS + values)))


def delete_attribute(rng, data):
    return at_match(rng, data, XML_ATTRIBUTE, lambda m: b"")


def repeat_attribute(rng, data):
    return at_match(rng, data, XML_ATTRIBUTE, lambda m: m[0] * 2)


def rename_attribute(rng, data):
    return at_match(rng, data, XML_ATTRIBUTE, lambda m: b' %s="%s"' % (rng.choice([b"x", b"cnt", b"id", b"deps"]), m[2]))


def nest_element(rng, data):
    deep = rng.choice(DEPTHS)
    return at_match(rng, data, re.compile(rb">"), lambda m: b">" + b"<tb>" * deep)


XML = [other_attribute, other_attribute, other_attribute, delete_attribute, repeat_attribute, rename_attribute,
       nest_element]


# ---- protobuf: messages preceded by their lengths, as in .et --------------------------------------------------------

def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError


def varint(value):
    out = bytearray()
    value &= 2**64 - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_fields(data):
    """[[number, field type, value]] of a message, or ValueError."""
    fields, at = [], 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        size = {1: 8, 5: 4}.get(wire, 0)
        if wire == 0:
            value, at = read_varint(data, at)
        elif wire in (1, 2, 5):
            if wire == 2:
                size, at = read_varint(data, at)
            if at + size > len(data):
                raise ValueError
            value = data[at:at + size]
            at += size
        else:
            raise ValueError
        fields.append([number, wire, value])
    return fields


def written_fields(fields):
    out = b""
    for number, wire, value in fields:
        out += varint(number << 3 | wire)
        out += varint(value) if wire == 0 else (varint(len(value)) if wire == 2 else b"") + value
    return out


def read_messages(data):
    messages, at = [], 0
    while at < len(data):
        size, at = read_varint(data, at)
        if at + size > len(data):
            raise ValueError
        messages.append(data[at:at + size])
        at += size
    return messages


def change_field(rng, message, ids):
    fields = read_fields(message)
    if not fields:
        return message
    at = rng.randrange(len(fields))
    number, wire, value = fields[at]
    if wire == 2 and rng.random() < 0.6:  # its contents, if they are a message
        try:
            fields[at] = [number, wire, change_field(rng, value, ids)]
            return written_fields(fields)
        except (ValueError, IndexError):
            pass
    how = rng.randrange(8)
    if how == 0:
        del fields[at]
    elif how == 1:
        fields.insert(rng.randrange(len(fields) + 1), list(fields[at]))
    elif how == 2:
        fields[at][0] = rng.choice([0, 1, 2, 3, 4, 5, 10, 15, 16, 29, 33, 2**29 - 1])
    elif how == 3:
        fields[at] = rng.choice([[number, 0, rng.choice(WIDE)], [number, 2, rng.randbytes(3)],
                                 [number, 5, rng.randbytes(4)], [number, 1, rng.randbytes(8)]])
    elif how == 4 and wire == 0:
        fields[at][2] = rng.choice(WIDE + ids)
    elif how == 5:
        fields.append([rng.choice([4, 5]), 0, rng.choice(ids + WIDE)])  # of a node: one more dependency
    elif how == 6:
        rng.shuffle(fields)
    elif wire == 2:
        fields[at][2] = rng.choice([b"", b"\xff", value * 2, value[:-1], rng.choice(TEXTS).encode(), b"\xc3("])
    return written_fields(fields)


def change_messages(rng, data):
    try:
        messages = read_messages(data)
        if not messages:
            return None
        ids = [0]
        for m in messages[1:]:
            ids += [v for n, w, v in read_fields(m) if n == 1 and w == 0]
        at = rng.randrange(len(messages))
        how = rng.randrange(10)
        if how == 0:
            del messages[at]
        elif how == 1:
            messages.insert(rng.randrange(len(messages) + 1), messages[at])
        elif how == 2:
            rng.shuffle(messages)
        elif how == 3:  # a false length
            before = b"".join(varint(len(m)) + m for m in messages[:at])
            after = b"".join(varint(len(m)) + m for m in messages[at + 1:])
            return before + varint(rng.choice(WIDE + [len(messages[at]) + 1])) + messages[at] + after
        else:
            messages[at] = change_field(rng, messages[at], ids)
        return b"".join(varint(len(m)) + m for m in messages)
    except (ValueError, IndexError):
        return None


# ---- tar ------------------------------------------------------------------------------------------------------------

def change_tar_header(rng, data):
    """Another value in one field of one header; the checksum is corrected, so that the field is read."""
    blocks = [at for at in range(0, len(data), 512) if data[at + 257:at + 262] == b"ustar"]
    if not blocks:
        return None
    at = rng.choice(blocks)
    header = bytearray(data[at:at + 512])
    first, size = rng.choice([(0, 100), (100, 8), (108, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 8), (345, 155)])
    new = rng.choice([b"", b"../x", b"/x.0.et", b"77777777777", b"0", b"-1", b"\x80" + b"\xff" * 11, b"x", b"5", b"L", b"g",
                      b"a.-1.et", b"w.0.et", b"w.07.et", b"00000000001"])[:size]
    header[first:first + size] = new + b"\0" * (size - len(new))
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return data[:at] + bytes(header) + data[at + 512:]


# ---- operations by kind of file -------------------------------------------------------------------------------------

BY_KIND = {
    "binary": ANY,
    "proto": [change_messages] * 24 + ANY,
    "tar": [change_tar_header] * 8 + ANY,
    "text": TEXT * 3 + NUMERIC * 4 + ANY,
    "xml": XML * 8 + NUMERIC * 2 + TEXT + ANY,
    "json": [change_json] * 30 + TEXT + ANY,
    "jsonl": [change_json_line] * 30 + TEXT + ANY,
}


def crossed(rng, data, other):
    """The beginning of one file with the end of another."""
    return data[:rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1):]


def mutate(rng, data, kind, other):
    """A mutant of `data`, and the names of the operations; `other` is a file that it may be crossed with."""
    original, names = data, []
    if rng.random() < 0.05:
        data = crossed(rng, data, other)
        names.append("crossed")
    rounds = rng.choice([1, 1, 1, 1, 2, 3])
    for _ in range(20):
        operation = rng.choice(BY_KIND[kind])
        new = operation(rng, data)
        if new is not None and new != data and len(new) < 1_000_000:
            data = new
            names.append(operation.__name__)
            rounds -= 1
        if rounds == 0 and data != original:
            break
    return data, names
