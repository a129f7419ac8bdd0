# The generation jobs: one per batch, model and shard. Only these go to a cluster.


rule agent:
    input:
        ancient(f"{study.folder}/frozen/{{batch}}/{{run}}/manifest.json"),
    output:
        f"{study.folder}/trajectories/{{batch}}/{{run}}/{{model}}/{{shard}}/manifest.json",
    log:
        f"{study.folder}/logs/run-{{batch}}-{{run}}-{{model}}-{{shard}}.log",
    conda:
        "../envs/core.yaml"
    params:
        evrev=EVREV,
    shell:
        "{params.evrev} --log {log} run {wildcards.batch} --model {wildcards.model} --shard {wildcards.shard}"
