# The generation jobs: one per batch, model and shard. Only these go to a cluster.


rule agent:
    input:
        ancient(f"{study.folder}/frozen/{{batch}}/{{run}}/.made"),
    output:
        touch(
            f"{study.folder}/trajectories/{{batch}}/{{run}}/{{model}}/{{shard}}/.made"
        ),
    log:
        f"{study.folder}/logs/run-{{batch}}-{{run}}-{{model}}-{{shard}}.log",
    conda:
        "../envs/core.yaml"
    params:
        evrev=command,
    shell:
        "{params.evrev} --log {log:q} run {wildcards.batch} --model {wildcards.model} --shard {wildcards.shard}"
