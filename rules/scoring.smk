# Trajectories -> outcomes, labels and costs in one DuckDB file.


rule scoring:
    input:
        ancient(
            lambda w: [
                f"{shard}/manifest.json"
                for shard in study.shards(run_of(w.batch).plan, run_of(w.batch).id)
            ]
        ),
    output:
        f"{study.folder}/scores/{{batch}}/{{key}}/manifest.json",
    log:
        f"{study.folder}/logs/score-{{batch}}-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=EVREV,
    shell:
        "{params.evrev} --log {log} score {wildcards.batch}"
