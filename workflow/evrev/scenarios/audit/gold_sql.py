"""The documents, support classes and expected answers of a batch's scenarios, as SQL over the source lines.

`meta` has a row per scenario and `stated` a row per stated line; both come from the files under audit. Of
them only what cannot be derived is believed: who the patient, the stay and the donor are, and which line of
the donor (or, in E2 and E4, of the patient) was taken. That it exists where it must is then compared.
"""

from __future__ import annotations

INPUT = """
CREATE OR REPLACE TABLE meta (scenario TEXT, patient TEXT, stay_order BIGINT, event TEXT, size TEXT,
  level TEXT, growth BIGINT, donor TEXT);
CREATE OR REPLACE TABLE stated (scenario TEXT, document TEXT, place BIGINT, source TEXT, kind TEXT,
  title TEXT, version BIGINT, line TEXT, number BIGINT);
"""

UNITS = """
CREATE OR REPLACE TABLE unit AS
SELECT meta.*, stay, person, "partition" FROM meta LEFT JOIN stays USING (patient, stay_order)
"""

EVENT_ROWS = """
CREATE OR REPLACE TABLE event_row AS
WITH taken AS (
  SELECT unit.*, line FROM unit JOIN stated USING (scenario) WHERE document = 'D4' AND version = 1),
rows AS (
  SELECT scenario, name, NULL AS path FROM taken JOIN stays AS of_donor ON of_donor.patient = taken.donor
    JOIN orders ON orders.stay = of_donor.stay AND orders.line = taken.line WHERE event IN ('E1', 'E1b')
  UNION ALL
  SELECT scenario, name, NULL FROM taken
    JOIN orders ON orders.stay = taken.stay AND orders.line = taken.line
    WHERE event = 'E2' AND position <= 4
  UNION ALL
  SELECT scenario, NULL, path FROM taken
    JOIN stays AS of_row ON of_row.patient = coalesce(taken.donor, taken.patient)
      AND (taken.donor IS NOT NULL OR of_row.stay = taken.stay)
    JOIN treatments ON treatments.stay = of_row.stay AND treatments.line = taken.line WHERE event = 'E4')
SELECT scenario, any_value(name) AS name, any_value(path) AS path, any_value(line) AS line
FROM rows JOIN taken USING (scenario) GROUP BY scenario
"""

SMALL = """
CREATE OR REPLACE TABLE small AS
SELECT scenario, 'D1' AS document, orders.line, orders.name, NULL AS path, position
  FROM unit JOIN orders USING (stay) LEFT JOIN event_row USING (scenario)
  WHERE position <= 4 AND NOT (event = 'E2' AND orders.line = event_row.line)
UNION ALL
SELECT scenario, 'D2', line, NULL, path, position FROM unit JOIN problems USING (stay) WHERE position <= 4
UNION ALL
SELECT scenario, 'D3', line, name, NULL, position FROM unit JOIN (
  SELECT * FROM (
    SELECT * FROM results QUALIFY row_number() OVER (PARTITION BY stay, name ORDER BY position) = 1)
  QUALIFY row_number() OVER (PARTITION BY stay ORDER BY position) <= 5) USING (stay)
"""

KEYS = """
CREATE OR REPLACE TABLE event_key AS
SELECT scenario, mode, resolved FROM event_row JOIN drug USING (name)
UNION ALL
SELECT scenario, mode, resolved FROM event_row JOIN treated USING (path)
"""

# Every order line of an allowed document with the drug it names, and whether it is current before and after.
LINES = """
CREATE OR REPLACE TABLE allowed_line AS
WITH named AS (
  SELECT scenario, 'D1' AS document, name, true AS before, true AS after FROM small WHERE document = 'D1'
  UNION ALL
  SELECT scenario, 'D4', name, true, false FROM event_row WHERE name IS NOT NULL
  UNION ALL
  SELECT scenario, 'D4', trim(string_split(line, ' |')[2]), false, true FROM stated
    JOIN unit USING (scenario) WHERE document = 'D4' AND version = 2 AND event = 'E2'
  UNION ALL
  SELECT scenario, document, name, true, true FROM stated JOIN unit USING (scenario)
    JOIN orders ON orders.stay = unit.stay AND orders.line = stated.line
    WHERE stated.source IN (SELECT unnest($sources)) AND document NOT IN ('D1', 'D4'))
SELECT scenario, document, place, mode, lexical, resolved, ambiguous, components,
  bool_or(before) AS before, bool_or(after) AS after
FROM named JOIN drug USING (name)
  JOIN (SELECT DISTINCT scenario, document, place FROM stated) USING (scenario, document)
WHERE lexical <> '' GROUP BY ALL
"""

SUPPORT = """
CREATE OR REPLACE TABLE support AS
WITH single AS (
  SELECT scenario, mode, lexical AS key, resolved, document, place, bool_or(before) AS before,
    bool_or(after) AS after FROM allowed_line WHERE NOT ambiguous GROUP BY ALL),
remaining AS (SELECT DISTINCT scenario, mode, resolved FROM single WHERE after),
mixed AS (SELECT * FROM allowed_line WHERE ambiguous),
parts AS (
  SELECT mixed.scenario, mixed.mode, drug.lexical AS key, drug.resolved
  FROM mixed, unnest(mixed.components) AS part(name)
  JOIN drug ON drug.name = part.name AND drug.mode = mixed.mode
  ANTI JOIN single ON single.scenario = mixed.scenario AND single.mode = mixed.mode
    AND single.resolved = drug.resolved),
unclear AS (
  SELECT DISTINCT scenario, mode, lexical AS key, resolved FROM mixed UNION SELECT DISTINCT * FROM parts),
naming AS (
  SELECT unclear.*, document, place, bool_or(before) AS before, bool_or(after) AS after
  FROM unclear JOIN mixed ON mixed.scenario = unclear.scenario AND mixed.mode = unclear.mode
    AND (mixed.lexical = unclear.key OR list_contains(mixed.components, unclear.key)) GROUP BY ALL),
classed AS (
  SELECT single.*, CASE
      WHEN event = 'E2' AND single.resolved = event_key.resolved THEN 'conflict'
      WHEN event = 'E4' AND single.resolved = event_key.resolved THEN 'irrelevant'
      WHEN remaining.resolved IS NOT NULL THEN 'still_supported' ELSE 'unique_support_revoked' END AS class
  FROM single JOIN unit USING (scenario) LEFT JOIN event_key USING (scenario, mode)
    LEFT JOIN remaining ON remaining.scenario = single.scenario AND remaining.mode = single.mode
      AND remaining.resolved = single.resolved
  UNION ALL BY NAME
  SELECT *, 'ambiguous' AS class FROM naming
  UNION ALL BY NAME
  SELECT scenario, mode, event_key.resolved AS key, event_key.resolved, NULL AS document, NULL AS place,
    false AS before, false AS after, 'irrelevant' AS class
  FROM event_key JOIN unit USING (scenario) ANTI JOIN single ON single.scenario = event_key.scenario
    AND single.mode = event_key.mode AND single.resolved = event_key.resolved
  WHERE event = 'E4' AND event_key.resolved IS NOT NULL)
SELECT scenario, mode, key, resolved, class,
  coalesce(list(document ORDER BY place) FILTER (WHERE before), []) AS before,
  coalesce(list(document ORDER BY place) FILTER (WHERE after), []) AS after
FROM classed GROUP BY ALL
"""

EXPECTED = """
SELECT scenario,
  coalesce(list(DISTINCT resolved) FILTER (WHERE len(before) > 0), []) AS before,
  coalesce(list(DISTINCT resolved) FILTER (WHERE len(after) > 0), []) AS after
FROM support WHERE mode = 'on' AND class <> 'ambiguous' GROUP BY scenario
"""

ALIASED = """
SELECT scenario, key, w.class || ' as ' || w.resolved, coalesce(o.class || ' as ' || o.resolved, 'absent')
FROM (SELECT * FROM support WHERE mode = 'on') AS w
LEFT JOIN (SELECT * FROM support WHERE mode = 'off') AS o USING (scenario, key)
WHERE o.class IS DISTINCT FROM w.class ORDER BY ALL
"""

# Names in the whole stay, by which the drug of E1, E2 and E4 must stand nowhere else.
ALONE = """
CREATE OR REPLACE TABLE alone AS
SELECT unit.scenario, unit.stay, resolved AS drug FROM unit JOIN event_key USING (scenario)
WHERE mode = 'on' AND event IN ('E1', 'E2', 'E4')
"""

NAMING = """
CREATE OR REPLACE TABLE naming_row AS
WITH part AS (
  SELECT mode, name, unnest(components) AS inside FROM drug),
inside AS (
  SELECT name, lexical AS called FROM drug UNION SELECT name, resolved FROM drug WHERE mode = 'on'
  UNION SELECT name, inside FROM part
  UNION SELECT part.name, drug.resolved FROM part JOIN drug ON drug.name = inside AND drug.mode = 'on'
  WHERE part.mode = 'on'),
called AS (SELECT name, list(called) AS names FROM inside GROUP BY name)
SELECT scenario, 'orders' AS kind, position FROM alone JOIN orders USING (stay) JOIN called USING (name)
  WHERE list_contains(names, drug) OR list_has_all(words(line), words(drug))
UNION ALL
SELECT scenario, 'treatments', position FROM alone JOIN treatments USING (stay) JOIN treated USING (path)
  WHERE treated.mode = 'on' AND (treated.resolved = drug OR list_has_all(words(line), words(drug)))
UNION ALL
SELECT scenario, 'laboratory', position FROM alone JOIN results USING (stay)
  WHERE list_has_all(words(line), words(drug))
UNION ALL
SELECT scenario, 'problems', position FROM alone JOIN problems USING (stay)
  WHERE list_has_all(words(line), words(drug))
"""

LARGE = """
WITH rows AS (
  SELECT scenario, day, 1 AS rank, 'orders' AS kind, line, position,
    row_number() OVER (PARTITION BY scenario, day ORDER BY position) AS number, 10 AS most
  FROM unit JOIN orders USING (stay) ANTI JOIN naming_row AS n ON n.scenario = unit.scenario
    AND n.kind = 'orders' AND n.position = orders.position WHERE size = 'large'
  UNION ALL
  SELECT scenario, day, 2, 'laboratory', line, position,
    row_number() OVER (PARTITION BY scenario, day ORDER BY position), 12
  FROM unit JOIN (SELECT * FROM results
    QUALIFY row_number() OVER (PARTITION BY stay, day, name ORDER BY position) = 1) USING (stay)
  WHERE size = 'large'
  UNION ALL
  SELECT scenario, day, 3, 'treatments', line, position,
    row_number() OVER (PARTITION BY scenario, day ORDER BY position), 10
  FROM (SELECT scenario, day, line, min(treatments.position) AS position FROM unit
    JOIN treatments USING (stay) ANTI JOIN naming_row AS n ON n.scenario = unit.scenario
      AND n.kind = 'treatments' AND n.position = treatments.position
    WHERE size = 'large' GROUP BY ALL))
SELECT scenario, kind, day, list(line ORDER BY position) FROM rows WHERE day IN (0, 1) AND number <= most
GROUP BY scenario, day, rank, kind ORDER BY scenario, day, rank
"""

FURTHER = """
SELECT scenario, list(orders.line ORDER BY orders.position) FROM unit JOIN orders USING (stay)
ANTI JOIN naming_row AS n ON n.scenario = unit.scenario AND n.kind = 'orders' AND n.position = orders.position
ANTI JOIN stated AS s ON s.scenario = unit.scenario AND s.document IN ('D1', 'D2', 'D3', 'D4')
  AND lower(s.line) = lower(orders.line)
WHERE growth IS NOT NULL GROUP BY scenario
"""

CONTEXT = """
SELECT scenario, "table", rank, day, list(line ORDER BY position) FROM unit JOIN (
  SELECT 'laboratory results' AS "table", 1 AS rank, stay, day, line, position FROM results UNION ALL
  SELECT 'periodic vital signs', 2, stay, day, line, position FROM vitalPeriodic_lines UNION ALL
  SELECT 'aperiodic vital signs', 3, stay, day, line, position FROM vitalAperiodic_lines UNION ALL
  SELECT 'nursing chart', 4, stay, day, line, position FROM nurseCharting_lines) USING (stay)
WHERE level IS NOT NULL GROUP BY ALL ORDER BY scenario, day, rank
"""
