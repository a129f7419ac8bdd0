"""The eICU tables evrev reads: their columns, and what each is needed for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """One source table. Only these columns are read; `integers` must hold whole numbers throughout."""

    name: str
    integers: tuple[str, ...]
    texts: tuple[str, ...]
    needed_for: str

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that must stand in the file."""
        return self.integers + self.texts


_STAY = "patientunitstayid"
_PERIODIC = """
    temperature sao2 heartrate respiration cvp etco2 systemicsystolic systemicdiastolic systemicmean
    pasystolic padiastolic pamean st1 st2 st3 icp"""
_APERIODIC = """
    noninvasivesystolic noninvasivediastolic noninvasivemean paop cardiacoutput cardiacinput svr svri
    pvr pvri"""

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table(
            "patient",
            (
                _STAY,
                "patienthealthsystemstayid",
                "hospitaldischargeyear",
                "unitvisitnumber",
                "unitdischargeoffset",
            ),
            ("uniquepid", "age", "gender"),
            "every batch takes its persons, stays and the split from it",
        ),
        Table(
            "medication",
            ("medicationid", _STAY, "drugorderoffset", "drugstartoffset"),
            ("drugordercancelled", "drugname", "drughiclseqno", "dosage", "routeadmin", "frequency"),
            "every batch renders D1, the medication orders, from it",
        ),
        Table(
            "diagnosis",
            ("diagnosisid", _STAY, "diagnosisoffset"),
            ("diagnosisstring",),
            "every batch renders D2, the problem list, from it",
        ),
        Table(
            "lab",
            ("labid", _STAY, "labresultoffset"),
            ("labname", "labresulttext", "labmeasurenamesystem"),
            "every batch renders D3, the laboratory results, from it",
        ),
        Table(
            "treatment",
            ("treatmentid", _STAY, "treatmentoffset"),
            ("treatmentstring",),
            "E4 and the large size take treatment records from it",
        ),
        Table(
            "vitalPeriodic",
            ("vitalperiodicid", _STAY, "observationoffset"),
            tuple(_PERIODIC.split()),
            "the length levels render monitored vital signs from it",
        ),
        Table(
            "vitalAperiodic",
            ("vitalaperiodicid", _STAY, "observationoffset"),
            tuple(_APERIODIC.split()),
            "the length levels render measured vital signs from it",
        ),
        Table(
            "nurseCharting",
            ("nursingchartid", _STAY, "nursingchartoffset"),
            ("nursingchartcelltypevallabel", "nursingchartcelltypevalname", "nursingchartvalue"),
            "the length levels render nursing entries from it",
        ),
    )
}
"""By name, in the order in which they are read."""

CHARTING = ("vitalPeriodic", "vitalAperiodic", "nurseCharting")
"""The tables that only the length levels render, in the order in which a day's documents stand."""

CORE = tuple(name for name in TABLES if name not in CHARTING)
"""The tables that documents D1-D4 and the large size are made of."""
