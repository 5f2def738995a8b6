"""Sphinx's settings; the sources are assembled by assemble.py, the library for autodoc is named by PARE_LIBRARY."""
import os
import sys

root = os.environ["PARE_ROOT"]
sys.path.insert(0, os.path.join(root, "python"))

project = "pare"
author = "the pare authors"
release = os.environ["PARE_VERSION"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "breathe", "sphinx_copybutton"]
html_theme = "furo"
html_title = f"pare {release}"
html_static_path = ["static"]
html_css_files = ["pare.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
smartquotes = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
highlight_language = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = ["Returns"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
breathe_projects = {"pare": os.environ["PARE_DOXYGEN"]}
breathe_default_project = "pare"
breathe_show_include = False
breathe_domain_by_extension = {"h": "c"}
suppress_warnings = ["myst.header"]
