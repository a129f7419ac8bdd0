"""The gold audit: what a scenario says, derived a second time from the CSV tables by SQL.

Nothing here imports the rooms that build records or scenarios. The definition of a medication key is shared
(`evrev.medication`), as are the file formats; window, filters, order, rendering, support and expected answers
are written anew from docs/choices.md.
"""

from __future__ import annotations

from evrev.scenarios.audit.batch import Batch, audit_batch
from evrev.scenarios.audit.report import Finding, Report
from evrev.scenarios.audit.source import Source

__all__ = ["Batch", "Finding", "Report", "Source", "audit_batch"]
