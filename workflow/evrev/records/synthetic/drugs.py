"""Drug names for synthetic orders: public knowledge, in the words of no particular hospital."""

from __future__ import annotations

from typing import Literal, NamedTuple

Form = Literal["oral", "injection", "infusion", "inhaled"]


class Drug(NamedTuple):
    """A single-ingredient drug: `amounts` are usual doses in `unit`, `tall` its tall-man spelling if any."""

    name: str
    salt: str
    brand: str
    form: Form
    amounts: tuple[str, ...]
    unit: str
    tall: str = ""


DRUGS: tuple[Drug, ...] = (
    Drug("pantoprazole", "sodium", "Protonix", "oral", ("40",), "mg"),
    Drug("metoprolol", "tartrate", "Lopressor", "oral", ("25", "50"), "mg"),
    Drug("furosemide", "", "Lasix", "injection", ("20", "40"), "mg"),
    Drug("ondansetron", "HCl", "Zofran", "injection", ("4",), "mg"),
    Drug("acetaminophen", "", "Tylenol", "oral", ("325", "500", "650"), "mg"),
    Drug("aspirin", "", "", "oral", ("81", "325"), "mg"),
    Drug("heparin", "sodium", "", "injection", ("5,000",), "unit"),
    Drug("enoxaparin", "sodium", "Lovenox", "injection", ("40", "60"), "mg"),
    Drug("lisinopril", "", "Prinivil", "oral", ("5", "10", "20"), "mg"),
    Drug("atorvastatin", "calcium", "Lipitor", "oral", ("20", "40", "80"), "mg"),
    Drug("docusate", "sodium", "Colace", "oral", ("100",), "mg"),
    Drug("morphine", "sulfate", "", "injection", ("2", "4"), "mg"),
    Drug("vancomycin", "HCl", "Vancocin", "infusion", ("750", "1,000"), "mg"),
    Drug("potassium chloride", "", "Klor-Con", "oral", ("10", "20"), "mEq"),
    Drug("lorazepam", "", "Ativan", "injection", ("0.5", "1"), "mg", "LORazepam"),
    Drug("fentanyl", "citrate", "Sublimaze", "injection", ("25", "50"), "mcg", "fentaNYL"),
    Drug("hydromorphone", "HCl", "Dilaudid", "injection", ("0.5", "1"), "mg", "HYDROmorphone"),
    Drug("famotidine", "", "Pepcid", "oral", ("20",), "mg"),
    Drug("albuterol", "sulfate", "Proventil", "inhaled", ("2.5",), "mg"),
    Drug("ceftriaxone", "sodium", "Rocephin", "infusion", ("1", "2"), "g"),
    Drug("levofloxacin", "", "Levaquin", "infusion", ("500", "750"), "mg"),
    Drug("amlodipine", "besylate", "Norvasc", "oral", ("5", "10"), "mg", "amLODIPine"),
    Drug("carvedilol", "", "Coreg", "oral", ("3.125", "6.25", "12.5"), "mg"),
    Drug("clopidogrel", "bisulfate", "Plavix", "oral", ("75",), "mg"),
    Drug("warfarin", "sodium", "Coumadin", "oral", ("2.5", "5"), "mg"),
    Drug("levothyroxine", "sodium", "Synthroid", "oral", ("50", "100"), "mcg"),
    Drug("gabapentin", "", "Neurontin", "oral", ("100", "300"), "mg"),
    Drug("simvastatin", "", "Zocor", "oral", ("20", "40"), "mg"),
    Drug("quetiapine", "fumarate", "Seroquel", "oral", ("25", "50"), "mg", "QUEtiapine"),
    Drug("sertraline", "HCl", "Zoloft", "oral", ("25", "50"), "mg"),
    Drug("prednisone", "", "Deltasone", "oral", ("10", "20"), "mg", "predniSONE"),
    Drug("hydralazine", "HCl", "Apresoline", "oral", ("25", "50"), "mg", "hydrALAZINE"),
    Drug("diltiazem", "HCl", "Cardizem", "oral", ("30", "60"), "mg"),
    Drug("digoxin", "", "Lanoxin", "oral", ("0.125", "0.25"), "mg"),
    Drug("levetiracetam", "", "Keppra", "oral", ("500", "750"), "mg", "levETIRAcetam"),
    Drug("bisacodyl", "", "Dulcolax", "oral", ("5", "10"), "mg"),
    Drug("citalopram", "", "Celexa", "oral", ("10", "20"), "mg"),
    Drug("zolpidem", "tartrate", "Ambien", "oral", ("5",), "mg"),
    Drug("oxycodone", "HCl", "Roxicodone", "oral", ("5", "10"), "mg", "oxyCODONE"),
    Drug("tramadol", "HCl", "Ultram", "oral", ("50",), "mg", "traMADol"),
    Drug("trazodone", "HCl", "Desyrel", "oral", ("50", "100"), "mg", "traZODone"),
    Drug("tamsulosin", "HCl", "Flomax", "oral", ("0.4",), "mg"),
    Drug("allopurinol", "", "Zyloprim", "oral", ("100", "300"), "mg"),
    Drug("spironolactone", "", "Aldactone", "oral", ("25",), "mg"),
    Drug("montelukast", "sodium", "Singulair", "oral", ("10",), "mg"),
    Drug("losartan", "potassium", "Cozaar", "oral", ("25", "50"), "mg"),
    Drug("metformin", "HCl", "Glucophage", "oral", ("500",), "mg", "metFORMIN"),
    Drug("folic acid", "", "", "oral", ("1",), "mg"),
    Drug("thiamine", "HCl", "", "oral", ("100",), "mg"),
    Drug("midazolam", "HCl", "Versed", "injection", ("1", "2"), "mg"),
    Drug("propofol", "", "Diprivan", "injection", ("10",), "mg"),
    Drug("haloperidol", "lactate", "Haldol", "injection", ("2", "5"), "mg"),
    Drug("ketorolac", "tromethamine", "Toradol", "injection", ("15", "30"), "mg"),
    Drug("diphenhydramine", "HCl", "Benadryl", "injection", ("25", "50"), "mg", "diphenhydrAMINE"),
    Drug("metoclopramide", "HCl", "Reglan", "injection", ("5", "10"), "mg"),
    Drug("naloxone", "HCl", "Narcan", "injection", ("0.4",), "mg"),
    Drug("labetalol", "HCl", "Trandate", "injection", ("10", "20"), "mg"),
    Drug("cefazolin", "sodium", "Ancef", "infusion", ("1", "2"), "g", "ceFAZolin"),
    Drug("meropenem", "", "Merrem", "infusion", ("500", "1,000"), "mg"),
    Drug("azithromycin", "", "Zithromax", "infusion", ("500",), "mg"),
    Drug("magnesium sulfate", "", "", "infusion", ("1", "2"), "g"),
    Drug("ipratropium", "bromide", "Atrovent", "inhaled", ("0.5",), "mg"),
    Drug("budesonide", "", "Pulmicort", "inhaled", ("0.25", "0.5"), "mg"),
    Drug("norepinephrine", "bitartrate", "Levophed", "infusion", ("4", "8"), "mg"),
    Drug("amiodarone", "HCl", "Pacerone", "oral", ("200",), "mg"),
    Drug("nitroglycerin", "", "Nitrostat", "oral", ("0.4",), "mg"),
    Drug("hydrocortisone", "", "Cortef", "oral", ("10", "20"), "mg"),
    Drug("methylprednisolone", "sodium succinate", "Solu-Medrol", "injection", ("40", "125"), "mg"),
    Drug("octreotide", "acetate", "Sandostatin", "injection", ("50", "100"), "mcg"),
    Drug("cefepime", "HCl", "Maxipime", "infusion", ("1", "2"), "g"),
    Drug("clindamycin", "phosphate", "Cleocin", "infusion", ("600", "900"), "mg"),
    Drug("fluconazole", "", "Diflucan", "oral", ("100", "200"), "mg"),
    Drug("phenytoin", "sodium", "Dilantin", "oral", ("100",), "mg"),
    Drug("bumetanide", "", "Bumex", "oral", ("0.5", "1"), "mg"),
    Drug("esomeprazole", "magnesium", "Nexium", "oral", ("20", "40"), "mg"),
    Drug("dobutamine", "HCl", "Dobutrex", "infusion", ("250",), "mg", "DOBUTamine"),
)
"""The earlier a drug stands, the oftener it is ordered."""

INSULINS = (
    "NovoLOG",
    "insulin lispro (HumaLOG) inj",
    "INSULIN REGULAR HUMAN 100 UNIT/ML IJ SOLN",
    "LANTUS",
    "insulin glargine (LANTUS) inj",
    "INSULIN ASPART  100 UNIT/ML SC SOLN",
    "insulin",
)
COMBINATIONS = (
    ("HYDROCODONE-ACETAMINOPHEN 5-325 MG PO TABS", "1-2 5002"),
    ("oxycodone-acetaminophen (PERCOCET) tab 5-325 mg", "1 tab(s)"),
    ("Norco 5 mg-325 mg oral tablet", "1 tablet"),
    ("PIPERACILLIN/TAZOBACTAM  3.375 GM IV VIAL", "3.375 GM"),
    ("piperacillin-tazobactam (ZOSYN) IVPB 4.5 g", "4.5 g"),
    ("DuoNeb", "3 mL"),
    ("IPRATROPIUM-ALBUTEROL 0.5-2.5 (3) MG/3ML IN SOLN", "3 1"),
    ("Senokot-S", "2 tablet"),
)
NOT_DRUGS = (
    ("1000 ML  -  SODIUM CHLORIDE 0.9 % IV SOLN", "125 mL/hr"),
    ("sodium chloride 0.9% flush 10 mL", "10 mL"),
    ("LACTATED RINGERS IV SOLN", "1,000 mL"),
    ("DEXTROSE 5%-WATER IV SOLN", "75 mL/hr"),
    ("1000 ML  -  SODIUM CHLORIDE 0.9 % IV SOLN", "100 mL/hr"),
    ("sodium chloride 0.9 % 250 mL", "250 mL"),
    ("SODIUM CHLORIDE 0.9 % IJ SOLN", "3 mL"),
    ("Normal Saline  bolus", "500 mL"),
    ("HEPARIN LOCK FLUSH 100 UNIT/ML IV SOLN", "5 1"),
    ("STERILE WATER FOR INJECTION", "10 ML"),
    ("IOHEXOL 350 MG/ML IV SOLN (contrast)", "100 mL"),
    ("influenza virus vaccine", "0.5 mL"),
    ("artificial tears ophth soln", "2 DROP"),
    ("Fat emulsion 20% IV", "250 mL"),
)
ROUTES: dict[Form, tuple[str, ...]] = {
    "oral": ("PO", "Oral", "ORAL", "PER NG TUBE", "PO (oral)"),
    "injection": ("IV", "IV Push", "IVP", "Intravenous", "SubQ", "IM"),
    "infusion": ("IVPB", "IV", "Intravenous", "IV Piggyback"),
    "inhaled": ("INH", "NEB", "Nebulization", "Inhalation"),
}
ROUTE_PLACEHOLDERS = ("MISC", ".ROUTE", "DEVICE")
FREQUENCIES = (
    "Daily", "DAILY", "BID", "TID", "Q6H PRN", "Q4H", "Q8H", "Q12H", "Once", "ONCE X1", "Nightly", "QHS",
    "qDay", "q 6 hour PRN", "Every 4 hours PRN", "2 times daily", "DAILY (0900)", "daily", "Continuous", "",
)  # fmt: skip
FREQUENCY_PLACEHOLDERS = (".STK-MED", "Pyxis", "See Admin Notes")
