"""Which page stands where. Patterns are sorted; a page is taken by the first section that names it."""

SECTIONS = [
    ("start", "Start", "Install pare, run a first study, read its report.",
     ["docs/install.md", "docs/walkthrough.md", "docs/path.md"]),
    ("gallery", "Gallery", "Worked examples on real data.", ["docs/gallery/README.md"]),
    ("guides", "Guides", "One question a page.",
     ["docs/choosing.md", "docs/data.md", "docs/constraints.md", "docs/error-control.md", "docs/survival.md", "docs/validation.md", "docs/signs.md",
      "docs/batches.md", "docs/scale.md", "docs/gpu.md", "docs/clusters.md", "docs/python.md", "docs/r.md", "web/README.md"]),
    ("reference", "Reference", "Commands, methods, files and interfaces, most of it generated from the program's own tables.",
     ["reference/commands.md", "docs/methods.md", "reference/settings.md", "docs/model-file.md", "reference/python.md",
      "reference/r.md", "reference/c.md"]),
    ("evidence", "Evidence", "What was measured, against whom, and the papers' tables beside ours.",
     ["docs/benchmarks.md", "docs/reliability.md", "experiments/README.md"]),
    ("developers", "Developers", "How it is built and how to add to it.",
     ["docs/architecture.md", "docs/passes.md", "docs/adding.md", "docs/adding-a-method.md", "docs/development.md", "docs/dependencies.md",
      "docs/*.md", "site/README.md", "python/README.md", "CHANGELOG.md"]),
]

# pages under a page
CHILDREN = {
    "docs/methods.md": ["docs/methods/*.md"],
    "docs/gallery/README.md": ["docs/gallery/leukemia.md", "docs/gallery/*.md"],
    "experiments/README.md": ["experiments/*/README.md"],
    "docs/architecture.md": ["src/**/README.md"],
    "docs/development.md": ["tests/*/README.md"],
}
