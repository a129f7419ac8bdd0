# Trajectories -> outcomes, labels and costs in one DuckDB file.


rule scoring:
    input:
        ancient(
            lambda w: [
                f"{shard}/.made"
                for shard in study.shards(run_of(w.batch).plan, run_of(w.batch).id)
            ]
        ),
    output:
        touch(f"{study.folder}/scores/{{batch}}/{{key}}/.made"),
    log:
        f"{study.folder}/logs/score-{{batch}}-{{key}}.log",
    localrule: True
    conda:
        "../envs/core.yaml"
    params:
        evrev=command,
    shell:
        "{params.evrev} --log {log:q} score {wildcards.batch}"
