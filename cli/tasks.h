/* What a model's task means for what is printed and read. */
#ifndef PARE_CLI_TASKS_H
#define PARE_CLI_TASKS_H

#include <pare/pare.h>

/* Its scores are for the order of the samples. */
bool task_orders(const pare_model *m);
/* The risk of an event. */
bool task_predicts_risk(const pare_model *m);
bool task_predicts_number(const pare_model *m);
/* One of n_classes of pare_model_info. */
bool task_predicts_class(const pare_model *m);
bool task_lacks_target(const pare_model *m);
/* The same of a value of the setting `task`. */
bool task_word_lacks_target(const char *word);
/* The i-th of the tasks that differ in their metrics, classes first; NULL: there are no more. */
const char *task_with_metrics(int i);

#endif
