"""The formats, the most particular first: a table is what is left.

Those in `SHAPED` are tables whose columns are known by their exact names, in a file or in a DataFrame: `fits`
tells whether they are, and `shape` gives them the form of the format.
"""

from evalkit.reports._readers import (
    cv_results,
    hf_trainer,
    inspect_logs,
    lightning,
    lm_eval,
    lm_eval_results,
    mlflow_store,
    opencompass,
    optuna_store,
    ray_tune,
    sacrebleu,
    tables,
    tensorboard,
    wandb_chart,
    wandb_run,
)

SHAPED = (cv_results, wandb_chart, ray_tune, opencompass)
READERS = (
    lm_eval,
    lm_eval_results,
    inspect_logs,
    hf_trainer,
    sacrebleu,
    wandb_run,
    mlflow_store,
    optuna_store,
    *SHAPED,
    tensorboard,
    lightning,
    tables,
)
