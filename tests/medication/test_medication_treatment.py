"""Which treatment paths name a drug, and the paths that only seem to."""

from __future__ import annotations

import pytest

from evrev.medication import load_aliases, treatment_drug

ALIASES = load_aliases()
KNOWN = frozenset(
    {
        "heparin",
        "insulin",
        "insulin regular",
        "glucose",
        "enoxaparin",
        "furosemide",
        "norepinephrine",
        "pantoprazole",
        "haloperidol",
        "haldol",
        "albuterol",
        "warfarin",
        "docusate",
        "piperacillin",
        "nicotine",
        "sodium chloride",
        "magnesium hydroxide",
        "dopamine",
        "vasopressin",
        "phenylephrine",
        "piperacillin+tazobactam",
    }
)

NAMED = {
    "cardiovascular|vascular disorders|VTE prophylaxis|low molecular weight heparin|enoxaparin": "enoxaparin",
    "gastrointestinal|medications|diuretic|IV furosemide": "furosemide",
    "cardiovascular|shock|vasopressors|norepinephrine > 0.1 micrograms/kg/min": "norepinephrine",
    "cardiovascular|shock|inotropic agent|dopamine  5-15 micrograms/kg/min": "dopamine",
    "cardiovascular|shock|vasopressors|dopamine <= 5 micrograms/kg/min": "dopamine",
    "endocrine|x|vasopressin 0.04 units/min": "vasopressin",
    "gastrointestinal|medications|stress ulcer prophylaxis|pantoprazole|IV": "pantoprazole",
    "pulmonary|medications|bronchodilator|beta-agonist|albuterol (Proventil, Ventolin)": "albuterol",
    "pulmonary|medications|inhaled albuterol": "albuterol",
    "neurologic|vasopressors|phenylephrine (Neosynephrine)": "phenylephrine",
    " a | b | Furosemide ": "furosemide",
}
NOT_NAMED = (
    "cardiovascular|arrhythmias|anticoagulant administration|low molecular weight heparin",
    "cardiovascular|arrhythmias|anticoagulant administration|conventional heparin therapy|intravenous",
    "cardiovascular|intravenous fluid|heparin lock IV fluids",
    "renal|electrolyte correction|treatment of hyperkalemia|insulin / glucose",
    "endocrine|glucose metabolism|insulin|continuous infusion",
    "endocrine|glucose metabolism|insulin|subcutaneous dose of regular insulin",
    "infectious diseases|medications|therapeutic antibacterials|penicillins|piperacillin/tazobactam",
    "pulmonary|medications|nicotine patch",
    "neurologic|hypertonic saline administration",
    "cardiovascular|antiplatelet agent|aspirin",
    "",
    "|||",
)


@pytest.mark.parametrize(("path", "drug"), NAMED.items())
def test_a_whole_segment_names_its_drug_without_rate_brackets_and_route(path: str, drug: str) -> None:
    assert treatment_drug(path, KNOWN, ALIASES) == drug
    assert treatment_drug(path, KNOWN, None) == drug


@pytest.mark.parametrize("path", NOT_NAMED)
def test_a_drug_inside_a_longer_phrase_is_not_named(path: str) -> None:
    assert treatment_drug(path, KNOWN, ALIASES) is None
    assert treatment_drug(path, KNOWN, None) is None


@pytest.mark.parametrize(
    ("segment", "drug"), [("haldol", "haloperidol"), ("coumadin", "warfarin"), ("doss (Colace)", "docusate")]
)
def test_an_alias_names_its_ingredient_and_only_with_the_table(segment: str, drug: str) -> None:
    path = f"neurologic|medications|{segment}"
    assert treatment_drug(path, KNOWN - {"haldol"}, ALIASES) == drug
    assert treatment_drug(path, KNOWN - {"haldol"}, None) is None


def test_the_last_segment_that_names_a_drug_counts() -> None:
    assert treatment_drug("furosemide|enoxaparin|subcutaneous", KNOWN, ALIASES) == "enoxaparin"
    assert treatment_drug("furosemide|haldol", {"furosemide"}, ALIASES) == "furosemide"


def test_a_drug_no_order_names_is_not_known() -> None:
    assert treatment_drug("a|furosemide", frozenset(), ALIASES) is None
