# Digests of everything that shapes a run, written before its first model call.


rule freeze:
    input:
        ancient(
            lambda w: f"{study.scenarios(w.batch, run_of(w.batch).scenarios_key)}/manifest.json"
        ),
    output:
        f"{study.folder}/frozen/{{batch}}/{{run}}/manifest.json",
    log:
        f"{study.folder}/logs/freeze-{{batch}}-{{run}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=EVREV,
    shell:
        "{params.evrev} --log {log} freeze {wildcards.batch}"
