# eICU tables -> patients with orders, problems, laboratory results and treatments.


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
    shell:
        "{params.evrev} --log {log:q} records build"
