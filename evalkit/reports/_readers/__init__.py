"""The formats, the most particular first: a table is what is left."""

from evalkit.reports._readers import (
    cv_results,
    inspect_logs,
    lm_eval,
    mlflow_store,
    optuna_store,
    tables,
    wandb_run,
)

READERS = (lm_eval, inspect_logs, wandb_run, mlflow_store, optuna_store, cv_results, tables)
