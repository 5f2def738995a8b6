"""The data of same_bytes.py, drawn from a seed: sheets for each task, what goes with them, and one small sheet in the
forms that other programs write."""
import gzip
import math
import random
import struct
import zipfile

CLASSES = {"two": "ab", "three": "abc", "real": ""}
N_SAMPLES = 24
NAMES = [f"g{j + 1}" for j in range(20)]
N_WIDE = 600
CONVERTED = ("", "-counts", "-wide")  # kinds of a sheet that are there in .pare too

#: What reads each form of the small sheet.
FORMS = [["data/tabs.tsv"], ["data/semicolons.csv"], ["data/windows.csv"], ["data/headless.csv", "--no-header"],
         ["data/headless.csv"], ["data/ids.csv"], ["data/turned.csv", "--features-in-rows"], ["data/weka.arff"],
         ["data/zipped.csv.gz"], ["data/stored.npz"], ["data/rows.npz", "--labels", "data/labels.npy"],
         ["data/columns.npz", "--labels", "data/labels.npy"], ["data/array.mtx", "--labels", "data/labels"],
         ["data/cells", "--labels", "data/joined.csv", "--target", "kind", "--id", "cell"], ["data/genotypes.bed"],
         ["data/small.npy", "--labels", "data/labels", "--names", "data/names"], ["data/two-text.csv", "--categorical"],
         ["data/two.svm", "--index-base", "1", "--n-features", "50"], ["data/tabs.tsv", "--storage", "sparse"],
         ["data/two.npy", "--labels", "data/two.labels", "--storage", "sparse"]]


def draw_sheet(rng, n, d, classes, counts=False):
    """Rows of numbers >= 0, many of them 0, and a target that the first three columns tell with errors. Of a sheet
    with all NAMES the last columns are a duplicate of the second and a constant."""
    rows, target = [], []
    for i in range(n):
        kind = i % (len(classes) or 1)
        row = [0 if rng.random() < 0.25 else abs(rng.gauss(0, 1)) + 0.2 for _ in range(d)]
        for j in range(3):
            row[j] += 0.7 * ((kind + j) % (len(classes) or 1)) * (row[j] > 0)
        row = [min(2, int(x)) if counts else round(x, 3) for x in row]
        if d == len(NAMES):
            row[-2:] = [row[1], 1]
        value = 2 * row[0] - 3 * row[1] + 0.4 * row[2] + rng.gauss(0, 0.1)
        rows.append(row)
        target.append(classes[kind] if classes else str(round(value, 4)))
    return rows, target


def draw_life(rng, n, d, counts=False):
    """Such rows, and times with events: the texts of two columns, of which the first three columns tell the time."""
    rows, target = draw_sheet(rng, n, d, "", counts)
    return rows, [f"{math.exp(float(y) / 4):.2f},{int(rng.random() < 0.7)}" for y in target]


def table(names, rows, target, separator=",", called="class"):
    lines = [[*names, called], *([*row, y] for row, y in zip(rows, target))]
    return "".join(separator.join(map(str, line)) + "\n" for line in lines)


def svmlight(rows, target, classes):
    out = []
    for row, y in zip(rows, target):
        entries = " ".join(f"{j + 1}:{x}" for j, x in enumerate(row) if x)
        out.append(f"{classes.index(y) if classes else y} {entries}\n")
    return "".join(out)


def npy(form, shape, letter, values):
    """form: as numpy writes it, letter: as struct does."""
    head = f"{{'descr': '{form}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.ljust(117) + b"\n" +
            struct.pack(f"<{len(values)}{letter}", *values))


def npy_of(rows, form="<f4", letter="f"):
    return npy(form, (len(rows), len(rows[0])), letter, [x for row in rows for x in row])


def write_npz(path, **arrays):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), content)  # of 1980: no clock


def write_scipy(path, form, lines, shape):
    """A sparse matrix as scipy writes it; lines: its rows (csr) or columns (csc)."""
    entries = [[(j, x) for j, x in enumerate(line) if x] for line in lines]
    ends = [sum(map(len, entries[:i])) for i in range(len(entries) + 1)]
    index, value = zip(*(e for line in entries for e in line))
    write_npz(path, format=npy("|S3", (), "B", form), shape=npy("<i8", (2,), "q", shape),
              indptr=npy("<i4", (len(ends),), "i", ends), indices=npy("<i4", (len(index),), "i", index),
              data=npy("<f8", (len(value),), "d", value))


def write_genotypes(folder, rows, target):
    """PLINK's three files: allele counts of two bits, variant by variant."""
    out = bytearray(b"\x6c\x1b\x01")
    for column in zip(*rows):
        for i in range(0, len(column), 4):
            out.append(sum((3, 2, 0)[x] << 2 * at for at, x in enumerate(column[i:i + 4])))
    (folder / "genotypes.bed").write_bytes(out)
    (folder / "genotypes.bim").write_text("".join(f"1\trs{j}\t0\t{j}\tA\tG\n" for j in range(len(rows[0]))))
    (folder / "genotypes.fam").write_text(
        "".join(f"F{i} I{i} 0 0 1 {'ab'.index(y) + 1}\n" for i, y in enumerate(target)))


def write_cells(folder, rows, target):
    """A folder as 10x Genomics writes it, with a table of labels in another order."""
    (folder / "cells").mkdir()
    entries = [f"{j + 1} {i + 1} {x}\n" for i, row in enumerate(rows) for j, x in enumerate(row) if x]
    head = "%%MatrixMarket matrix coordinate integer general\n"
    size = f"{len(rows[0])} {len(rows)} {len(entries)}\n"
    (folder / "cells/matrix.mtx").write_text(head + size + "".join(entries))
    (folder / "cells/features.tsv").write_text("".join(f"E{j}\tN{j}\tGene\n" for j in range(len(rows[0]))))
    (folder / "cells/barcodes.tsv").write_text("".join(f"c{i}\n" for i in range(len(rows))))
    labels = [f"c{i},{y}\n" for i, y in enumerate(target)]
    (folder / "joined.csv").write_text("cell,kind\n" + "".join(reversed(labels)))


def write_forms(folder, rng):
    rows, target = draw_sheet(rng, 12, 5, "ab", counts=True)
    names, text = NAMES[:5], table(NAMES[:5], rows, target)
    lines, columns = text.splitlines(), [*zip(*rows)]
    ids = ["", *(f"s{i}" for i in range(len(rows)))]
    turned = [ids, *zip(*(line.split(",") for line in lines))]
    for name, content in {
            "tabs.tsv": table(names, rows, target, "\t"), "semicolons.csv": table(names, rows, target, ";"),
            "headless.csv": "\n".join(lines[1:]) + "\n", "labels": "\n".join(target) + "\n",
            "names": "\n".join(names) + "\n", "windows.csv": "\ufeff" + text.replace("\n", "\r\n"),
            "ids.csv": "".join(f'"{i}",{line}\n' for i, line in zip(ids, lines)),
            "turned.csv": "".join(",".join(row) + "\n" for row in turned),
            "weka.arff": "@relation r\n" + "".join(f"@attribute {g} numeric\n" for g in names) +
                         "@attribute class {a,b}\n@data\n" + "\n".join(lines[1:]) + "\n",
            "array.mtx": f"%%MatrixMarket matrix array integer general\n{len(rows)} {len(names)}\n" +
                         "".join(f"{x}\n" for column in columns for x in column)}.items():
        (folder / name).write_bytes(content.encode())
    (folder / "zipped.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (folder / "small.npy").write_bytes(npy_of(rows, "|i1", "b"))
    labels = npy("<i8", (len(rows),), "q", ["ab".index(y) for y in target])
    (folder / "labels.npy").write_bytes(labels)
    write_npz(folder / "stored.npz", X=npy_of(rows, "<f8", "d"), y=labels)
    shape = (len(rows), len(names))
    write_scipy(folder / "rows.npz", b"csr", rows, shape)
    write_scipy(folder / "columns.npz", b"csc", columns, shape)
    write_genotypes(folder, rows, target)
    write_cells(folder, rows, target)


def write_sheets(folder, rng, name, classes, draw):
    """The sheet of a task in its kinds. classes: None for times with events."""
    life, of = classes is None, () if classes is None else (classes,)

    def write(kind, names, rows, target):
        text = table(names, rows, target, called="time,event" if life else "class")
        (folder / f"{name}{kind}.csv").write_text(text)

    def write_lines(kind, lines):
        (folder / f"{name}{kind}").write_text("".join(line + "\n" for line in lines))

    def write_sparse(kind, rows, target):
        if life:
            times, events = zip(*(y.split(",") for y in target))
            write_lines(f"{kind}.time", times)
            write_lines(f"{kind}.event", events)
            target = times
        (folder / f"{name}{kind}.svm").write_text(svmlight(rows, target, classes))

    rows, target = draw(rng, N_SAMPLES, len(NAMES), *of)
    write("", NAMES, rows, target)
    write("-signed", NAMES, [[round(x - 1, 3) for x in row] for row in rows], target)
    write("-gaps", NAMES, [["" if rng.random() < 0.03 else x for x in row] for row in rows], target)
    sites = [[*row[:9], rng.choice(["north", "south", "west"])] for row in rows]
    write("-text", [*NAMES[:9], "site"], sites, target)
    write("-few", NAMES[:10], [row[:10] for row in rows], target)
    write("-tall", NAMES[:8], *draw(rng, 60, 8, *of))
    write("-counts", NAMES, *draw(rng, N_SAMPLES, len(NAMES), *of, counts=True))
    write_sparse("", rows, target)
    wide, told = draw(rng, N_SAMPLES, N_WIDE, *of)
    write("-wide", [f"w{j + 1}" for j in range(N_WIDE)], wide, told)
    write_sparse("-wide", wide, told)
    (folder / f"{name}.npy").write_bytes(npy_of(rows))
    if not life:
        write_lines(".labels", target)


def write_annotations(folder, rng):
    """What goes with samples and features."""
    for name, line in {"weights": lambda i: (0.5, 1, 2, 0)[rng.randrange(4)],
                       "offset": lambda i: round(rng.gauss(0, 0.5), 3), "patients": lambda i: f"p{i // 2 % 10}",
                       "folds": lambda i: f"f{i // 2 % 3}"}.items():
        (folder / name).write_text("".join(f"{line(i)}\n" for i in range(N_SAMPLES)))
    (folder / "cost").write_text("".join(f"{g}\t{0.5 + 2 * rng.random():.2f}\n" for g in NAMES[:14]))
    (folder / "groups").write_text("".join(f"{g},{'h' if j > 15 else j // 2}\n" for j, g in enumerate(NAMES)))
    (folder / "features").write_text("\n".join(NAMES) + "\n")


def draw_data(folder, seed, ask):
    """ask: runs pare in the folder, for the files of its own format."""
    rng = random.Random(seed)
    for name, classes in CLASSES.items():
        write_sheets(folder, rng, name, classes, draw_sheet)
        for kind in CONVERTED:
            ask("convert", f"{name}{kind}.csv", f"{name}{kind}.pare", "--quiet")
    if '"survival"' in ask("methods", "--json"):  # an old build has none
        write_sheets(folder, random.Random(seed), "life", None, draw_life)
        for kind in CONVERTED:
            ask("convert", f"life{kind}.csv", f"life{kind}.pare", "--time", "time", "--event", "event", "--quiet")
    write_annotations(folder, rng)
    write_forms(folder, rng)
