"""The formats: a table is what no other is.

Those in `SHAPED` are tables whose columns are known by their exact names, in a file or
in a DataFrame: `fits` tells whether they are, and `shape` gives them the form of the
format.
"""

from evalkit.reports._formats import (
    cv_results,
    helm,
    hf_trainer,
    inspect_logs,
    lightning,
    lm_eval,
    lm_eval_results,
    mlflow_store,
    optuna_store,
    ray_tune,
    sacrebleu,
    tables,
    tensorboard,
    wandb_chart,
)

READERS = (
    cv_results, helm, hf_trainer, inspect_logs, lightning, lm_eval, lm_eval_results, mlflow_store,
    optuna_store, ray_tune, sacrebleu, tables, tensorboard, wandb_chart,
)  # fmt: skip
SHAPED = tuple(reader for reader in READERS if hasattr(reader, "fits"))
