# Outcomes -> counts with intervals, mean costs and the declared families of tests.


rule statistics:
    input:
        ancient(lambda w: f"{study.scores(w.batch, run_of(w.batch).id)}/manifest.json"),
    output:
        f"{study.folder}/statistics/{{batch}}/{{key}}/manifest.json",
    log:
        f"{study.folder}/logs/statistics-{{batch}}-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=EVREV,
    shell:
        "{params.evrev} --log {log} statistics {wildcards.batch}"
