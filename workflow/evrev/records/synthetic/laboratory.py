"""Laboratory tests for synthetic results."""

from __future__ import annotations

from typing import NamedTuple


class Assay(NamedTuple):
    """A laboratory test with the range its synthetic results are drawn from."""

    name: str
    unit: str
    site_unit: str
    low: float
    high: float
    digits: int


CHEMISTRY = (
    Assay("sodium", "mmol/L", "mEq/L", 128, 148, 0),
    Assay("potassium", "mmol/L", "mEq/L", 3.0, 5.6, 1),
    Assay("chloride", "mmol/L", "mmol/L", 94, 114, 0),
    Assay("bicarbonate", "mmol/L", "MMOL/L", 16, 32, 0),
    Assay("BUN", "mg/dL", "MG/DL", 8, 70, 0),
    Assay("creatinine", "mg/dL", "mg/dl", 0.5, 4.5, 2),
    Assay("glucose", "mg/dL", "mg/dL", 75, 320, 0),
    Assay("calcium", "mg/dL", "mg/dL", 7.2, 10.2, 1),
    Assay("anion gap", "", "", 5, 18, 0),
)
BLOOD_COUNT = (
    Assay("WBC x 1000", "K/mcL", "K/uL", 3.5, 24, 1),
    Assay("Hgb", "g/dL", "gm/dL", 7.0, 15.5, 1),
    Assay("Hct", "%", "%", 21, 46, 1),
    Assay("platelets x 1000", "K/mcL", "K/MM3", 60, 420, 0),
    Assay("RDW", "%", "%", 12, 19, 1),
)
BLOOD_GAS = (
    Assay("pH", "", "", 7.2, 7.5, 2),
    Assay("paCO2", "mm Hg", "mmHg", 28, 62, 0),
    Assay("paO2", "mm Hg", "mmHg", 55, 180, 0),
    Assay("FiO2", "%", "%", 21, 100, 1),
    Assay("ionized calcium", "mg/dL", "mmol/L", 0.9, 1.35, 2),
)
OTHERS = (
    Assay("PT - INR", "ratio", "", 0.9, 3.4, 1),
    Assay("magnesium", "mg/dL", "mg/dL", 1.4, 2.6, 1),
    Assay("lactate", "mmol/L", "mmol/L", 0.6, 6.5, 1),
    Assay("albumin", "g/dL", "G/DL", 1.8, 4.2, 1),
    Assay("total bilirubin", "mg/dL", "mg/dL", 0.2, 4.0, 1),
    Assay("AST (SGOT)", "Units/L", "U/L", 12, 190, 0),
)
TROPONIN = Assay("troponin - I", "ng/mL", "ng/mL", 0.0, 3.0, 2)
BEDSIDE_GLUCOSE = Assay("bedside glucose", "mg/dL", "mg/dL", 70, 640, 0)
TROPONIN_FLOOR = 0.02
GLUCOSE_CEILING = 600
