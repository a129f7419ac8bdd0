# eICU tables -> patients with orders, problems, laboratory results and treatments.


rule records:
    output:
        f"{study.folder}/records/{{key}}/manifest.json",
    log:
        f"{study.folder}/logs/records-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=EVREV,
    shell:
        "{params.evrev} --log {log} records build"
