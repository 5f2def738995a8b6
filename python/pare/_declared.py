"""The C interface as ctypes sees it. Made by tools/bindings.py from include/pare: change the headers, then run it."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_int8,
                    c_size_t, c_uint64, c_void_p)

DEVICE = {0: "PARE_DEVICE_CPU", 1: "PARE_DEVICE_CUDA"}
LOG_LEVEL = {0: "PARE_LOG_NOW", 1: "PARE_LOG_WARNING", 2: "PARE_LOG_INFO", 3: "PARE_LOG_DEBUG"}
STATUS = {0: "PARE_OK", 1: "PARE_E_ARGUMENT", 2: "PARE_E_IO", 3: "PARE_E_FORMAT", 4: "PARE_E_DATA",
          5: "PARE_E_INFEASIBLE", 6: "PARE_E_MEMORY", 7: "PARE_E_CANCELLED", 8: "PARE_E_INTERNAL", 9: "PARE_E_DEVICE"}
OUTCOME = {0: "PARE_OPTIMAL", 1: "PARE_STATIONARY", 2: "PARE_COMPUTED", 3: "PARE_GREEDY", 4: "PARE_MAX_ITER",
           5: "PARE_TIME_LIMIT", 6: "PARE_CANCELLED"}
CERT_KIND = {0: "PARE_CERT_NONE", 1: "PARE_CERT_DUALITY_GAP", 2: "PARE_CERT_KKT", 3: "PARE_CERT_MINIMUM_PRINCIPLE",
             4: "PARE_CERT_GLOBAL_GAP"}
COLUMN_TYPE = {0: "PARE_COLUMN_REAL", 1: "PARE_COLUMN_INTEGER", 2: "PARE_COLUMN_FLAG", 3: "PARE_COLUMN_TEXT",
               4: "PARE_COLUMN_METRICS", 5: "PARE_COLUMN_LIST", 6: "PARE_COLUMN_OTHER"}
COLUMN_SHOWN = {1: "PARE_SHOWN_JSON", 2: "PARE_SHOWN_TSV", 4: "PARE_SHOWN_PYTHON", 8: "PARE_SHOWN_R",
                16: "PARE_SHOWN_PAGE", 32: "PARE_SHOWN_CSV", 64: "PARE_SHOWN_OPTIONAL", 128: "PARE_SHOWN_WHOLE"}


class Allocator(Structure):
    _fields_ = [("alloc", CFUNCTYPE(c_void_p, c_void_p, c_size_t)),
                ("resize", CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)),
                ("release", CFUNCTYPE(None, c_void_p, c_void_p)),
                ("user", c_void_p)]


class Ctx(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("allocator", Allocator),
                ("threads", c_int32),
                ("timing", c_int32),
                ("seed", c_uint64),
                ("time_limit_s", c_double),
                ("memory_bytes", c_int64),
                ("log", CFUNCTYPE(None, c_void_p, c_int, c_char_p)),
                ("progress", CFUNCTYPE(c_int, c_void_p, c_char_p, c_double)),
                ("user", c_void_p),
                ("ranks", c_void_p),
                ("device", c_int32)]


class Error(Structure):
    _fields_ = [("code", c_int),
                ("row", c_int64),
                ("column", c_int64),
                ("byte", c_int64),
                ("message", c_char * 1024),
                ("setting", c_char * 32)]


class Names(Structure):
    _fields_ = [("before", c_char_p),
                ("after", c_char_p),
                ("equals", c_char_p),
                ("dash", c_char),
                ("renamed", POINTER(c_char_p))]


class ReadOptions(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("format", c_char_p),
                ("target", c_char_p),
                ("no_target", c_bool),
                ("id", c_char_p),
                ("drop", c_char_p),
                ("labels", c_char_p),
                ("weights", c_char_p),
                ("groups", c_char_p),
                ("features_in_rows", c_bool),
                ("allow_missing", c_bool),
                ("index_base", c_int64),
                ("n_features", c_int64),
                ("only", POINTER(c_char_p)),
                ("n_only", c_int64),
                ("no_header", c_bool),
                ("names", c_char_p),
                ("header", c_bool),
                ("categorical", c_bool),
                ("only_present", c_bool),
                ("fold_groups", c_char_p),
                ("fold_file", c_char_p),
                ("offset", c_char_p),
                ("storage", c_char_p),
                ("keep", c_char_p),
                ("exclude", c_char_p),
                ("only_features", c_char_p),
                ("cost", c_char_p),
                ("na", c_char_p),
                ("skip", c_int64),
                ("encoding", c_char_p),
                ("duplicate_names", c_char_p),
                ("merge_case", c_bool),
                ("drop_unlabelled", c_bool),
                ("sheet", c_char_p),
                ("object", c_char_p),
                ("time", c_char_p),
                ("event", c_char_p),
                ("strata", c_char_p),
                ("batch", c_char_p),
                ("batch_method", c_char_p),
                ("batch_unseen", c_char_p),
                ("describe", c_bool),
                ("sign", c_char_p)]


class Format(Structure):
    _fields_ = [("name", c_char_p),
                ("extensions", c_char_p),
                ("reads", c_bool),
                ("writes", c_bool),
                ("holds_target", c_bool),
                ("lines", c_bool),
                ("alone", c_bool),
                ("part", c_char_p)]


class MethodInfo(Structure):
    _fields_ = [("name", c_char_p),
                ("summary", c_char_p),
                ("tasks", c_char_p),
                ("problem", c_char_p),
                ("citation", c_char_p),
                ("weighs", c_bool),
                ("counts", c_bool),
                ("probability", c_bool),
                ("offset", c_bool)]


class Classifier(Structure):
    _fields_ = [("name", c_char_p),
                ("citation", c_char_p),
                ("log_odds", c_bool)]


class MethodSupport(Structure):
    _fields_ = [("keep", c_char_p),
                ("cost", c_char_p),
                ("groups", c_char_p),
                ("probability", c_char_p),
                ("budget", c_bool),
                ("class_weight", c_bool),
                ("sign", c_bool)]


class SettingInfo(Structure):
    _fields_ = [("name", c_char_p),
                ("type", c_char_p),
                ("fallback", c_char * 32),
                ("allowed", c_char * 160),
                ("doc", c_char_p),
                ("common", c_bool)]


class Certificate(Structure):
    _fields_ = [("kind", c_int),
                ("value", c_double),
                ("relative", c_double)]


class Report(Structure):
    _fields_ = [("objective", c_double),
                ("outcome", c_int),
                ("certificate", Certificate)]


class LambdaPoint(Structure):
    _fields_ = [("lambda_", c_double),
                ("objective", c_double),
                ("loss", c_double),
                ("penalty", c_double),
                ("gap", c_double),
                ("n_features", c_int64),
                ("deviance", c_double),
                ("df", c_int64)]


class LambdaPath(Structure):
    _fields_ = [("count", c_int64),
                ("point", POINTER(LambdaPoint)),
                ("n_outputs", c_int64),
                ("intercept", POINTER(c_double)),
                ("start", POINTER(c_int64)),
                ("index", POINTER(c_int64)),
                ("coef", POINTER(c_double))]


class ModelInfo(Structure):
    _fields_ = [("method", c_char_p),
                ("task", c_char_p),
                ("n_samples", c_int64),
                ("n_features", c_int64),
                ("n_selected", c_int64),
                ("n_kept", c_int64),
                ("index", POINTER(c_int64)),
                ("name", POINTER(c_char_p)),
                ("score", POINTER(c_double)),
                ("n_classes", c_int64),
                ("classes", POINTER(c_char_p)),
                ("n_outputs", c_int64),
                ("coef", POINTER(c_double)),
                ("intercept", POINTER(c_double)),
                ("pairs", POINTER(c_int64)),
                ("n_scores", c_int64),
                ("predictor", Report),
                ("has_selection", c_bool),
                ("selection", Report),
                ("iterations", c_int64),
                ("seconds", c_double),
                ("imputes", c_bool),
                ("has_probability", c_bool),
                ("n_needed", c_int64),
                ("needed_index", POINTER(c_int64)),
                ("needed_name", POINTER(c_char_p)),
                ("n_ranked", c_int64),
                ("ranking", POINTER(c_int64)),
                ("ranking_name", POINTER(c_char_p)),
                ("ranking_score", POINTER(c_double)),
                ("ranking_p", POINTER(c_double)),
                ("ranking_q", POINTER(c_double)),
                ("n_weights", c_int64),
                ("weight_index", POINTER(c_int64)),
                ("weight", POINTER(c_double)),
                ("lambda_path", LambdaPath),
                ("n_notes", c_int64),
                ("notes", POINTER(c_char_p)),
                ("n_alternatives", c_int64),
                ("alternative_index", POINTER(c_int64)),
                ("alternative_name", POINTER(c_char_p))]


class Verdict(Structure):
    _fields_ = [("holds", c_bool),
                ("finished", c_bool),
                ("has_selection", c_bool),
                ("predictor", Report),
                ("selection", Report),
                ("sentence", c_char * 256)]


class PathOptions(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("folds", c_int64),
                ("repeats", c_int64),
                ("splits", c_int64),
                ("train", c_double),
                ("grouped", c_bool),
                ("fold_file", c_char_p),
                ("fold_of", POINTER(c_int32)),
                ("sizes", c_char_p),
                ("metric", c_char_p),
                ("choice", c_char_p),
                ("tolerance", c_double),
                ("inner", c_int64),
                ("tune", c_bool),
                ("grid", c_char_p),
                ("weights", c_bool),
                ("null_runs", c_int64),
                ("substitutes", c_int64),
                ("checkpoint", c_char_p),
                ("predictions", c_bool),
                ("n_parts", c_int64),
                ("part_of", POINTER(c_int8)),
                ("shard", c_int64),
                ("n_shards", c_int64),
                ("command", c_char_p),
                ("merge", POINTER(c_char_p)),
                ("n_merge", c_int64),
                ("error_control", c_char_p),
                ("error_bound", c_char_p),
                ("error_pairs", c_int64),
                ("error_permutations", c_int64),
                ("budgets", c_char_p),
                ("model", c_bool),
                ("best", c_char_p),
                ("leave_out", c_bool),
                ("at", c_double)]


class Column(Structure):
    _fields_ = [("table", c_char_p),
                ("field", c_char_p),
                ("name", c_char_p),
                ("words", c_char_p),
                ("type", c_int),
                ("shown", c_int32)]


class Metric(Structure):
    _fields_ = [("name", c_char_p),
                ("words", c_char_p),
                ("higher_is_better", c_bool),
                ("least", c_double),
                ("most", c_double),
                ("proportion", c_bool)]


class PathPointWeights(Structure):
    _fields_ = [("value", c_double),
                ("count", c_int64),
                ("index", POINTER(c_int64)),
                ("weight", POINTER(c_double))]


class SampleSizeOptions(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("points", c_int64),
                ("draws", c_int64),
                ("target_score", c_double)]


class Ranks(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("index", c_int32),
                ("count", c_int32),
                ("lane", c_int32),
                ("lanes", c_int32),
                ("user", c_void_p),
                ("gather", CFUNCTYPE(c_int, c_void_p, c_int32, c_void_p, c_void_p)),
                ("exchange", CFUNCTYPE(c_int, c_void_p, c_int32, c_void_p, c_void_p, c_void_p, c_void_p)),
                ("ask", CFUNCTYPE(c_int, c_void_p, c_int32, c_int64, c_void_p, c_int64, c_void_p, c_int64)),
                ("serve", CFUNCTYPE(c_int64, c_void_p, c_void_p, c_void_p)),
                ("retire", CFUNCTYPE(None, c_void_p, c_int64))]


class ValidateOptions(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("by_group", c_bool),
                ("absent", c_char_p),
                ("prevalence", c_double),
                ("cut", c_double),
                ("at", c_double),
                ("recalibrate", c_char_p),
                ("against", c_void_p)]


class Estimate(Structure):
    _fields_ = [("value", c_double),
                ("low", c_double),
                ("high", c_double)]


class CalibrationBin(Structure):
    _fields_ = [("predicted", c_double),
                ("observed", c_double),
                ("low", c_double),
                ("high", c_double),
                ("n", c_int64)]


class Calibration(Structure):
    _fields_ = [("intercept", Estimate),
                ("slope", Estimate),
                ("observed_expected", Estimate),
                ("n_bins", c_int64),
                ("bin", POINTER(CalibrationBin))]


class Decision(Structure):
    _fields_ = [("threshold", c_double),
                ("net_benefit", c_double),
                ("treat_all", c_double),
                ("treat_none", c_double)]


class Shift(Structure):
    _fields_ = [("name", c_char_p),
                ("difference", c_double),
                ("outside", c_double)]


class Absent(Structure):
    _fields_ = [("name", c_char_p),
                ("by", c_char_p)]


class Confusion(Structure):
    _fields_ = [("cut", c_double),
                ("count", POINTER(c_int64))]


class Cohort(Structure):
    _fields_ = [("name", c_char_p),
                ("n", c_int64),
                ("n_events", c_int64),
                ("metric", POINTER(Estimate)),
                ("n_calibrations", c_int64),
                ("calibration", POINTER(Calibration)),
                ("n_thresholds", c_int64),
                ("decision", POINTER(Decision)),
                ("n_shifts", c_int64),
                ("shift", POINTER(Shift)),
                ("n_absent", c_int64),
                ("absent", POINTER(Absent)),
                ("n_confusions", c_int64),
                ("confusion", POINTER(Confusion)),
                ("difference", POINTER(Estimate))]


class Pooled(Structure):
    _fields_ = [("mean", Estimate),
                ("prediction_low", c_double),
                ("prediction_high", c_double),
                ("tau2", c_double)]


class ValidationInfo(Structure):
    _fields_ = [("task", c_char_p),
                ("n_metrics", c_int64),
                ("metric", POINTER(c_char_p)),
                ("n_classes", c_int64),
                ("classes", POINTER(c_char_p)),
                ("n_cohorts", c_int64),
                ("cohort", POINTER(Cohort)),
                ("pooled", POINTER(Pooled)),
                ("prevalence", c_double),
                ("at", c_double),
                ("n_notes", c_int64),
                ("notes", POINTER(c_char_p))]


#: Of each function of the library its result and its arguments.
FUNCTIONS = {
    "pare_ctx_init_sized": (None, [POINTER(Ctx), c_size_t]),
    "pare_sentence": (c_int64, [c_void_p, c_int64, c_char_p, POINTER(Names)]),
    "pare_status_name": (c_char_p, [c_int]),
    "pare_read_options_init_sized": (None, [POINTER(ReadOptions), c_size_t]),
    "pare_format_info": (c_bool, [POINTER(Format), c_int64]),
    "pare_data_read": ("status", [c_void_p, c_char_p, POINTER(ReadOptions), POINTER(Ctx), POINTER(Error)]),
    "pare_data_read_memory": ("status", [c_void_p, c_void_p, c_size_t, POINTER(ReadOptions), POINTER(Ctx),
        POINTER(Error)]),
    "pare_data_write": ("status", [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_data_dense": ("status", [c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(Ctx),
        POINTER(Error)]),
    "pare_data_sparse": ("status", [c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_data_borrow_dense": ("status", [c_void_p, c_int64, c_int64, c_void_p, c_int64, c_int64, c_void_p, c_void_p,
        POINTER(Ctx), POINTER(Error)]),
    "pare_data_borrow_float": ("status", [c_void_p, c_int64, c_int64, c_void_p, c_int64, c_int64, c_void_p, c_void_p,
        POINTER(Ctx), POINTER(Error)]),
    "pare_data_borrow_sparse": ("status", [c_void_p, c_int64, c_int64, c_void_p, c_int, c_void_p, c_int, c_void_p,
        c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_data_subset": ("status", [c_void_p, c_void_p, c_void_p, c_int64, POINTER(Ctx), POINTER(Error)]),
    "pare_data_set_labels": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_codes": ("status", [c_void_p, c_void_p, c_void_p, c_int64, POINTER(Error)]),
    "pare_data_set_values": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_time_event": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_strata": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_weights": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_offset": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_ids": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_fold_groups": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_folds": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_batches": ("status", [c_void_p, c_void_p, c_char_p, c_char_p, POINTER(Error)]),
    "pare_data_set_names": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_groups": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_costs": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_signs": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_set_kept": ("status", [c_void_p, c_void_p, POINTER(Error)]),
    "pare_data_choose": ("status", [c_void_p, c_char_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_data_checksum": ("status", [c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_data_free": (None, [c_void_p]),
    "pare_data_drop_missing": ("status", [c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_data_n": (c_int64, [c_void_p]),
    "pare_data_d": (c_int64, [c_void_p]),
    "pare_data_is_sparse": (c_bool, [c_void_p]),
    "pare_data_has_target": (c_bool, [c_void_p]),
    "pare_data_name": (c_char_p, [c_void_p, c_int64, c_void_p]),
    "pare_data_target": (c_char_p, [c_void_p, c_int64, c_void_p]),
    "pare_data_id": (c_char_p, [c_void_p, c_int64, c_void_p]),
    "pare_data_describe": ("status", [c_void_p, c_void_p, c_bool, POINTER(Ctx), POINTER(Error)]),
    "pare_data_describe_whole": ("status", [c_void_p, c_void_p, c_bool, POINTER(Ctx), POINTER(Error)]),
    "pare_data_describe_columns": ("status", [c_void_p, c_void_p, c_bool, POINTER(Ctx), POINTER(Error)]),
    "pare_files_new": ("status", [c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_files_add": ("status", [c_void_p, c_char_p, c_char_p, POINTER(Error)]),
    "pare_files_place": ("status", [c_void_p, POINTER(Error)]),
    "pare_files_free": (None, [c_void_p]),
    "pare_files_check": ("status", [c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_text_save": ("status", [c_char_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_text_free": (None, [c_void_p, POINTER(Ctx)]),
    "pare_methods_count": (c_int64, []),
    "pare_methods_info": (c_bool, [POINTER(MethodInfo), c_int64]),
    "pare_methods_default": (None, [POINTER(MethodInfo)]),
    "pare_classifier_info": (c_bool, [POINTER(Classifier), c_int64]),
    "pare_methods_support": (c_bool, [POINTER(MethodSupport), c_int64]),
    "pare_settings_new": ("status", [c_void_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_settings_free": (None, [c_void_p]),
    "pare_settings_set": ("status", [c_void_p, c_char_p, c_char_p, POINTER(Error)]),
    "pare_settings_get": ("status", [c_void_p, c_char_p, c_void_p, c_int64, POINTER(Error)]),
    "pare_settings_count": (c_int64, [c_void_p]),
    "pare_settings_info": (c_bool, [POINTER(SettingInfo), c_void_p, c_int64]),
    "pare_nearest": (c_int64, [c_char_p, c_void_p, c_int64]),
    "pare_outcome_name": (c_char_p, [c_int]),
    "pare_outcome_text": (c_char_p, [c_int]),
    "pare_outcome_finished": (c_bool, [c_int]),
    "pare_cert_name": (c_char_p, [c_int]),
    "pare_fit": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_model_free": (None, [c_void_p]),
    "pare_model_path_text": ("status", [c_void_p, c_void_p, c_bool, POINTER(Ctx), POINTER(Error)]),
    "pare_model_get": (POINTER(ModelInfo), [c_void_p]),
    "pare_model_setting": ("status", [c_void_p, c_char_p, c_void_p, c_int64, POINTER(Error)]),
    "pare_predict": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_model_decide": (c_int64, [c_void_p, c_void_p, c_int64]),
    "pare_predict_probability": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_predict_survival": ("status", [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, POINTER(Ctx),
        POINTER(Error)]),
    "pare_score_text": ("status", [c_void_p, c_void_p, c_void_p, c_bool, POINTER(Ctx), POINTER(Error)]),
    "pare_model_leave": ("status", [c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_check": ("status", [POINTER(Report), POINTER(Report), c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_verify": ("status", [POINTER(Verdict), c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_model_save": ("status", [c_void_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_model_text": ("status", [c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_model_parse": ("status", [c_void_p, c_char_p, c_size_t, POINTER(Ctx), POINTER(Error)]),
    "pare_model_load": ("status", [c_void_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_path_options_init_sized": (None, [POINTER(PathOptions), c_size_t]),
    "pare_path_run": ("status", [c_void_p, c_void_p, c_void_p, c_int64, POINTER(PathOptions), POINTER(Ctx),
        POINTER(Error)]),
    "pare_path_free": (None, [c_void_p]),
    "pare_checkpoint_command": ("status", [c_void_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_path_model": (c_void_p, [c_void_p]),
    "pare_path_predictions": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_path_complete": (c_bool, [c_void_p]),
    "pare_path_unconverged": (c_int64, [c_void_p]),
    "pare_path_column": (c_bool, [POINTER(Column), c_int64]),
    "pare_path_rows": (c_int64, [c_void_p, c_char_p, c_int64]),
    "pare_path_number": (c_double, [c_void_p, c_char_p, c_char_p, c_int64, c_int64]),
    "pare_path_text": (c_char_p, [c_void_p, c_char_p, c_char_p, c_int64, c_int64]),
    "pare_metric_info": (c_bool, [POINTER(Metric), c_char_p, c_int64]),
    "pare_path_n_parts": (c_int64, [c_void_p]),
    "pare_path_n_metrics": (c_int64, [c_void_p]),
    "pare_path_metric_name": (c_char_p, [c_void_p, c_int64]),
    "pare_path_metric": (c_int64, [c_void_p]),
    "pare_path_headline": ("status", [c_void_p, c_void_p, c_int64, POINTER(Ctx), POINTER(Error)]),
    "pare_path_scores": (c_bool, [c_void_p, c_void_p, c_int64, c_int64]),
    "pare_path_nested": (c_bool, [c_void_p, c_void_p, c_void_p, c_int64, c_int64]),
    "pare_path_n_weights": (c_int64, [c_void_p]),
    "pare_path_weights": (c_bool, [POINTER(PathPointWeights), c_void_p, c_int64]),
    "pare_path_parameter": (c_char_p, [c_void_p]),
    "pare_path_json": ("status", [c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_path_tsv": ("status", [c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_path_html": ("status", [c_void_p, c_void_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_sample_size_options_init_sized": (None, [POINTER(SampleSizeOptions), c_size_t]),
    "pare_sample_size_run": ("status", [c_void_p, c_void_p, c_void_p, POINTER(PathOptions), POINTER(SampleSizeOptions),
        POINTER(Ctx), POINTER(Error)]),
    "pare_sample_size_text": ("status", [c_void_p, c_void_p, c_bool, POINTER(Ctx), POINTER(Error)]),
    "pare_sample_size_free": (None, [c_void_p]),
    "pare_ranks_init_sized": (None, [c_void_p, c_size_t]),
    "pare_validate_options_init_sized": (None, [POINTER(ValidateOptions), c_size_t]),
    "pare_validate": ("status", [c_void_p, c_void_p, c_void_p, c_void_p, c_int64, POINTER(ValidateOptions),
        POINTER(Ctx), POINTER(Error)]),
    "pare_validation_free": (None, [c_void_p]),
    "pare_validation_get": (POINTER(ValidationInfo), [c_void_p]),
    "pare_validation_recalibrated": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_validation_json": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_validation_tsv": ("status", [c_void_p, c_void_p, c_void_p, POINTER(Ctx), POINTER(Error)]),
    "pare_validation_html": ("status", [c_void_p, c_void_p, c_void_p, c_char_p, POINTER(Ctx), POINTER(Error)]),
    "pare_version": (c_char_p, []),
    "pare_blas_kernel": (c_char_p, []),
}
