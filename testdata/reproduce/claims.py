# SPDX-License-Identifier: MIT
"""What a recipe found: reads the tables of sweeps, and says of each claim of a paper whether it holds here.

    claims = Claims()
    claims.check("(a) never faster", min(slowdowns) >= 1, f"1.00 to {max(slowdowns):.2f} times the time")
    claims.end()    # exit status 1 if a claim that is expected to hold does not
"""
import csv
import sys
import textwrap


class Claims:
    def __init__(self):
        self.failed = 0

    def check(self, claim, holds, numbers, differs_because=None):
        """Prints a claim, whether it holds, and the numbers. Why it is expected to differ, if it is."""
        self.say(claim, "")
        self.say(("holds: " if holds else "differs: ") + numbers, "  ")
        if not holds and differs_because:
            self.say("as expected: " + differs_because, "  ")
        elif not holds:
            self.failed += 1

    @staticmethod
    def say(text, indent="  "):
        print(textwrap.fill(text, 110, initial_indent=indent, subsequent_indent=indent + "    ",
                            break_on_hyphens=False, break_long_words=False))

    def end(self):
        if self.failed:
            print(f"{self.failed} of the claims that should hold do not")
        sys.exit(1 if self.failed else 0)


def rows(name):
    """The complete runs of a sweep, as dictionaries; exits if there is another."""
    with open(name, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    for row in table:
        if row["status"] != "complete":
            sys.exit(f"{name}: a run is {row['status']}: {row['message']}")
    return table
