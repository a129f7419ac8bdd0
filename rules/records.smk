# eICU tables -> patients with orders, problems, laboratory results and treatments; charting for length levels.


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
        charting=lambda w: "" if w.key == study.records_key else "--charting",
    shell:
        "{params.evrev} --log {log} records build {params.charting}"
