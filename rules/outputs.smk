# Statistics -> the paper's tables, with its own figures beside them. One target per table.

from evrev.outputs.registry import TABLE_BATCH

for number, batch in TABLE_BATCH.items():
    made = study.table_stamp(number, run_of(batch).id)

    rule:
        name:
            f"make_table{number}"
        input:
            ancient(f"{study.statistics(batch, run_of(batch).id)}/.made"),
        output:
            multiext(f"{study.folder}/tables/table{number}", ".csv", ".md", ".tex"),
            multiext(f"{study.folder}/comparison/table{number}", ".csv", ".md"),
            made,
        log:
            f"{study.folder}/logs/{made.name}.log",
        localrule: True
        conda:
            "../envs/core.yaml"
        params:
            evrev=command,
            number=number,
        shell:
            "{params.evrev} --log {log:q} tables {params.number}"

    rule:
        name:
            f"table{number}"
        input:
            getattr(rules, f"make_table{number}").output,
        localrule: True
