#!/usr/bin/env python3
"""Agreement of cox and cox-score with R's glmnet and survival on random problems (README.md)."""
import argparse, csv, os, subprocess, sys, tempfile
import numpy as np

COUNT, LEAST = 20, 0.05


def draw(rng, i):
    """Ties in two of three, weights, offsets, costs, strata and the elastic net by turns; times are whole and positive."""
    n, d = int(rng.choice([40, 80, 150])), int(rng.choice([6, 30, 100]))
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 3, d) + 0.5 * rng.standard_normal((n, 1))
    offset = rng.standard_normal(n) / 2 if i % 4 >= 2 else np.zeros(n)
    risk = X[:, :3] @ [0.5, -0.4, 0.3] + offset
    time = 1 + np.floor([10, 40, 1e6][i % 3] * rng.exponential(size=n) * np.exp(-risk))
    event = (rng.uniform(size=n) < 0.65).astype(int)
    event[0] = 1
    return dict(X=X, time=np.minimum(time, 1e9), event=event, offset=offset,
                weight=rng.uniform(0.3, 2, n) if i % 2 else np.ones(n),
                cost=np.round(rng.uniform(0.5, 2, d), 3) if i % 5 >= 3 else np.ones(d),
                strata=rng.integers(0, 3, n), alpha=[1, 0.5][i % 7 == 3])


def write(p, folder):
    names = [f"g{j}" for j in range(p["X"].shape[1])]
    columns = {"time": p["time"], "event": p["event"], "stratum": p["strata"], "weight": p["weight"], "off": p["offset"]}
    with open(folder + "/d.csv", "w") as f:
        print(*names, *columns, sep=",", file=f)
        for i in range(len(p["time"])):
            print(*map(repr, map(float, p["X"][i])), *(repr(float(c[i])) for c in columns.values()), sep=",", file=f)
    with open(folder + "/cost.tsv", "w") as f:
        for name, cost in zip(names, p["cost"]):
            print(name, cost, sep="\t", file=f)
    with open(folder + "/meta.txt", "w") as f:
        print(p["alpha"], file=f)
    return names


def fit(pare, folder, *more):
    common = ["--time", "time", "--event", "event", "--weights", "weight", "--offset", "off", "--quiet"]
    subprocess.run([pare, "fit", folder + "/d.csv", *common, *more], check=True, capture_output=True)


def rows(path):
    return list(csv.DictReader(open(path), delimiter="\t"))


def path_of(pare, p, folder):
    """Coefficients along the path, COUNT x d, at the lambdas written for R."""
    fit(pare, folder, "-m", "cox", "--drop", "stratum", "--alpha", str(p["alpha"]), "--tol", "1e-12", "--cost", folder + "/cost.tsv",
        "--lambda-count", str(COUNT), "--lambda-least", str(LEAST), "--lambda-path", folder + "/l.tsv", "--lambda-coef", folder + "/c.tsv")
    at = [r["lambda"] for r in rows(folder + "/l.tsv")]
    B = np.zeros((len(at), p["X"].shape[1]))
    for r in rows(folder + "/c.tsv"):
        if r["index"] != "-1":
            B[at.index(r["lambda"]), int(r["index"])] = float(r["coef"])
    with open(folder + "/lambda.txt", "w") as f:
        print(*at, sep="\n", file=f)
    return B


def kept_of(pare, p, folder, ties, strata, names):
    """Coefficients of the kept features above lambda_max, and the tests of the others beside them."""
    how = ["--ties", ties, "--keep", ",".join(names[:3]), *(["--strata", "stratum"] if strata else ["--drop", "stratum"])]
    fit(pare, folder, "-m", "cox", "--lambda", "1e6", "--tol", "1e-12", *how, "-o", folder + "/kept.json")
    import json
    m = json.load(open(folder + "/kept.json"))
    B = dict(zip((s["name"] for s in m["selected"]), m["outputs"][0]["coef"]))
    fit(pare, folder, "-m", "cox-score", *how, "--ranking", folder + "/score.tsv")
    score = {r["name"]: float(r["score"]) for r in rows(folder + "/score.tsv")}
    return [B[n] for n in names[:3]], [score[n] for n in names[3:6]]


R = r"""
suppressMessages({library(glmnet); library(survival)})
options(warn = -1)  # no iterations are meant where tests are taken
for (f in readLines("list.txt")) {
  d <- read.csv(file.path(f, "d.csv"))
  x <- as.matrix(d[, grep("^g", names(d))])
  alpha <- scan(file.path(f, "meta.txt"), quiet = TRUE)
  lambda <- scan(file.path(f, "lambda.txt"), quiet = TRUE)
  cost <- read.table(file.path(f, "cost.tsv"))$V2
  m <- glmnet(x, Surv(d$time, d$event), family = "cox", weights = d$weight, offset = d$off, alpha = alpha,
              lambda = lambda * mean(cost), penalty.factor = cost, thresh = 1e-16, maxit = 1e7)
  b <- matrix(NA, length(lambda), ncol(x))
  b[seq_along(m$lambda), ] <- t(as.matrix(m$beta))
  write.table(b, file.path(f, "glmnet.txt"), row.names = FALSE, col.names = FALSE)
  for (ties in c("breslow", "efron")) for (strata in 0:1) {
    s <- if (strata) " + strata(stratum)" else ""
    base <- paste0("Surv(time, event) ~ g0 + g1 + g2", s, " + offset(off)")
    how <- coxph.control(eps = 1e-13, iter.max = 50, timefix = FALSE)
    k <- coxph(as.formula(base), d, weights = weight, ties = ties, control = how)
    tests <- sapply(3:5, function(j) {
      g <- as.formula(sub("g2", paste0("g2 + g", j), base))
      none <- coxph.control(iter.max = 0, timefix = FALSE)
      coxph(g, d, weights = weight, ties = ties, init = c(coef(k), 0), control = none)$score
    })
    write(format(c(coef(k), tests), digits = 17), file.path(f, paste0(ties, strata, ".txt")), ncolumns = 1)
  }
}
"""


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--pare", default=os.path.join(os.path.dirname(__file__), "../../build/release/pare"))
    a.add_argument("--problems", type=int, default=100)
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()
    rng = np.random.default_rng(a.seed)
    path, kept, tests = [], [], []
    with tempfile.TemporaryDirectory() as top:
        own = []
        for i in range(a.problems):
            p, folder = draw(rng, i), f"{top}/{i}"
            os.mkdir(folder)
            names = write(p, folder)
            B = path_of(os.path.abspath(a.pare), p, folder)
            beside = {(t, s): kept_of(os.path.abspath(a.pare), p, folder, t, s, names)
                      for t in ("breslow", "efron") for s in (0, 1)}
            own.append((p, folder, B, beside))
        with open(top + "/list.txt", "w") as f:
            print(*(o[1] for o in own), sep="\n", file=f)
        subprocess.run(["Rscript", "-e", R], cwd=top, check=True)
        for p, folder, B, beside in own:
            theirs = np.genfromtxt(folder + "/glmnet.txt", missing_values="NA")
            there = ~np.isnan(theirs).any(1)
            path.append(abs((B - theirs)[there] * p["X"].std(0)).max())
            for (ties, strata), (b, score) in beside.items():
                t = np.loadtxt(f"{folder}/{ties}{strata}.txt")
                kept.append(abs((np.array(b) - t[:3]) * p["X"][:, :3].std(0)).max())
                tests.append((abs(np.array(score) - t[3:]) / (1 + t[3:])).max())
    print("| what | compared | at most apart | median |\n|---|---|---|---|")
    for what, v in (("coefficients per deviation along the path, glmnet", path),
                    ("kept covariates above lambda_max, coxph", kept), ("score tests beside them, coxph", tests)):
        print(f"| {what} | {len(v)} | {max(v):.1e} | {np.median(v):.1e} |")
    if not (max(path) <= 1e-5 and max(kept) <= 1e-6 and max(tests) <= 1e-6):
        sys.exit("they do not agree")


if __name__ == "__main__":
    main()
