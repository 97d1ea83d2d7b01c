"""Make exports with the tools themselves and report on them: `python
tests/reports/real_exports.py FOLDER`.

By hand, in an environment of its own that has the tools; they are no part of the
book's. Last made with mlflow-skinny 3.17.2, lm_eval 0.4.13 (datasets 5.2.0), inspect_ai
0.3.285 and optuna 5.0.0, on Python 3.11. Nothing is loaded from a network: MLflow's
store local, lm-evaluation-harness has its dummy model and a task of its own, inspect
its mock model.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

MODELS = (("vanilla", 0.80), ("ours", 0.83))


def mlflow(folder):
    """Four runs of two models, of which the last fails, in MLflow's local database."""
    import mlflow as tracker

    tracker.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
    tracker.set_experiment("exp")
    rng = random.Random(1)
    for model, mean in MODELS:
        for seed in range(4):
            run = tracker.start_run(run_name=f"{model}-{seed}")
            tracker.log_params({"model": model, "seed": seed, "lr": 0.001})
            crashed = (model, seed) == ("ours", 2)
            if not crashed:
                tracker.log_metric("test_acc", mean + rng.gauss(0, 0.01))
            tracker.end_run("FAILED" if crashed else "FINISHED")
            assert run.info.run_id
    return [folder, "--baseline", "vanilla", "--failed", "drop"]


def optuna(folder):
    """Two random searches in one database."""
    import optuna as tool

    tool.logging.set_verbosity(tool.logging.ERROR)
    for k, (model, mean) in enumerate(MODELS):
        study = tool.create_study(
            study_name=model,
            storage=f"sqlite:///{folder / 'study.db'}",
            sampler=tool.samplers.RandomSampler(seed=k),
            direction="maximize",
        )

        def objective(trial, mean=mean):
            score = mean - abs(trial.suggest_float("lr", 1e-4, 1e-1, log=True) - 0.01)
            trial.set_user_attr("test_acc", score - 0.01)
            return score

        study.optimize(objective, n_trials=40)
    return [folder / "study.db", "--baseline", "vanilla", "--search", "random"]


def lm_eval(folder):
    """A task of one's own, answered twice by the dummy model."""
    rng = random.Random(0)
    lines = [
        {
            "q": f"Is {rng.randint(0, 99)} larger than {rng.randint(0, 99)}?",
            "choices": ["yes", "no"],
            "gold": rng.randint(0, 1),
        }
        for _ in range(60)
    ]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "larger.yaml").write_text(
        "task: larger\ndataset_path: json\ndataset_kwargs:\n  data_files:\n    test:"
        f" {folder / 'data.jsonl'}\ntest_split: test\noutput_type:"
        " multiple_choice\ndoc_to_text: '{{q}}'\ndoc_to_choice:"
        " '{{choices}}'\ndoc_to_target: gold\nmetric_list:\n  - metric: acc\n"
    )
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    program = Path(sys.executable).with_name("lm_eval")
    for seed in ("1", "2"):
        command = [
            program,
            "run",
            "--model",
            "dummy",
            "--include_path",
            folder,
            "--tasks",
            "larger",
            "--log_samples",
            "--output_path",
            folder / "out" / f"run{seed}",
            "--seed",
            seed,
        ]
        subprocess.run(list(map(str, command)), check=True, env=offline)
    return [folder / "out", "--baseline", "run1"]


def inspect(folder, form="json"):
    """Twenty items, three epochs, two mock models."""
    import tiktoken

    class Words:
        def encode(self, text, **_):
            return text.split()

    # It would load its table from a network.
    tiktoken.get_encoding = lambda name: Words()
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import match

    samples = [
        Sample(id=f"q{i}", input=f"What is {i} + {i}?", target=str(2 * i))
        for i in range(20)
    ]
    for k, (model, _) in enumerate(MODELS):
        rng = random.Random(k)
        said = [
            str(2 * (i % 20)) if rng.random() < 0.6 + 0.1 * k else "no"
            for i in range(400)
        ]
        outputs = [ModelOutput.from_content("mockllm/model", words) for words in said]
        mock = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
        task = Task(dataset=samples, scorer=match())
        eval(
            task,
            model=mock,
            epochs=3,
            log_dir=str(folder / model),
            log_format=form,
            display="none",
        )
    return [folder, "--baseline", "vanilla"]


def inspect_packed(folder):
    """The same in inspect's own archive."""
    return inspect(folder, "eval")


def main():
    """Make all of them, and report on each."""
    root, failed = Path(sys.argv[1]).resolve(), []
    for make in (mlflow, optuna, lm_eval, inspect, inspect_packed):
        folder = root / make.__name__
        folder.mkdir(parents=True)
        arguments = [
            *map(str, make(folder)),
            "-o",
            str(folder / "report.html"),
            "--config",
            str(folder / "evalkit.toml"),
        ]
        done = subprocess.run([sys.executable, "-m", "evalkit", "report", *arguments])
        failed += [make.__name__] if done.returncode else []
    print("refused or failed:", ", ".join(failed) or "none")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
