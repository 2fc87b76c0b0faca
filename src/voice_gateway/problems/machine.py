"""What can be wrong with this machine, its settings and files, conversations and commands."""

from voice_gateway.problems.problem import Problem
from voice_gateway.problems.sentences import (
    CLOCK_NOT_SET,
    FILE_DAMAGED,
    FOLDER_OPEN,
    FOLDER_UNUSABLE,
    FOREIGN_SOCKET,
    LITTLE_SPACE,
    MEMORY_LOST,
    PACKAGE_MISSING,
    PIN_LOCKED,
    SECOND_GATEWAY,
    SETTINGS_READABLE,
    SETTINGS_WRONG,
)

DATA_FOLDER = Problem(
    "data folder",
    (FOLDER_UNUSABLE, LITTLE_SPACE),
    "what is kept there, such as timers and conversations, cannot be kept; everything else works",
    "free space, owner of the folder; `XDG_DATA_HOME` names another",
    "by itself when the folder can be written",
)
FOLDER_SHARED = Problem(
    "data folder (others)",
    (FOLDER_OPEN,),
    "what is said and set here can be read by others; the gateway closes the folder when it is its own",
    "its owner and its rights: `chmod 700`; `XDG_DATA_HOME` names another",
    "with the next start",
)
SETTINGS = Problem(
    "settings",
    (SETTINGS_WRONG,),
    "a file, a variable or an option says what cannot be; nothing starts, and commands end with code 2",
    "`voice-gateway config check` names each mistake",
    "with the next start",
)
SETTINGS_OPEN = Problem(
    "settings (others)",
    (SETTINGS_READABLE,),
    "whoever reads that file can use what is in it: a token of Home Assistant is the whole home",
    "`chmod 600` for that file",
    "with the next start",
)
INSTALLATION = Problem(
    "installation",
    (PACKAGE_MISSING,),
    "the gateway was installed only in part",
    "run `make setup` again",
    "with the next start",
)
CLOCK = Problem(
    "clock",
    (CLOCK_NOT_SET,),
    "this machine has no clock that runs on without power, so reminders and certificates are wrong",
    "set the clock, or install chrony",
    "by itself when the clock is right",
)
MEMORY = Problem(
    "`memory`",
    (MEMORY_LOST,),
    "the store of conversations cannot be used; every sentence is answered as if it were the first",
    "`brain.store`: is Redis running, are address, login and options right; or is there space in the data"
    " folder, and who owns it (`XDG_DATA_HOME` names another)",
    "with the next sentence after the store is back; a Redis by itself",
)
PIN = Problem(
    "`pin`",
    (PIN_LOCKED,),
    "somebody said or typed too many wrong PINs at this gateway; until then the right one does not count"
    " either, and each further wrong one doubles the time, up to an hour",
    "who it was; `permission.pin`",
    "by itself; the right PIN then forgets the wrong ones",
)

THIS_MACHINE = (
    DATA_FOLDER,
    FOLDER_SHARED,
    SETTINGS,
    SETTINGS_OPEN,
    INSTALLATION,
    CLOCK,
)
CONVERSATIONS = (
    MEMORY,
    Problem(
        "`memory` and others (damaged)",
        (FILE_DAMAGED,),
        "a disk error, or a write that was cut off; what could be read is in the new file",
        "the disk; the damaged file stays beside the new one, with `.damaged` behind its name",
        "by itself, at once",
    ),
    PIN,
    Problem(
        "commands",
        (SECOND_GATEWAY,),
        "two gateways of one user; both answer their own doors, `ask` and `status` reach the first",
        "whether you want two",
        "by itself when the first one ends",
    ),
    Problem(
        "commands (another user)",
        (FOREIGN_SOCKET,),
        "another user listens where your gateway's socket would be, so nothing is sent there",
        "who made the folder of that socket; where `XDG_RUNTIME_DIR` leads",
        "with the next command after that socket is gone",
    ),
)
