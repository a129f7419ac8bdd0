# Patients -> documents, events, support classes and expected answers.


rule scenarios:
    input:
        ancient(lambda w: f"{study.records_of(w.batch)}/.made"),
    output:
        touch(f"{study.folder}/scenarios/{{batch}}/{{key}}/.made"),
    log:
        f"{study.folder}/logs/scenarios-{{batch}}-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=command,
    shell:
        "{params.evrev} --log {log:q} scenarios build {wildcards.batch}"


# Every expected set and support class derived again from the tables; fails on a disagreement.
rule gold_audit:
    input:
        ancient(
            lambda w: [
                f"{study.scenarios(batch, run_of(batch).scenarios_key)}/.made"
                for batch in study.batches
            ]
        ),
    log:
        f"{study.folder}/logs/gold-audit.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=command,
    shell:
        "{params.evrev} scenarios audit | tee {log:q}"
