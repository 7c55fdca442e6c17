"""System calls that a submission has no use for and that get past its limits: refused by the kernel
itself (seccomp). Linux only.

What the watch outside counts is the memory of processes. Memory that belongs to none of them (files
that have no name, System V's shared memory, pages shared without a file) is not
counted, and neither are file systems that a process mounts in namespaces of its own. They end with
"Operation not permitted".
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
"""Instructions of a filter, see bpf(4): load a word, jump if equal, jump if any bit is set, mask,
return.
"""
ALLOWED, REFUSAL = 0x7FFF0000, 0x00050000
NUMBER, MACHINE = 0, 4
"""The offsets at which a filter finds the call's number, and the machine it is for."""
FIRST, SECOND, THIRD, FOURTH = 16, 24, 32, 40
"""And the low halves of its arguments."""
NEW_NAMESPACES = 0x7E020000
SHARED, WITHOUT_FILE = 0x01, 0x20
"""Flags of clone(2) and of mmap(2)."""
NAMELESS_FILE = 0x400000
"""The flag O_TMPFILE of open(2), without that for folders."""
OF_SOCKETS, BUFFERS = 1, (7, 8, 32, 33)
"""SOL_SOCKET, and SO_SNDBUF, SO_RCVBUF and what forces them, of setsockopt(2): a socket keeps the
buffers it begins with.
"""
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The mark of each machine in a filter."""
REFUSED = {  # name: (its number on x86_64, on aarch64); None where the machine has no such call
    # memory that belongs to no process
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    # other processes: those of the sandbox itself are not limited as a submission is
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # file systems and namespaces
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
}
ABSENT = {"clone3": (435, 435), "openat2": (437, 437)}
"""Calls whose flags lie in memory, where a filter cannot look: libraries then use the older ones.
"""
BY_FLAGS = {
    "clone": (56, 220),
    "mmap": (9, 222),
    "open": (2, None),
    "openat": (257, 56),
    "setsockopt": (54, 208),
}


def refuse() -> bool:
    """From now on, for this process and all that it starts. False where the system or the machine
    has no such thing.
    """
    code = program_of_this_machine()
    if not code:
        return False
    text = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text))
    )
    libc = ctypes.CDLL(None)
    return (
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
        and libc.prctl(SECCOMP, FILTER, program, 0, 0) == 0
    )


def program_of_this_machine() -> bytes:
    """The filter as the system takes it; empty where the system or the machine has no such
    thing.
    """
    machine = platform.machine()
    if not sys.platform.startswith("linux") or machine not in MACHINES or sys.maxsize < 2**32:
        return b""
    return b"".join(struct.pack("HBBI", *step) for step in _program(machine))


Instruction = tuple[int, int, int, int]
"""(instruction, skip if so, skip if not, operand)."""
ALLOW: Instruction = (RETURN, 0, 0, ALLOWED)
REFUSE: Instruction = (RETURN, 0, 0, REFUSAL | errno.EPERM)
UNKNOWN: Instruction = (RETURN, 0, 0, REFUSAL | errno.ENOSYS)


def _program(machine: str) -> list[Instruction]:
    """The filter. What another machine's programs ask is refused, and so is x86_64's second set of
    numbers.
    """
    program = [
        (LOAD, 0, 0, MACHINE),
        (EQUALS, 1, 0, MACHINES[machine]),
        REFUSE,
        (LOAD, 0, 0, NUMBER),
        (ANY_BIT, 0, 1, 0x40000000),
        REFUSE,
    ]
    column = list(MACHINES).index(machine)
    answers: list[tuple[int | None, list[tuple[int, int, int, int]]]]
    answers = [(numbers[column], [REFUSE]) for numbers in REFUSED.values()]
    answers += [(numbers[column], [UNKNOWN]) for numbers in ABSENT.values()]
    answers += [(numbers[column], _by_flags(name)) for name, numbers in BY_FLAGS.items()]
    for number, instructions in answers:
        if number is not None:
            program += [(EQUALS, 0, len(instructions), number), *instructions]
    return [*program, ALLOW]


def _by_flags(name: str) -> list[Instruction]:
    """Returns the instructions for a call that only some flags forbid."""
    if name == "clone":
        return [(LOAD, 0, 0, FIRST), (ANY_BIT, 0, 1, NEW_NAMESPACES), REFUSE, ALLOW]
    if name == "mmap":
        without_file = SHARED | WITHOUT_FILE
        masked = [(LOAD, 0, 0, FOURTH), (AND, 0, 0, without_file)]
        return [*masked, (EQUALS, 0, 1, without_file), REFUSE, ALLOW]
    if name in ("open", "openat"):
        flags = SECOND if name == "open" else THIRD
        return [(LOAD, 0, 0, flags), (ANY_BIT, 0, 1, NAMELESS_FILE), REFUSE, ALLOW]
    buffers = [step for option in BUFFERS for step in ((EQUALS, 0, 1, option), REFUSE)]
    level = [(LOAD, 0, 0, SECOND), (EQUALS, 1, 0, OF_SOCKETS), ALLOW]
    return [*level, (LOAD, 0, 0, THIRD), *buffers, ALLOW]
