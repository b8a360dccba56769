#!/usr/bin/env python3
"""Reads a Perfetto trace from its bytes alone, with no .proto, and checks what a viewer relies on.

check_pftrace.py FILE: slices on a track nest, ends match begins, every track has a parent up to a process, names
are told before they are used, arrows that end have begun. Prints counts, and the time on each track.
"""
import collections
import json
import struct
import sys


def fields(data):
    """(field number, value) of a protobuf message; bytes for what is length-delimited."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "cut off"
        else:
            raise AssertionError(f"wire type {kind}")
        yield tag >> 3, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def one(message, number, default=None):
    for field, value in fields(message):
        if field == number:
            return value
    return default


def number_as_double(value):
    return struct.unpack("<d", struct.pack("<Q", value))[0]


class Trace:
    def __init__(self, data):
        self.tracks = {}  # uuid -> (name, parent, is process, is counter)
        self.names, self.texts, self.notes = {}, {}, {}
        self.events = collections.defaultdict(list)  # track -> (time, order, type, name, notes, flows, ends)
        self.counters = collections.defaultdict(list)
        self.categories = {}
        self.order = 0
        for number, packet in fields(data):
            assert number == 1
            self.packet(packet)

    def packet(self, packet):
        parts = collections.defaultdict(list)
        for field, value in fields(packet):
            parts[field].append(value)
        assert parts[10] == [1], "no sequence"
        for interned in parts[12]:
            self.intern(interned)
        for track in parts[60]:
            self.track(track)
        for event in parts[11]:
            self.event(parts[8][0], event)

    def intern(self, interned):
        tables = {1: self.categories, 2: self.names, 3: self.notes, 29: self.texts}
        for field, entry in fields(interned):
            iid, text = one(entry, 1), one(entry, 2).decode()
            assert iid not in tables[field]
            tables[field][iid] = text

    def track(self, track):
        uuid, process = one(track, 1), one(track, 3)
        name = one(process, 6) if process is not None else one(track, 2)
        assert uuid not in self.tracks
        self.tracks[uuid] = (name.decode(), one(track, 5), process is not None, one(track, 8) is not None)

    def event(self, time, event):
        kind, track = one(event, 9), one(event, 11)
        assert track in self.tracks, "an event before its track"
        self.order += 1
        if kind == 4:
            self.counters[track].append((time, number_as_double(one(event, 44))))
            return
        notes = {}
        name = self.names[one(event, 10)] if kind == 1 else None
        flows, ends = [], []
        for field, value in fields(event):
            if field == 4:
                text = one(value, 17)
                notes[self.notes[one(value, 1)]] = self.texts[text] if text is not None else one(value, 3)
            if field == 3:
                notes["category"] = self.categories[value]
            if field == 47:
                flows.append(value)
            if field == 48:
                ends.append(value)
        self.events[track].append((time, self.order, kind, name, notes, flows, ends))

    def slices(self):
        """Of all tracks, as a viewer makes them: events by time, those of one time as they stand in the file."""
        out = []
        for track, events in self.events.items():
            open_slices = []
            for time, order, kind, name, notes, flows, ends in sorted(events, key=lambda e: (e[0], e[1])):
                if kind == 1:
                    open_slices.append([track, name, time, None, notes, flows, ends, len(open_slices)])
                else:
                    assert open_slices, "an end without a begin"
                    done = open_slices.pop()
                    done[3] = time
                    out.append(done)
            assert not open_slices, "a slice without an end"
        return out


def check(trace):
    for name, parent, process, _ in trace.tracks.values():
        assert process or parent in trace.tracks, f"{name} hangs in the air"
    slices = trace.slices()
    begun, ended = collections.defaultdict(list), {}
    for s in slices:
        track, name, begin, end, notes, flows, ends, depth = s
        assert depth == 0, f"{name} inside another slice of {trace.tracks[track][0]}: overlapping ones swap ends"
        assert begin == notes["start_ps"] // 1000, name
        assert end == (notes["start_ps"] + notes["duration_ps"]) // 1000, name
        for flow in flows:
            begun[flow].append(s)
        for flow in ends:
            assert flow not in ended, "an arrow that ends twice"
            ended[flow] = s
    for flow, s in ended.items():
        assert begun[flow], f"an arrow from nowhere to {s[1]}"
        assert all(b[2] <= s[2] for b in begun[flow]), "an arrow back in time"
    for values in trace.counters.values():
        assert values == sorted(values, key=lambda v: v[0]), "a counter goes back in time"
    return slices, begun, ended


def main():
    trace = Trace(open(sys.argv[1], "rb").read())
    slices, begun, ended = check(trace)
    time = collections.Counter()
    count = collections.Counter()
    for s in slices:
        name = trace.tracks[s[0]][0]
        time[name] += s[4]["duration_ps"]
        count[name] += 1
    print(json.dumps({
        "slices": len(slices), "arrows": len(ended),
        "tracks": {name: {"slices": count[name], "picoseconds": time[name]} for name in sorted(count)},
        "counters": {trace.tracks[t][0]: {"values": len(v), "most": max(x for _, x in v)}
                     for t, v in trace.counters.items()},
        "processes": [name for name, _, process, _ in trace.tracks.values() if process],
    }, indent=1))


if __name__ == "__main__":
    main()
