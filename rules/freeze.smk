# Digests of everything that shapes a run, written before its first model call.


rule freeze:
    input:
        ancient(
            lambda w: f"{study.scenarios(w.batch, run_of(w.batch).scenarios_key)}/.made"
        ),
    output:
        touch(f"{study.folder}/frozen/{{batch}}/{{run}}/.made"),
    log:
        f"{study.folder}/logs/freeze-{{batch}}-{{run}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=command,
    shell:
        "{params.evrev} --log {log:q} freeze {wildcards.batch}"
