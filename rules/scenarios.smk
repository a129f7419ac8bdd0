# Patients -> documents, events, support classes and expected answers.


rule scenarios:
    input:
        ancient(lambda w: f"{study.records_of(w.batch)}/manifest.json"),
    output:
        f"{study.folder}/scenarios/{{batch}}/{{key}}/manifest.json",
    log:
        f"{study.folder}/logs/scenarios-{{batch}}-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=EVREV,
    shell:
        "{params.evrev} --log {log} scenarios build {wildcards.batch}"


# Every expected set and support class derived again from the tables; fails on a disagreement.
rule gold_audit:
    input:
        ancient(
            lambda w: [
                f"{study.scenarios(batch, run_of(batch).scenarios_key)}/manifest.json"
                for batch in study.batches
            ]
        ),
    log:
        f"{study.folder}/logs/gold-audit.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=EVREV,
    shell:
        "{params.evrev} --log {log} scenarios audit | tee {log}"
