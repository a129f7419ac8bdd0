"""Which batch each table is made from. Light to import: the Snakefile reads it."""

TABLE_BATCH: dict[int, str] = {1: "heldout", 2: "heldout", 3: "heldout", 4: "heldout"}
