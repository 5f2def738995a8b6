"""pare: the few features that matter in wide data, a small model on them, a certificate for every convex solve.

Estimators for scikit-learn over the library libpare; see docs/python.md.
"""

from ._cv import PareClassifierCV, PareRankerCV, PareRegressorCV, PareSurvivalCV
from ._estimators import PareClassifier, PareRanker, PareRegressor, PareSelector, PareSurvival
from ._lib import (PareCancelled, PareDeviceError, PareError, PareFileError, PareInfeasibleError, PareInternalError, PareMemoryError,
                   PareValueError, PareWarning, blas_kernel, library_path, version)
from ._model import Certificate, Check, Model, load
from ._path import honest_path
from ._path_result import HonestPath, PathDisplay
from ._table import methods, settings
from ._validation import ValidationResult, validate

__version__ = version

__all__ = ["PareClassifier", "PareRegressor", "PareRanker", "PareSelector", "PareSurvival", "PareClassifierCV", "PareRegressorCV",
           "PareRankerCV", "PareSurvivalCV", "honest_path", "HonestPath", "validate", "ValidationResult",
           "PathDisplay", "Model", "Certificate", "Check", "load",
           "methods", "settings", "PareError", "PareValueError", "PareInfeasibleError", "PareMemoryError",
           "PareFileError", "PareInternalError", "PareCancelled", "PareDeviceError", "PareWarning", "library_path", "blas_kernel", "__version__"]
