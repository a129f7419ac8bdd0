# eICU tables -> patients with orders, problems, laboratory results and treatments; charting for length levels.


rule records:
    output:
        touch(f"{study.folder}/records/{{key}}/.made"),
    log:
        f"{study.folder}/logs/records-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=command,
        charting=lambda w: "" if w.key == study.records_key else "--charting",
    shell:
        "{params.evrev} --log {log:q} records build {params.charting}"
