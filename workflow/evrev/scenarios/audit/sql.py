"""The rules of docs/choices.md as SQL: what of a source row is rendered, how, and in which order."""

from __future__ import annotations

MACROS = r"""
CREATE MACRO clean(t) AS trim(regexp_replace(coalesce(t, ''), '[\p{Z}\p{Cc}]+', ' ', 'g'), ' ');
CREATE MACRO field(t) AS clean(replace(coalesce(t, ''), '|', '/'));
CREATE MACRO shown(t) AS CASE WHEN lower(field(t)) IN
  ('pyxis', '.stk-med', 'misc', '.route', 'device', 'see admin notes') THEN '' ELSE field(t) END;
CREATE MACRO dose(t) AS CASE WHEN regexp_matches(shown(t), '[0-9]') AND regexp_matches(shown(t), '[\p{L}%]')
  THEN shown(t) ELSE '' END;
CREATE MACRO path(t) AS array_to_string(list_filter(list_transform(
  string_split(coalesce(t, ''), '|'), lambda part: clean(part)), lambda part: part <> ''), '|');
CREATE MACRO number(t) AS CAST(trim(t) AS BIGINT);
CREATE MACRO icu_day(minutes) AS CAST(greatest(0, floor(minutes / 1440.0)) AS BIGINT);
CREATE MACRO words(t) AS regexp_extract_all(lower(t), '[\p{L}\p{N}]+');
"""

STAYS = """
CREATE TABLE stays AS
WITH named AS (
  SELECT clean(uniquepid) AS person, number(patientunitstayid) AS stay,
    number(unitdischargeoffset) AS discharge, number(hospitaldischargeyear) AS year,
    number(unitvisitnumber) AS visit FROM patient),
persons AS (
  SELECT person, row_number() OVER (ORDER BY sha256('evrev-split-1:' || person), person) - 1 AS place,
    count(*) OVER () AS n FROM (SELECT DISTINCT person FROM named)),
sizes AS (
  SELECT any_value(CAST(round_even(n * 147 / 362.0, 0) AS BIGINT)) AS development,
    any_value(CAST(round_even(n * 54 / 362.0, 0) AS BIGINT)) AS calibration FROM persons)
SELECT stay, person, discharge, 'p' || substr(sha256('evrev-patient:' || person), 1, 8) AS patient,
  CASE WHEN place < development THEN 'development'
    WHEN place < development + calibration THEN 'calibration' ELSE 'sealed' END AS "partition",
  row_number() OVER (PARTITION BY person ORDER BY year, visit, stay) - 1 AS stay_order
FROM named JOIN persons USING (person), sizes
"""

DRUGS = """
CREATE TABLE drug (mode TEXT, name TEXT, lexical TEXT, resolved TEXT, ambiguous BOOL, components TEXT[],
  no_drug BOOL);
CREATE TABLE treated (mode TEXT, path TEXT, resolved TEXT);
"""

ORDERS = """
CREATE TABLE orders AS
WITH fields AS (
  SELECT number(patientunitstayid) AS stay, number(drugstartoffset) AS start,
    number(drugorderoffset) AS placed, number(medicationid) AS id, field(drugname) AS name,
    clean(concat_ws(' | ', 'MEDICATION', field(drugname), dose(dosage), shown(routeadmin),
      shown(frequency))) AS line
  FROM medication WHERE lower(clean(drugordercancelled)) <> 'yes'),
kept AS (
  SELECT fields.* FROM fields JOIN stays USING (stay)
  JOIN drug ON drug.name = fields.name AND drug.mode = 'on' AND NOT drug.no_drug
  WHERE start BETWEEN -1440 AND discharge
  QUALIFY row_number() OVER (PARTITION BY stay, lower(line) ORDER BY start, placed, id, line) = 1)
SELECT *, icu_day(start) AS day,
  row_number() OVER (PARTITION BY stay ORDER BY start, placed, id, line) AS position FROM kept
"""

PROBLEMS = """
CREATE TABLE problems AS
WITH kept AS (
  SELECT stay, number(diagnosisoffset) AS minute, number(diagnosisid) AS id, path(diagnosisstring) AS path
  FROM diagnosis JOIN stays ON stay = number(patientunitstayid)
  WHERE number(diagnosisoffset) BETWEEN -1440 AND discharge AND path(diagnosisstring) <> ''
  QUALIFY row_number() OVER (PARTITION BY stay, lower(path(diagnosisstring))
    ORDER BY minute, id, path(diagnosisstring)) = 1)
SELECT stay, path, clean('PROBLEM | ' || path) AS line,
  row_number() OVER (PARTITION BY stay ORDER BY minute, id, path) AS position FROM kept
"""

RESULTS = """
CREATE TABLE results AS
WITH kept AS (
  SELECT stay, number(labresultoffset) AS minute, number(labid) AS id, field(labname) AS name,
    clean('LAB | ' || field(labname) || ' | ' || field(labresulttext) || ' ' || field(labmeasurenamesystem))
      AS line
  FROM lab JOIN stays ON stay = number(patientunitstayid)
  WHERE number(labresultoffset) BETWEEN -1440 AND discharge
    AND field(labname) <> '' AND field(labresulttext) <> '')
SELECT *, icu_day(minute) AS day,
  row_number() OVER (PARTITION BY stay ORDER BY minute, id, line) AS position FROM kept
"""

TREATMENTS = """
CREATE TABLE treatments AS
WITH kept AS (
  SELECT stay, number(treatmentoffset) AS minute, number(treatmentid) AS id, path(treatmentstring) AS path
  FROM treatment JOIN stays ON stay = number(patientunitstayid)
  WHERE number(treatmentoffset) BETWEEN -1440 AND discharge AND path(treatmentstring) <> '')
SELECT stay, path, clean('TREATMENT | ' || path) AS line, icu_day(minute) AS day,
  row_number() OVER (PARTITION BY stay ORDER BY minute, id, path) AS position FROM kept
"""

KNOWN = """
SELECT DISTINCT resolved FROM drug SEMI JOIN orders USING (name) WHERE mode = ? AND NOT ambiguous
"""

_SIGNS = {
    "vitalPeriodic": """vitalperiodicid temperature sao2 heartrate respiration cvp etco2 systemicsystolic
      systemicdiastolic systemicmean pasystolic padiastolic pamean st1 st2 st3 icp""",
    "vitalAperiodic": """vitalaperiodicid noninvasivesystolic noninvasivediastolic noninvasivemean paop
      cardiacoutput cardiacinput svr svri pvr pvri""",
}
"""The number of a row, and its columns in their order."""


def charting(table: str) -> str:
    """The lines of a table that only length levels render: each value, or the first of each clock hour."""
    if table == "nurseCharting":
        values = """
          SELECT number(patientunitstayid) AS stay, number(nursingchartoffset) AS minute,
            number(nursingchartid) AS id, 0 AS place,
            field(nursingchartcelltypevallabel) || ' | ' || field(nursingchartcelltypevalname) AS variable,
            field(nursingchartvalue) AS value,
            clean(concat_ws(' | ', 'CHARTING', field(nursingchartcelltypevallabel),
              field(nursingchartcelltypevalname), field(nursingchartvalue))) AS line FROM nurseCharting"""
    else:
        number, *names = _SIGNS[table].split()
        values = " UNION ALL ".join(
            f"""
          SELECT number(patientunitstayid) AS stay, number(observationoffset) AS minute,
            number({number}) AS id, {place} AS place, '{name}' AS variable, field({name}) AS value,
            clean('VITAL | {name} | ' || field({name})) AS line FROM {table}"""
            for place, name in enumerate(names)
        )
    once = (
        ""
        if table == "vitalAperiodic"
        else "QUALIFY row_number() OVER (PARTITION BY stay, floor(minute / 60.0), clean(variable) "
        "ORDER BY minute, id, place, line) = 1"
    )
    return f"""
    CREATE TABLE {table}_lines AS
    WITH read AS ({values}),
    kept AS (SELECT read.* FROM read JOIN stays USING (stay)
      WHERE minute BETWEEN -1440 AND discharge AND value <> '' {once})
    SELECT stay, line, icu_day(minute) AS day,
      row_number() OVER (PARTITION BY stay ORDER BY minute, id, place, line) AS position FROM kept
    """


def no_charting(table: str) -> str:
    """An empty table in the place of one that is not there."""
    return f"CREATE TABLE {table}_lines (stay BIGINT, line TEXT, day BIGINT, position BIGINT)"
