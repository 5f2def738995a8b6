#!/usr/bin/env bash
# cox and cox-score against R's glmnet and coxph, where R has them.
. "$(dirname "$0")/harness.sh"

case_begin "paths, kept covariates and score tests are those of glmnet and coxph"
python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import numpy' 2>/dev/null && echo "$p" && break; done)
if [[ -n $python ]] && Rscript -e 'quit(status = !(requireNamespace("glmnet") && requireNamespace("survival")))' >/dev/null 2>&1; then
    run "$python" "$ROOT/experiments/cox_agreement/run.py" --pare "$PARE" --problems 6 --seed 7
    expect_exit 0
    check "nothing was compared" grep -q 'coxph' <<<"$run_out"
else
    check "R has no glmnet or survival, or Python no numpy: not compared" true
fi
