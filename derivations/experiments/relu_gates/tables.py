"""The table of the forms of moments through the gates of ReLU units: their errors by weights and gain."""

from derivations.experiments.model import Run
from derivations.markdown import table


def errors(run: Run) -> str:
    """Largest errors of the forms, beside the largest moment and the largest standard error of a sampled mean."""
    forms = ("latent-direction", "clt", "large-gain")
    rows = []
    for row in run["rows"]:
        errors = [row["errors"].get(form) for form in (*forms, "exact")]
        shown = ("" if error is None else f"{error:.4f}" for error in errors)
        name = row["weights"].replace("_", "\\_")
        rows.append([name, row["gain"], f"{row['largest']:.3f}", *shown, f"{row['standard_error']:.5f}"])
    columns = ["weights", "$g$", "largest moment", *forms, "exact", "standard error"]
    preface = f"{run['replicates']} replicates of {run['samples']:,} examples, seed {run['seed']}."
    return f"{preface}\n\n{table(columns, rows)}"


TABLES = {"relu-gates": {"": errors}}
