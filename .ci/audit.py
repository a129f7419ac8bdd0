"""Read a test report: print what was skipped and how many real persons were rendered; fail on a shortfall."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]


def main(report: Path, persons: Path) -> int:
    """Exit status: 0 when the run covered what it must."""
    cases = list(ET.parse(report).getroot().iter("testcase"))
    skips = Counter(skip.get("message", "") for case in cases for skip in case.iter("skipped"))
    print(f"{len(cases)} tests, {sum(skips.values())} skipped")
    allowed = _lines(HERE / "skips.txt")
    unknown = [reason for reason in skips if reason not in allowed]
    for reason, count in skips.most_common():
        print(f"  skipped {count}: {reason}{'' if reason in allowed else '   NOT IN .ci/skips.txt'}")
    need = int(_lines(HERE / "persons.txt")[0])
    rendered = int(persons.read_text()) if persons.is_file() else 0
    print(f"{rendered} real persons rendered (at least {need} are needed)")
    return 1 if unknown or rendered < need else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
