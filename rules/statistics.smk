# Outcomes -> counts with intervals, mean costs and the declared families of tests.


rule statistics:
    input:
        ancient(lambda w: f"{study.scores(w.batch, run_of(w.batch).id)}/.made"),
    output:
        touch(f"{study.folder}/statistics/{{batch}}/{{key}}/.made"),
    log:
        f"{study.folder}/logs/statistics-{{batch}}-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=command,
    shell:
        "{params.evrev} --log {log:q} statistics {wildcards.batch}"
