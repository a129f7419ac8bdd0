# Patients -> documents, events, support classes and expected answers.


rule scenarios:
    input:
        ancient(f"{study.records}/.made"),
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
