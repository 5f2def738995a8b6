"""The commands of same_bytes.py, made from what the binary says of itself: `pare methods --json` names methods, tasks
and settings, `pare help` the commands. Only the errors and the options of data are a list."""
import json
import re
from collections import namedtuple

from same_bytes_data import CLASSES, FORMS

#: commands: lists of words that follow one another in one folder; what they print and write are artefacts.
Case = namedtuple("Case", "title commands stdin", defaults=(b"",))
Method = namedtuple("Method", "name tasks settings")

TASKS = {"binary": ("two", "classify"), "multiclass": ("three", "classify"), "regression": ("real", "regress"),
         "ranking": ("two", "rank"), "survival": ("life", "survival"), "none": ("two", "none")}
#: Settings that matter only with certain data: data_cases has them.
WITH_DATA = ("budget", "count", "max_correlation", "missing")
SMALL = "--folds 3 --inner 0 --substitutes 1 --sizes 1,4"
MAX_TOGETHER = 4


def registry(ask):
    """Every method, and `auto`, which has the settings that all have."""
    methods = []
    for row in json.loads(ask("methods", "--json")):
        own = json.loads(ask("methods", row["name"], "--json"))["settings"]
        methods.append(Method(row["name"], [t for t in row["tasks"].split(", ") if t in TASKS], own))
    common = [s for s in methods[0].settings if s["common"]]
    return [*methods, Method("auto", [t for t in TASKS if t != "none"], common)]


def target_words(sheet, data):
    """The options that say where the target of a file is."""
    stem, form = data.split(".", 1)
    if sheet != "life":
        return ["--target", "class"] if form == "csv" else []
    if form == "csv":
        return ["--time", "time", "--event", "event"]
    return [] if form == "pare" else ["--time", f"{stem}.time", "--event", f"{stem}.event"]


# --- fits ---


def other_values(setting):
    """Every other choice, the other boolean, one other number; nothing for text."""
    kind, default, allowed = setting["type"], setting["default"], setting["allowed"]
    if kind == "choice":
        return [word for word in allowed.split(": ")[1].split() if word != default]
    if kind == "flag":
        return ["false" if default == "true" else "true"]
    if kind == "integer":
        return ["2" if default == "auto" else str(int(default) + 1)]
    if kind != "real":
        return []
    if default in ("auto", "inf", "0"):
        return ["0.3"]
    highest = re.search(r"<=? ([\d.e+-]+)", allowed)
    tripled = 3 * float(default)
    return [f"{tripled if not highest or tripled < float(highest[1]) else float(default) / 2:g}"]


def fit_case(method, task, name, data=None, read=(), terms=(), options=(), more=(), verbs=("predict", "check")):
    """A fit, and what is done with its model. read: options of the data for all, terms: for fit and check."""
    sheet, word = TASKS[task]
    data = f"data/{data or sheet + '.csv'}"
    read = [*target_words(sheet, data), *read]
    fit = ["pare", "fit", data, *read, *terms, "-m", method, "--task", word, *options]
    return Case(f"fit, {method}, {task}, {name}",
                [[*fit, "-o", "m.json", "--ranking", "r.tsv"],
                 *(["pare", verb, "m.json", data, *read, *(terms if verb == "check" else ())] for verb in verbs),
                 *([*fit, *words.split()] if verb == "fit" else
                   ["pare", verb, "m.json", data, *read, *words.split()] for verb, words in more)])


FULL = [("fit", "--json"), ("fit", "--threads 3 -o m3.json"), ("fit", "--seed 7 --json"),
        ("fit", "--lambda-path l.tsv --lambda-coef c.tsv"), ("fit", "--weights-out w.tsv"), ("predict", "--score"),
        ("predict", "--score --json"), ("predict", "--probability"), ("check", "--json")]


def setting_cases(method, task):
    """Each setting at its other values; a method's own choices also with each other and with its numbers. A process
    costs more than most fits: what each of many settings cannot change is asked of the choices alone."""
    own = [s for s in method.settings if not s["common"]]
    chosen = [(s, v) for s in own if s["type"] == "choice" for v in other_values(s)]
    for s in method.settings:
        for value in other_values(s) if s["name"] not in WITH_DATA else ():
            option = [f"--{s['name'].replace('_', '-')}", value]
            if s["type"] == "flag":
                option = [option[0] if value == "true" else "--no-" + option[0][2:]]
            k = [] if s["name"] == "k" else ["-k", "3"]
            more = [("predict", "--probability")] if s["name"] in ("probability", "classifier") else []
            verbs = {"choice": ["predict", "check"], "flag": ["check"]}.get(s["type"], [])
            yield fit_case(method.name, task, " ".join(option), options=[*k, *option], more=more, verbs=verbs)
            if s["common"]:
                continue
            yield fit_case(method.name, task, " ".join(option) + " without k", options=option, verbs=["check"])
            for other, choice in chosen:
                if other is not s and (s["type"] != "choice" or other["name"] < s["name"]):
                    both = ["-k", "3", f"--{other['name']}", choice, *option]
                    groups = ["--groups", "data/groups"] if "group" in (choice, value) else []
                    yield fit_case(method.name, task, " ".join(both[2:]), terms=groups, options=both, verbs=())


def data_cases(method, task):
    """Forms of data, and what goes with samples and features."""
    sheet = TASKS[task][0]

    def case(name, words="", data=None, terms="", options="-k 3", **more):
        return fit_case(method, task, name, data, words.split(), terms.split(), options.split(), **more)

    yield case("with k", more=FULL)
    yield case("without k", options="", more=FULL[3:])
    labels = "" if task in ("none", "survival") else f"--labels data/{sheet}.labels"
    yield case("sparse", data=f"{sheet}.svm", more=[("predict", "--probability")])
    yield case("sparse without k", data=f"{sheet}.svm", options="")
    yield case("float", labels, f"{sheet}.npy")
    yield case("mapped", data=f"{sheet}.pare")
    yield case("mapped counts", data=f"{sheet}-counts.pare")
    yield case("counts", data=f"{sheet}-counts.csv")
    yield case("signed", data=f"{sheet}-signed.csv")
    yield case("tall", data=f"{sheet}-tall.csv")
    yield case("tall without k", data=f"{sheet}-tall.csv", options="")
    for name in ("wide.csv", "wide.svm", "wide.pare"):  # several blocks of columns, and threads that share them
        yield case(name, data=f"{sheet}-{name}", options="-k 2 --threads 3")
    yield case("text", "--categorical", f"{sheet}-text.csv", options="-k 2")
    for how in ("refuse", "mean", "median", "indicator", "drop"):
        yield case(f"gaps, {how}", data=f"{sheet}-gaps.csv", options=f"-k 3 --missing {how}",
                   more=[("predict", "--missing drop")])
    yield case("groups", terms="--groups data/groups")
    yield case("groups without k", terms="--groups data/groups", options="")
    yield case("sparse groups", "--names data/features", f"{sheet}.svm", "--groups data/groups")
    yield case("budget", terms="--cost data/cost", options="--budget 5")
    yield case("keep", terms="--keep g7,g8")
    yield case("keep in gaps", data=f"{sheet}-gaps.csv", terms="--keep g7,g8", options="-k 3 --missing mean")
    yield case("row scale of sparse", data=f"{sheet}.svm", options="-k 3 --row-scale tfidf")
    yield case("offset", "--offset data/offset")
    for name, how in {
            "weights": dict(words="--weights data/weights"), "cost": dict(terms="--cost data/cost"),
            "sparse weights": dict(words="--weights data/weights", data=f"{sheet}.svm", options=""),
            "features of groups": dict(terms="--groups data/groups", options="-k 5 --count features"),
            "exclude": dict(terms="--exclude g1,re:^g3"), "only": dict(terms="--only re:[1-5]$", options="-k 10"),
            "correlation": dict(options="-k 5 --max-correlation 0.4"), "positive": dict(options="-k 3 --positive a"),
            "balanced": dict(options="-k 3 --class-weight balanced"), "limit": dict(options="-k 3 --time-limit 1e-9"),
            "class weights": dict(options="-k 3 --class-weight a=3,b=0.5"),
            "strict": dict(options="-k 3 --time-limit 1e-9 --strict")}.items():
        yield case(name, **how, verbs=["check"])


# --- paths ---

ALL_RESULTS = "-o p.json --predictions p.tsv --report p.html"


def path_case(methods, task, name, words, title="path", data=None):
    """Runs of one path, each with its words."""
    sheet, word = TASKS[task]
    data = f"data/{data or sheet + '.csv'}"
    path = ["pare", "path", data, *target_words(sheet, data), "-m", methods, "--task", word]
    return Case(f"{title}, {methods}, {task}, {name}", [[*path, *more.split()] for more in words])


def path_cases(method, task):
    sheet = TASKS[task][0]

    def case(name, *words, data=None):
        return path_case(method, task, name, words, data=data)

    yield case("nested", f"--folds 3 --inner 2 --substitutes 2 --sizes 1,2,4 {ALL_RESULTS}",
               f"{SMALL} --json", f"{SMALL} --threads 3 --choice best -o threads.json")
    yield case("along", "--folds 2 --inner 2 --substitutes 0 -o p.json",
               "--folds 2 --inner 0 --substitutes 0 --weights-out w.tsv", data=f"{sheet}-few.csv")
    yield case("splits", "--splits 3 --train 0.6 --inner 0 --sizes 2,5 --choice tolerance --seed 4 -o p.json")
    yield case("tuned", "--folds 2 --inner 2 --substitutes 0 --sizes 2 --tune -o p.json")
    yield case("null", f"{SMALL} --null 2 -o p.json")
    yield case("probability", f"{SMALL} --probability -o p.json --report p.html")
    yield case("pfer", f"{SMALL} --error-control pfer=2 --error-pairs 3 -o p.json")
    yield case("fdr", f"{SMALL} --error-control fdr=0.3 --error-permutations 9 -o p.json")
    yield case("sparse", f"{SMALL} -o p.json", data=f"{sheet}.svm")
    yield case("mapped", f"{SMALL} -o p.json", data=f"{sheet}-counts.pare")
    yield case("tall", f"{SMALL} -o p.json", data=f"{sheet}-tall.csv")
    yield case("wide", "--folds 3 --inner 0 --sizes 1 --threads 3 -o p.json", data=f"{sheet}-wide.csv")
    yield case("gaps", f"{SMALL} --missing mean -o p.json", f"{SMALL} --missing indicator -o q.json",
               data=f"{sheet}-gaps.csv")
    yield case("terms", f"{SMALL} --keep g7,g8 -o keep.json", f"{SMALL} --cost data/cost -o cost.json",
               "--folds 3 --inner 0 --cost data/cost --budgets 2,6 -o budgets.json",
               f"{SMALL} --groups data/groups -o groups.json")
    yield case("samples", f"{SMALL} --fold-groups data/patients -o p.json", f"{SMALL} --fold-file data/folds -o f.json",
               f"{SMALL} --weights data/weights --scale robust -o w.json", f"{SMALL} --class-weight balanced -o c.json",
               f"{SMALL} --max-correlation 0.4 -o m.json", f"{SMALL} --row-scale l2 -o r.json")


def comparable(methods, task, works):
    """The names of the methods that can be compared with another one at a few sizes."""
    sheet, word = TASKS[task]
    names = [m.name for m in methods if task in m.tasks]
    if len(names) < 2:
        return []
    path = ["path", f"{sheet}.csv", *target_words(sheet, f"{sheet}.csv"), "--task", word, *"--folds 2 --inner 0 --substitutes 0 --sizes 1".split()]
    return [name for name in names
            if works(*path, "-m", f"{name},{names[0] if name != names[0] else names[1]}")]


def together_cases(methods, works):
    """Some methods on the same folds: what they share, the comparison, the shares of a cluster."""
    for task in TASKS:
        names = comparable(methods, task, works)
        for at in range(0, len(names), MAX_TOGETHER):
            some = ",".join(names[at:at + MAX_TOGETHER])
            words = "--folds 3 --inner 2 --substitutes 1 --sizes 1,5 --null 2"
            shares = [f"{words} --shard {i}/2 --checkpoint s{i}" for i in (2, 1)]
            case = path_case(some, task, "shards", [*shares, f"{words} --checkpoint all {ALL_RESULTS}"], "together")
            case.commands.append(["pare", "merge", "s1", "s2", "-o", "merged.json", "--report", "merged.html"])
            yield case
            for option in (f"--inner 2 --tune --metric {metric_of(task)}", "--probability",
                           "--error-control pfer=2 --error-pairs 3"):
                yield path_case(some, task, option, [f"{SMALL} {option} {ALL_RESULTS}"], "together")


def metric_of(task):
    """Not the first one."""
    return {"regression": "r2", "ranking": "average_precision", "survival": "uno_c"}.get(task, "mcc")


# --- the command line ---

ERRORS = """
pare
pare fitt data/two.csv
pare fit
pare fit data/two.csv data/three.csv
pare fit data/two.csv -m
pare fit data/two.csv -m nonsense
pare fit data/two.csv -m l2-arm
pare fit data/two.csv -m svm --C -1
pare fit data/two.csv -m svm --C=abc
pare fit data/two.csv -m svm -k 0
pare fit data/two.csv -m svm -k 21
pare fit data/two.csv -m svm --bogus 1
pare fit data/two.csv -m svm --mutliclass ww
pare fit data/two.csv -m svm --threads 0
pare fit data/two.csv -m svm --seed -4
pare fit data/two.csv -m svm --memory lots
pare fit data/two.csv -m svm --memory 10
pare fit data/two.csv -m svm --time-limit 0
pare fit data/two.csv -m svm --scale big
pare fit data/two.csv -m svm --missing maybe
pare fit data/two.csv -m svm --no-intercept=true
pare fit data/two.csv -m svm --C inf --ridge 0 --only g9
pare fit data/two.csv -m svm -o same.json --ranking same.json
pare fit data/two.csv -m svm -o nofolder/m.json
pare fit data/two.csv -m svm -o m.json --ranking .
pare fit data/two.csv -m svm --positive z
pare fit data/two.csv -m svm --class-weight z=2
pare fit data/two.csv -m svm --class-weight a=2,a=3
pare fit data/two.csv -m svm --groups data/cost
pare fit data/two.csv -m svm --cost data/groups
pare fit data/two.csv -m svm --keep g1,gg2
pare fit data/two.csv -m svm --keep g20
pare fit data/two.csv -m svm --exclude re:g[
pare fit data/two.csv -m svm --budget 3 -k 2
pare fit data/two.csv -m svm --weights data/labels
pare fit data/two.csv -m svm --labels data/labels
pare fit data/two.csv -m svm --target nothere
pare fit data/two-gaps.csv -m svm
pare fit data/two-text.csv -m svm
pare fit data/real.csv -m svm
pare fit data/real.csv -m lasso --probability
pare fit nowhere.csv
pare fit data/weights
pare fit - -m svm
pare fit data/two.csv --format mtx
pare fit data/groups --format svmlight
pare path data/two.csv -m corr,svm_rfe
pare path data/two.csv -m svm --folds 60
pare path data/two.csv -m svm --sizes 1,99
pare path data/two.csv -m svm --grid
pare path data/two.csv -m svm --tune --grid nonsense=1
pare path data/two.csv -m svm --metric r2
pare path data/two.csv -m svm --shard 3/2 --checkpoint c
pare path data/two.csv -m svm --error-control often
pare path data/two.csv -m svm --fold-groups data/labels
pare merge data/two.csv
pare merge nowhere
pare predict nowhere.json data/two.csv
pare predict data/two.csv data/two.csv
pare predict one.json
pare check data/groups data/two.csv
pare info data/two.csv --traget a
pare info data/two.csv --index-base 2
pare info data/two.svm --n-features 3
pare convert data/two.csv x.xyz
pare convert data/two.csv nofolder/x.tsv
pare methods nonsense
pare generate pdf
"""

#: A model file with one thing replaced by another.
CHANGES = {"bytes": ('"coef"', "\0"), "kind": ('"kind": "', '"kind": "no'), "method": ('"method": "', '"method": "no'),
           "rows": ('"n_samples": ', '"n_samples": 1'), "index": ('"index":', '"index":-'),
           "score": ('"score":', '"score":1')}


def command_cases(ask, methods):
    commands = re.findall(r"^  pare ([a-z]+) ", ask("help"), re.M)

    def case(title, *lines, stdin=b""):
        return Case(f"command line, {title}", [line.split() for line in lines], stdin)

    yield case("help", "pare help", "pare --help", "pare -h", "pare --version", "pare -V", "pare version",
               *(f"pare help {c}" for c in commands), *(f"pare {c} --help" for c in commands))
    yield case("methods", "pare methods", "pare methods --json",
               *(f"pare methods {m.name}{json_}" for m in methods for json_ in ("", " --json")))
    yield case("generate", "pare generate man", "pare generate bash", "pare generate zsh", "pare generate fish",
               *(f"pare generate man {c}" for c in commands))
    yield case("demo", "pare demo -o toy.csv", "pare demo --seed 2", "pare info toy.csv")
    yield case("errors", *(line for line in ERRORS.split("\n") if line))
    yield case("verbose", "pare fit data/two.csv -k 3 --verbose", "pare fit data/two.csv -k 3 --quiet",
               f"pare path data/two.csv {SMALL} --verbose")
    text = "a,b,class\n" + "".join(f"{i % 5},{i * i % 7},{'pq'[i % 2]}\n" for i in range(12))
    yield case("standard input", "pare fit - --format csv -k 1", "pare info - --format csv", stdin=text.encode())
    yield Case("command line, changed models", list(changed_models()))
    for form in FORMS:
        words = " ".join(form)
        yield case(f"form {words}", f"pare info {words}", f"pare info {words} --json", f"pare info {words} --whole",
                   f"pare fit {words} -k 2 -o m.json", f"pare predict m.json {words}", f"pare convert {words} x.csv")
    yield from convert_cases(case)


def changed_models():
    """What predict and check say of models that were changed by hand."""
    yield ["pare", "fit", "data/two.csv", "-m", "svm", "-k", "3", "-o", "m.json"]
    for name, (old, new) in CHANGES.items():
        yield ["python", "-c", f"open('{name}.json', 'w').write(open('m.json').read().replace({old!r}, {new!r}))"]
        for verb in ("predict", "check"):
            yield ["pare", verb, f"{name}.json", "data/two.csv"]


def convert_cases(case):
    """Each sheet to every format that is written, and back."""
    for sheet in CLASSES:
        for source in (f"{sheet}.csv", f"{sheet}-gaps.csv", f"{sheet}-counts.pare", f"{sheet}.svm"):
            lines = []
            for form in ("csv", "tsv", "svm", "npy", "mtx", "pare", "csv.gz", "svm.gz"):
                to = f"x.{form}"
                labels = f" --labels {to}.labels" if form in ("npy", "mtx") else ""
                lines += [f"pare convert data/{source} {to}", f"pare info {to}{labels} --whole",
                          f"pare convert {to} back-{form}.csv{labels}"]
            yield case(f"convert {source}", *lines)
    yield case("convert some", "pare convert data/two-gaps.csv x.npy --missing drop --labels-out y",
               "pare convert data/two-gaps.csv x.svm --missing refuse", "pare convert data/two.csv y.csv --only g1,g2",
               "pare convert data/two.csv z.pare --groups data/groups --weights data/weights --exclude re:3",
               "pare info z.pare --json", "pare fit z.pare -k 2 -o m.json")


def cases(ask, works):
    """All cases, those that take long first. ask: what pare prints; works: whether it succeeds."""
    methods, parts = registry(ask), 4
    yield Case("R", [["R", "data/same_bytes_api.R"]])
    yield from (Case(f"Python, {i + 1} of {parts}", [["python", "data/same_bytes_api.py", f"{i}/{parts}"]])
                for i in range(parts))
    yield from together_cases(methods, works)
    for method in methods:
        for task in method.tasks:
            yield from path_cases(method.name, task)
            yield from data_cases(method.name, task)
            yield from setting_cases(method, task)
    yield from command_cases(ask, methods)
