library(testthat)
library(pare)
test_check("pare")
