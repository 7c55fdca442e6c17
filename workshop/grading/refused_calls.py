"""System calls that a submission has no use for and that get past its limits: refused by the kernel itself (seccomp). Linux only.

What the watch outside counts is the memory of processes. Memory that belongs to none of them (files that have no name,
System V's shared memory, pages shared without a file) would be counted by nobody, nor would file systems that a process
mounts in namespaces of its own. They end with "Operation not permitted".
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
"""Of prctl(2)."""
LOAD, EQUALS, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
"""Instructions of a filter, see bpf(4): load a word, jump if equal, jump if any bit is set, mask, return."""
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000
NUMBER, MACHINE, FIRST, FOURTH = 0, 4, 16, 40
"""Where a filter finds the call's number, the machine it is for, and the low half of its arguments."""
NEW_NAMESPACES = 0x7E020000
SHARED, WITHOUT_FILE = 0x01, 0x20
"""Flags of clone(2) and of mmap(2)."""
MACHINES = {
    "x86_64": (0xC000003E, {"memfd_create": 319, "memfd_secret": 447, "shmget": 29, "unshare": 272, "setns": 308, "mount": 165,
                            "io_uring_setup": 425, "clone": 56, "clone3": 435, "mmap": 9}),
    "aarch64": (0xC00000B7, {"memfd_create": 279, "memfd_secret": 447, "shmget": 194, "unshare": 97, "setns": 268, "mount": 40,
                             "io_uring_setup": 425, "clone": 220, "clone3": 435, "mmap": 222}),
}
"""Each machine's own mark, and its numbers of the calls."""


def refuse() -> bool:
    """From now on, for this process and all that it starts. False where the system or the machine has no such thing."""
    if not sys.platform.startswith("linux") or platform.machine() not in MACHINES or sys.maxsize < 2**32:
        return False
    code = b"".join(struct.pack("HBBI", *it) for it in _program(*MACHINES[platform.machine()]))
    text = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None)
    return libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and libc.prctl(SECCOMP, FILTER, program, 0, 0) == 0


def _program(machine: int, calls: dict[str, int]) -> list[tuple[int, int, int, int]]:
    """(instruction, skip if so, skip if not, operand) of the filter. What another machine's programs ask is refused."""
    refused, missing = (RETURN, 0, 0, REFUSED | errno.EPERM), (RETURN, 0, 0, REFUSED | errno.ENOSYS)
    program = [(LOAD, 0, 0, MACHINE), (EQUALS, 1, 0, machine), refused,
               (LOAD, 0, 0, NUMBER), (ANY_BIT, 0, 1, 0x40000000), refused]  # a second set of numbers, on x86_64
    for name, number in calls.items():
        if name == "clone":
            what = [(LOAD, 0, 0, FIRST), (ANY_BIT, 0, 1, NEW_NAMESPACES), refused, (RETURN, 0, 0, ALLOWED)]
        elif name == "mmap":
            what = [(LOAD, 0, 0, FOURTH), (AND, 0, 0, SHARED | WITHOUT_FILE), (EQUALS, 0, 1, SHARED | WITHOUT_FILE), refused,
                    (RETURN, 0, 0, ALLOWED)]
        else:  # its flags lie in memory, where a filter cannot look: libraries then use clone
            what = [missing if name == "clone3" else refused]
        program += [(EQUALS, 0, len(what), number), *what]
    return [*program, (RETURN, 0, 0, ALLOWED)]
