"""Fluids, diluents and other orders that are no drug, and the drugs that resemble them."""

from __future__ import annotations

import pytest

from evrev.medication import is_not_a_drug

NOT_A_DRUG = {
    "sodium chloride": (
        "0.9%NaCl 1,000 mL",
        "Sodium Chloride 3% 500 ml",
        "NSS infusion",
        "NS 0.9%",
        "SODIUM CHLORIDE BACTERIOSTATIC 0.9 % INJ SOLN",
        "NORMAL SALINE 0.9%",
    ),
    "dextrose and mixtures": (
        "DEXTROSE 50% SYRINGE",
        "D50",
        "D5W 1000 ml",
        "DEXTROSE-NACL 5-0.45 % IV SOLN",
        "DEXT 5%-NACL 0.45%-KCL 20MEQ LVP",
        "DEXTROSE 5% IN NORMAL SALINE IV : 1000 ML BAG",
    ),
    "balanced solutions": (
        "LACTATED RINGERS IV SOLN",
        "RINGERS SOLUTION,LACTATED",
        "LR 1,000 mL",
        "plasma-LYte 148",
    ),
    "water": ("STERILE WATER", "WATER FOR INJECTION, STERILE"),
    "flushes": (
        "SALINE FLUSH",
        "saline lock 0.9 % flush 10 mL",
        "HEPARIN FLUSH 10 UNIT/ML",
        "HEPARIN SODIUM LOCK FLUSH 10 UNIT/ML IV SOLN",
        "heparin lock 100 units/ml",
    ),
    "nutrition": ("Parenteral Nutrition", "TPN ELECTROLYTES", "FAT EMULSION 20 % IV EMUL", "INTRALIPID 20 %"),
    "contrast": ("IOPAMIDOL 61 % IV SOLN", "OPTIRAY 320", "DEFINITY", "contrast oral"),
    "vaccines": (
        "PNEUMOCOCCAL 23-VALPS VACCINE 25 MCG/0.5 ML",
        "INFLUENZA VAC SPLIT QUAD 0.5 ML IM SUSP",
        "PNU-IMMUNE-23 25 MCG/0.5 ML INJ",
        "ASSESS PNEUMOCOCCAL VACCINE",
    ),
    "eye and mouth care": (
        "REFRESH P.M. OP OINT",
        "artificial tears oph soln",
        "BIOTENE DRY MOUTH MT LIQD",
        "CHLORHEXIDINE GLUCONATE 0.12 % MT SOLN",
        "chlorHEXIDINE (PERIOGARD) 0.12 % oral rinse",
    ),
    "kits": ("LIDOCAINE-TRANSPARENT DRESSING 4 % EXTERNAL KIT",),
    "consults": ("VANCOMYCIN CONSULT TO PHARMACY",),
    "no drug named": ("", "(null)", "RANGE PRN"),
}
DRUGS = (
    "POTASSIUM CHLORIDE 20 MEQ PO PACK",
    "KCL IN DEXTROSE-NACL 20-5-0.45 MEQ/L-%-% IV SOLN",
    "KCL 20 MEQ/50 ML",
    "POTASSIUM CHLORIDE IN NACL 20-0.9 MEQ/L-% IV SOLN",
    "MAGNESIUM SULFATE IN D5W 10-5 MG/ML-% IV SOLN",
    "SODIUM BICARBONATE 8.4 %",
    "sodium phosphate 3 mmol/mL",
    "calcium gluconate",
    "ALBUMIN HUMAN 25 % IV SOLN",
    "INSULIN REGULAR HUMAN 100 UNIT/ML",
    "insulin",
    "heparin (porcine) injection 5,000 Units",
    "HEPARIN/DEXTROSE 5% 25000 UNITS/250 ML BAG",
    "WARFARIN - PHYSICIAN MONITORED",
    "PROPOFOL IV EMULSION",
    "cefazolin (ANCEF) in Dextrose ivpb 2 g",
    "flumazenil",
    "fludrocortisone 0.1 mg",
    "VITAMIN D3 1,000 UNITS",
    "latanoprost 0.005 % op soln",
    "NYSTATIN 100,000 UNIT/ML MT SUSP",
    "MULTIVITAMIN",
    "glucose 40 % po gel",
)


@pytest.mark.parametrize(("kind", "names"), NOT_A_DRUG.items())
def test_an_order_of_this_class_is_no_drug(kind: str, names: tuple[str, ...]) -> None:
    assert [name for name in names if not is_not_a_drug(name)] == [], kind


@pytest.mark.parametrize("name", DRUGS)
def test_electrolytes_albumin_insulin_and_drugs_in_a_carrier_stay(name: str) -> None:
    assert not is_not_a_drug(name)
