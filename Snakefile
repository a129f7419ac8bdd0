# Evidence revision, end to end: eICU tables in, the paper's tables out. Targets: heldout, table1 ... table4.
configfile: "config/config.yaml"


from evrev.workflow import Workflow

workflow_of_study = Workflow(config)
study, run_of = workflow_of_study.study, workflow_of_study.run
command = workflow_of_study.command

# Snakemake deletes what a job declares, before the job and after a failed one. A job therefore declares a mark of
# Snakemake's own, never the manifest that says the folder is done: another process may just have written it.


wildcard_constraints:
    batch="[a-z][a-z0-9_]*",
    key="[0-9a-f]{12}",
    run="[0-9a-f]{12}",
    model="[A-Za-z0-9_.+-]+",
    shard="[A-Za-z0-9_.+-]+",


include: "rules/records.smk"
include: "rules/scenarios.smk"
include: "rules/freeze.smk"
include: "rules/agent.smk"
include: "rules/scoring.smk"
include: "rules/statistics.smk"
include: "rules/outputs.smk"


rule heldout:
    default_target: True
    input:
        rules.table1.input,
        rules.table2.input,
        rules.table3.input,
        rules.table4.input,
    localrule: True
