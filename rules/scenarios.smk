# Patients -> documents, events, support classes and expected answers.


rule scenarios:
    input:
        ancient(f"{study.records}/manifest.json"),
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
