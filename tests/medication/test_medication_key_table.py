"""Medication names in the style of hospital order systems, with the keys a reader would give them."""

from __future__ import annotations

import pytest

from evrev.medication import MedicationKey, medication_key

ONE_DRUG = {
    # strengths, forms and routes
    "PANTOPRAZOLE SODIUM 40 MG PO TBEC": "pantoprazole",
    "metoprolol (LOPRESSOR) tab 25 mg": "metoprolol",
    "heparin (porcine) injection 5,000 Units": "heparin",
    "LEVOTHYROXINE 0.05 MG TAB": "levothyroxine",
    "GUAIFENESIN ER 600 MG PO TB12": "guaifenesin",
    "PANTOPRAZOLE 40 MG TABLET,DELAYED RELEASE": "pantoprazole",
    "OMEPRAZOLE 20 MG PO CAP-DEL-REL": "omeprazole",
    "NICOTINE 21 MG/24HR TD PT24": "nicotine",
    "NYSTATIN 100,000 UNIT/GRAM POWDER": "nystatin",
    "FERROUS SULFATE 325 (65 FE) MG PO TABS": "ferrous sulfate",
    "EPINEPHRINE 1:10,000 SYRINGE": "epinephrine",
    "81 mg aspirin": "aspirin",
    "POLYETHYLENE GLYCOL 3350 17 GRAM ORAL POWDER PACKET": "polyethylene glycol",
    "morphine sulfate 2 mg/ml ij/iv soln": "morphine",
    "MEPERIDINE RANGE INJ": "meperidine",
    # case, width, blanks, marks
    "fentaNYL citrate (PF)": "fentanyl",
    "  LORazepam \u00a0 (ATIVAN)\tinj  1 mg ": "lorazepam",
    "ＡＳＰＩＲＩＮ ８１ ｍｇ": "aspirin",
    "<<norepinephrine 4 mg/4 mL Inj": "norepinephrine",
    "*lisinopril*": "lisinopril",
    "magnesium sulfate ivpb.": "magnesium sulfate",
    # markers
    "PRMX NOREPInephrine 4 mg/250 mL NS Drip": "norepinephrine",
    "PROPOFOL 1000 MG/100 ML (PMX)": "propofol",
    "CEFAZOLIN 2 GM IN NS 100 ML IVPB (REPACKAGE)": "cefazolin",
    "FENTANYL CITRATE 0.05 MG/ML INJ SOLN (RANGE) PRN": "fentanyl",
    "magnesium sulfate 1 g in d5w 100mL **LOCKED DOSE": "magnesium sulfate",
    "NaCl 0.9% MBP": "sodium chloride",
    "DEXT 5% IN WATER 1000 ML LVP": "dextrose",
    "WARFARIN - PHYSICIAN MONITORED": "warfarin",
    "VANCOMYCIN CONSULT TO PHARMACY": "vancomycin",
    "ASSESS PNEUMOCOCCAL VACCINE": "pneumococcal vaccine",
    # leading and trailing containers
    "150 ML FLEX CONT : LEVOFLOXACIN IN D5W 5 MG/ML IV SOLN": "levofloxacin",
    "2 ML  -  FUROSEMIDE 10 MG/ML IJ SOLN": "furosemide",
    ".5 ML VIAL : ATROPINE SULFATE 1 MG/ML IJ SOLN": "atropine",
    "1 EACH PACKAGE CUSTOM NDC : METOPROLOL TARTRATE 12.5 MG PO TABS (HALF-TAB)": "metoprolol",
    "1 ML CRTRDG-NDL : MORPHINE SULFATE (PF) 2 MG/ML IV SOLN": "morphine",
    "ATROPINE 0.1 MG/ML SYRINGE : 10 ML SYRINGE": "atropine",
    "NOREPINEPHRINE BITARTRATE 1 MG/ML IV : 4 ML": "norepinephrine",
    # parentheses
    "GLUCAGON (HUMAN RECOMBINANT) 1 MG INJ RECON SOLN": "glucagon",
    "ACETAMINOPHEN (TYLENOL": "acetaminophen",
    "ALBUMIN (HUMAN) (PLASBUMIN-5) 5% infusion 25 g": "albumin",
    # carriers
    "KCL IN DEXTROSE-NACL 20-5-0.45 MEQ/L-%-% IV SOLN": "potassium chloride",
    "1000 ML  -  KCL IN DEXTROSE-NACL 20-5-0.45 MEQ/L-%-% IV SOLN": "potassium chloride",
    "HEPARIN (PORCINE) IN D5W 50-5 UNIT/ML-% IV SOLN": "heparin",
    "Heparin (Porcine) in 1/2 NS": "heparin",
    "HEPARIN/DEXTROSE 5% 25000 UNITS/250 ML BAG": "heparin",
    "potassium chloride ivpb in SW": "potassium chloride",
    "POTASSIUM CHLORIDE IN NACL 40 MEQ IN 250 ML (PREMIX)": "potassium chloride",
    "CEFAZOLIN 2 G IN STERILE WATER 20 ML SYRINGE IV": "cefazolin",
    "CALCIUM GLUCONATE 1 GRAM/D5W 50ML": "calcium gluconate",
    "VANCOMYCIN 1.5 G/500 ML NS": "vancomycin",
    "MAGNESIUM SULFATE 2G/SODIUM CHLORIDE 0.9% 100ML STOCK BAG": "magnesium sulfate",
    "magnesium sulfate IVPB D5W 1 g 100 mL": "magnesium sulfate",
    "furosemide w/ 50 ML NS": "furosemide",
    "ALTEPLASE/NS": "alteplase",
    "cefepime in D5W (MAXIPIME) ivpb 1 g": "cefepime",
    "DEXTROSE 50 % IN WATER (D50W) IV SYRINGE": "dextrose",
    # IN as a form
    "IPRATROPIUM BROMIDE 0.02 % IN SOLN": "ipratropium",
    "ALBUTEROL SULFATE (5 MG/ML) 0.5% IN NEBU": "albuterol",
    "TIOTROPIUM BROMIDE MONOHYDRATE 18 MCG IN CAPS": "tiotropium",
    "ALBUTEROL SULFATE HFA 108 (90 BASE) MCG/ACT IN AERS": "albuterol",
    "BECLOMETHASONE IN AEPB": "beclomethasone",
    # names that were cut off
    "HEPARIN 25,000 unit(s) in D5W 25": "heparin",
    "INSULIN (REGULAR) 100 UNITS in 1": "insulin regular",
    "potassium CHLORIDE 20 mEq in": "potassium chloride",
    "POTASSIUM CL IN WATER 20MEQ/50": "potassium chloride",
    "niCARdipine 40 MG in 200 mL NS RTU-": "nicardipine",
    "NITROGLYCERIN 50 mg in D5W 250 mL R": "nitroglycerin",
    "MORPHINE SULFATE 2 MG/M": "morphine",
    "vancomycin 1 g in NS P": "vancomycin",
    # salts
    "METHYLPREDNISOLONE SOD SUCC": "methylprednisolone",
    "DEXAMETHASONE SODIUM PHOSPHATE 4 MG/ML IJ SOLN": "dexamethasone",
    "HYDROCORTISONE NA SUCCINATE PF 100 MG IJ SOLR": "hydrocortisone",
    "LOSARTAN POTASSIUM 50 MG PO TABS": "losartan",
    "PENICILLIN G POTASSIUM 5 MILLION UNITS": "penicillin g",
    "diltiazem-hcl 30 mg": "diltiazem",
    "ISOSORBIDE MONONITRATE ER 30 MG PO TB24": "isosorbide mononitrate",
    "ISOSORBIDE DINITRATE 20 MG TAB": "isosorbide dinitrate",
    "sodium chloride": "sodium chloride",
    "POTASSIUM CHLORIDE CRYS ER 20 MEQ PO TBCR": "potassium chloride",
    "POTASSIUM PHOSPHATE DIBASIC 3 MMOLE/ML IV : 15 ML VIAL": "potassium phosphate",
    "sodium phosphate 3 mmol/mL15 mL Inj": "sodium phosphate",
    "SODIUM POLYSTYRENE SULFONATE 15 G/60 ML PO SUSP": "sodium polystyrene sulfonate",
    "SODIUM BICARBONATE 8.4 % (1 MEQ/ML) IV SYRINGE : 50 ML SYRINGE": "sodium bicarbonate",
    "CALCIUM CARBONATE 200 MG CALCIUM (500 MG) ORAL CHEW TAB": "calcium carbonate",
    "MAGNESIUM OXIDE 400 (241.3 MG) MG PO TABS": "magnesium oxide",
    "magnesium-sulfate": "magnesium sulfate",
    # names joined by hyphens, commas and slashes that are one drug
    "SOLU-MEDROL": "solu-medrol",
    "TRANSDERM-SCOP": "transderm-scop",
    "plasma-LYte 148 infusion": "plasma-lyte",
    "KLOR-CON,K-TAB": "klor-con",
    "K-Dur 20": "k-dur",
    "K-TAB 10 MEQ": "k-tab",
    "NITRO-BID 2 % TD OINT": "nitro-bid",
    "SENOKOT-S TAB": "senokot-s",
    "N-ACETYLCYSTEINE 600 MG": "n-acetylcysteine",
    "OMEGA-3 FATTY ACIDS 1 G PO CAPS": "omega-3 fatty acids",
    "5-fluorouracil": "5-fluorouracil",
    "NORMODYNE;TRANDATE": "normodyne",
    "PROVENTIL,VENTOLIN": "proventil",
    "ASPIRIN, CHILDREN'S": "aspirin",
    "RINGERS SOLUTION,LACTATED": "lactated ringers",
    "LACTATED RINGER'S 1,000 ML BAG.": "lactated ringers",
    "LIDOCAINE W/O EPINEPHRINE 1 %": "lidocaine",
    # abbreviations
    "KCL 20 MEQ/50 ML": "potassium chloride",
    "NSS infusion": "sodium chloride",
    "NS 1,000 mL": "sodium chloride",
    "LR 1,000 mL": "lactated ringers",
    "SODIUM CHL 0.9% FLUSHSYRG(10ML)": "sodium chloride",
    "MAGNESIUM SULF 2 G/50 ML NS": "magnesium sulfate",
    "vit k 10 mg": "vitamin k",
    "VITAMIN B-12 1000 MCG TAB": "vitamin b12",
    "VITAMIN D3 1,000 UNITS": "vitamin d3",
    "VITAMIN D 1000 UNITS PO TABS": "vitamin d",
    # insulins
    "INSULIN REGULAR HUMAN 100 UNIT/ML IJ SOLN": "insulin regular",
    "REGULAR insulin": "insulin regular",
    "INSULIN HUM-REG (PER UNIT)": "insulin regular",
    "INSULIN-GLARGINE *UNIT* INJ": "insulin glargine",
    "INSULIN LISPRO, RECOMBINANT": "insulin lispro",
    "insulin lispro (HumaLOG) injection 0-20 Units": "insulin lispro",
    "insulin aspart Corrective dosing": "insulin aspart",
    "insulin NPH & regular human 70/30": "insulin nph regular",
    "INSULIN LANTUS (PER UNIT)": "insulin lantus",
    # how an answer may put it
    "1. Metoprolol tartrate 25 mg by mouth twice daily with food": "metoprolol",
    "MEDICATION | metoprolol (LOPRESSOR) tab 25 mg | 25 mg | PO | BID": "metoprolol",
    "PANTOPRAZOLE SODIUM 40 MG PO TBEC | 40 mg | PO | BID AC": "pantoprazole",
}

COMBINATIONS = {
    "HYDROCODONE-ACETAMINOPHEN 10-325 MG PO TABS": ("hydrocodone", "acetaminophen"),
    "HYDROCODONE-ACETAMINOPHEN 5-32": ("hydrocodone", "acetaminophen"),
    "HYDROCODONE 5 MG-ACETAMINOPHEN 325 MG TABLET": ("hydrocodone", "acetaminophen"),
    "HYDROCODONE/APAP 5MG/325MG": ("hydrocodone", "acetaminophen"),
    "OXYCODONE-ACETAMIN 5-325 MG": ("oxycodone", "acetaminophen"),
    "IPRATROPIUM-ALBUTEROL 0.5-2.5 (3) MG/3ML IN SOLN": ("ipratropium", "albuterol"),
    "albuterol and ipratropium neb": ("albuterol", "ipratropium"),
    "PIPERACILLIN SOD-TAZOBACTAM SO 3-0.375 G IV SOLR": ("piperacillin", "tazobactam"),
    "PIPERACILLIN - TAZOBACTAM 3.375 G": ("piperacillin", "tazobactam"),
    "MAG/ALUM HYDROXIDE W/SIMETH": ("magnesium hydroxide", "aluminum hydroxide", "simethicone"),
    "ALUM & MAG HYDROXIDE-SIMETH 200-200-20 MG/5ML PO SUSP": (
        "aluminum hydroxide",
        "magnesium hydroxide",
        "simethicone",
    ),
    "POTASSIUM & SODIUM PHOSPHATES 280-160-250 MG PO PACK": ("potassium phosphate", "sodium phosphate"),
    "AMOXICILLIN-POT CLAVULANATE 875-125 MG PO TABS": ("amoxicillin", "clavulanate"),
    "LIDOCAINE-PRILOCAINE 2.5-2.5 % EX CREA": ("lidocaine", "prilocaine"),
    "CALCIUM CARBONATE-VITAMIN D 500 MG-200 UNIT PO TABS": ("calcium carbonate", "vitamin d"),
    "DEXTROSE-NACL 5-0.45 % IV SOLN": ("dextrose", "sodium chloride"),
    "DEXT 5%-NACL 0.45%-KCL 20MEQ LVP": ("dextrose", "sodium chloride", "potassium chloride"),
    "piperacillin+tazobactam": ("piperacillin", "tazobactam"),
}

NOTHING_LEFT = [
    "",
    "   ",
    "(null)",
    "12",
    "5 mg",
    "PO TABS",
    "MEDICATION |  | 40 mg | PO | BID",
    "\x00\n",
    "***",
    "[{",
]


@pytest.mark.parametrize(("name", "key"), ONE_DRUG.items())
def test_a_name_of_one_drug_has_the_key_of_its_ingredient(name: str, key: str) -> None:
    assert medication_key(name) == MedicationKey(key, False, (key,))


@pytest.mark.parametrize(("name", "components"), COMBINATIONS.items())
def test_a_combination_is_ambiguous_with_its_components_in_order(
    name: str, components: tuple[str, ...]
) -> None:
    assert medication_key(name) == MedicationKey("+".join(sorted(components)), True, components)


@pytest.mark.parametrize("name", NOTHING_LEFT)
def test_a_name_that_names_no_drug_has_an_empty_key(name: str) -> None:
    assert medication_key(name) == MedicationKey("", False, ())


@pytest.mark.parametrize("name", ["insulin", "INSULIN INFUSION", "insulin 70/30", "insulin (sliding scale)"])
def test_an_insulin_of_no_named_type_is_ambiguous(name: str) -> None:
    assert medication_key(name) == MedicationKey("insulin", True, ("insulin",))


@pytest.mark.parametrize(
    "name", ["INSULIN ASPART PROT & ASPART (HUMAN) 100 UNIT/ML", "insulin aspart/protamine", "INSULIN-ASPART"]
)
def test_an_insulin_name_is_never_a_combination(name: str) -> None:
    assert not medication_key(name).ambiguous


def test_the_order_of_a_combination_does_not_change_its_key() -> None:
    assert medication_key("ACETAMIN/HYDROCODONE").key == medication_key("HYDROCODONE-ACETAMINOPHEN").key


def test_metoprolol_tartrate_and_succinate_share_one_key() -> None:
    tartrate, succinate = (
        medication_key("METOPROLOL TARTRATE 25 MG"),
        medication_key("METOPROLOL SUCCINATE ER"),
    )
    assert tartrate == succinate == medication_key("metoprolol")


def test_brands_keep_their_own_keys_without_the_alias_table() -> None:
    assert [medication_key(name).key for name in ("ZOFRAN", "NORCO 5/325 TAB", "ZOSYN 3.375 GRAM INJ")] == [
        "zofran",
        "norco",
        "zosyn",
    ]
