#!/usr/bin/env python3
"""Agreement of lasso and logistic with glmnet and scikit-learn on random problems (README.md)."""
import argparse, json, os, subprocess, sys, tempfile
import numpy as np

FAMILIES = ("gaussian", "binomial", "multinomial")


def draw(rng, i):
    """A problem: standardised features, so that no program scales them; weights, offsets, alpha."""
    family = FAMILIES[i % 3]
    n, d = int(rng.choice([30, 60, 120])), int(rng.choice([8, 40, 200]))
    c = int(rng.integers(3, 6)) if family == "multinomial" else 1
    X = rng.standard_normal((n, d)) + 0.6 * rng.standard_normal((n, 1))
    w = rng.uniform(0.2, 2, n) if i % 2 else np.ones(n)
    w /= w.mean()
    X = (X - np.average(X, axis=0, weights=w))
    X /= np.sqrt(np.average(X ** 2, axis=0, weights=w))
    B = np.zeros((d, c))
    B[:4] = rng.standard_normal((4, c)) * 1.5
    F = X @ B
    offset = rng.standard_normal(n) if i % 5 >= 3 and c == 1 else None
    if offset is not None:
        F[:, 0] += offset
    if family == "gaussian":  # glmnet divides by the deviation of what is left: 1 here
        rest = F[:, 0] + rng.standard_normal(n) - (0 if offset is None else offset)
        rest /= np.sqrt(np.average((rest - np.average(rest, weights=w)) ** 2, weights=w))
        y = rest + (0 if offset is None else offset)
    elif family == "binomial":
        y = (F[:, 0] + rng.logistic(size=n) > 0).astype(int)
    else:
        y = (F + rng.gumbel(size=(n, c))).argmax(1)
    if family != "gaussian":  # every class at least twice
        for k in range(max(c, 2)):
            y[2 * k:2 * k + 2] = k
    return dict(family=family, X=X, y=y, w=w, offset=offset, c=c,
                alpha=float(rng.choice([1, 0.7, 0.3])), share=float(rng.choice([0.5, 0.2, 0.05])))


def objective(p, lam, B, b):
    F = p["X"] @ B + b + (0 if p["offset"] is None else p["offset"][:, None])
    s, y = p["w"] / p["w"].sum(), p["y"]
    if p["family"] == "gaussian":
        loss = s @ (y - F[:, 0]) ** 2 / 2
    elif p["family"] == "binomial":
        loss = s @ (np.logaddexp(0, F[:, 0]) - y * F[:, 0])
    else:
        top = F.max(1, keepdims=True)
        loss = s @ (np.log(np.exp(F - top).sum(1)) + top[:, 0] - F[np.arange(len(y)), y])
    return loss + lam * (p["alpha"] * abs(B).sum() + (1 - p["alpha"]) / 2 * (B ** 2).sum())


def run_pare(pare, p, folder):
    np.save(folder + "/X.npy", p["X"])
    np.savetxt(folder + "/y.txt", p["y"], fmt="%.17g")
    np.savetxt(folder + "/w.txt", p["w"], fmt="%.17g")
    method = "lasso" if p["family"] == "gaussian" else "logistic"
    call = [pare, "fit", folder + "/X.npy", "-m", method, "--labels", folder + "/y.txt", "--weights",
            folder + "/w.txt", "--scale", "none", "--alpha", repr(p["alpha"]), "--tol", "1e-12",
            "--lambda-ratio", repr(p["share"]), "--json", "--quiet"]
    if p["offset"] is not None:
        np.savetxt(folder + "/o.txt", p["offset"], fmt="%.17g")
        call += ["--offset", folder + "/o.txt"]
    m = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    B = np.zeros((p["X"].shape[1], p["c"]))
    index = [s["index"] for s in m["selected"]]
    for o, out in enumerate(m["outputs"]):
        B[index, o] = out["coef"]
    return m["settings"]["lambda"], B, np.array([o["intercept"] for o in m["outputs"]])


R = r"""
suppressMessages(library(glmnet))
for (f in readLines("list.txt")) {
  meta <- scan(file.path(f, "meta.txt"), quiet = TRUE)   # family, alpha, lambda, lambda_max, n, d
  x <- matrix(readBin(file.path(f, "x.bin"), "double", meta[5] * meta[6]), meta[5])
  y <- scan(file.path(f, "y.txt"), quiet = TRUE); w <- scan(file.path(f, "w.txt"), quiet = TRUE)
  o <- file.path(f, "o.txt"); o <- if (file.exists(o)) scan(o, quiet = TRUE) else NULL
  family <- c("gaussian", "binomial", "multinomial")[meta[1]]
  if (family != "gaussian") y <- factor(y)
  lambda <- exp(seq(log(meta[4]), log(meta[3]), length.out = 20))
  fit <- glmnet(x, y, family = family, weights = w, offset = o, alpha = meta[2], lambda = lambda,
                standardize = FALSE, thresh = 1e-16, maxit = 1e7)
  b <- coef(fit, s = lambda[20])
  b <- if (is.list(b)) sapply(b, as.vector) else as.matrix(b)
  write(format(t(b), digits = 17), file.path(f, "coef.txt"), ncolumns = ncol(b))
}
"""


def run_glmnet(problems, folder):
    with open(folder + "/list.txt", "w") as f:
        f.write("".join(p["folder"] + "\n" for p in problems))
    for p in problems:
        p["X"].T.astype("<f8").tofile(p["folder"] + "/x.bin")
        meta = [FAMILIES.index(p["family"]) + 1, p["alpha"], p["lambda"], p["lambda"] / p["share"],
                *p["X"].shape]
        np.savetxt(p["folder"] + "/meta.txt", meta, fmt="%.17g")
    subprocess.run(["Rscript", "-e", R], cwd=folder, check=True)
    for p in problems:
        b = np.loadtxt(p["folder"] + "/coef.txt", ndmin=2)
        yield b[1:], b[0]


def run_sklearn(p):
    from sklearn.linear_model import ElasticNet, LogisticRegression
    n = len(p["y"])
    if p["offset"] is not None:
        return None
    if p["family"] == "gaussian":
        m = ElasticNet(alpha=p["lambda"], l1_ratio=p["alpha"], tol=1e-14, max_iter=1000000)
        m.fit(p["X"], p["y"], sample_weight=p["w"])
        return m.coef_[:, None], np.array([m.intercept_])
    m = LogisticRegression(penalty="elasticnet", solver="saga", l1_ratio=p["alpha"], tol=1e-9,
                           C=1 / (n * p["lambda"]), max_iter=20000)
    m.fit(p["X"], p["y"], sample_weight=p["w"])
    return m.coef_.T, m.intercept_


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--pare", default=os.path.join(os.path.dirname(__file__), "../../build/release/pare"))
    a.add_argument("--problems", type=int, default=200)
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    import warnings
    warnings.filterwarnings("ignore")
    rng = np.random.default_rng(a.seed)
    problems = [draw(rng, i) for i in range(a.problems)]
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, p in enumerate(problems):
            p["folder"] = f"{folder}/{i}"
            os.mkdir(p["folder"])
            p["lambda"], p["B"], p["b"] = run_pare(os.path.abspath(a.pare), p, p["folder"])
        rivals = {"glmnet": list(run_glmnet(problems, folder)), "scikit-learn": map(run_sklearn, problems)}
        for rival, answers in rivals.items():
            for p, answer in zip(problems, answers):
                if answer is None:
                    continue
                own, other = (objective(p, p["lambda"], *x) for x in ((p["B"], p["b"]), answer))
                away = max(abs(p["X"] @ (p["B"] - answer[0]) + p["b"] - answer[1] if p["c"] == 1 else
                           centred(p["X"] @ (p["B"] - answer[0]) + p["b"] - answer[1])).max(), 0)
                size = abs(p["X"] @ p["B"]).max()
                rows.setdefault((rival, p["family"]), []).append(
                    ((own - other) / other, away / max(size, 1), (p["B"] != 0).any(1).sum()))
    print("| rival | family | problems | objective at worst above the rival's | below it at most | "
          "fitted values apart at most |\n|---|---|---|---|---|---|")
    for (rival, family), r in rows.items():
        r = np.array(r)
        print(f"| {rival} | {family} | {len(r)} | {max(r[:, 0].max(), 0):.1e} | "
              f"{max(-r[:, 0].min(), 0):.1e} | {r[:, 1].max():.1e} |")
    worst = max(x[0] for r in rows.values() for x in r)
    if worst > 1e-9:
        sys.exit(f"an objective is {worst:.2e} above a rival's")


def centred(F):
    """Equal shifts of all classes change nothing."""
    return F - F.mean(1, keepdims=True)


if __name__ == "__main__":
    main()
