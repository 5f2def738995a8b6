# The work queue of ./dev, which sources this. A job is a command, mostly a shell function, that prints `ok NAME` or
# `not ok NAME: why` for each of its checks, and fails if what other jobs need of it is not there. What others need goes
# first, then what took longest the last time (build/durations); $jobs processors are taken at once.

job_name=() job_after=() job_width=() job_guess=() job_command=()
declare -A job_took=() job_state=() # milliseconds; waiting, running, done or failed

# job NAME COMMAND...: to be run by run_jobs. Variables before it, all optional:
#     after=NAME     the job that it needs
#     width=N        the processors that it takes, which it finds in $processors
#     guess=SECONDS  how long it takes, where no run has said so yet
job() {
    job_name+=("$1") job_after+=("${after:-}") job_width+=("${width:-1}") job_guess+=("${guess:-1}")
    job_state[$1]=waiting
    shift
    job_command+=("${*@Q}")
}

# The numbers of the jobs in the order in which they shall start.
job_order() {
    local i after needed=" ${job_after[*]} "
    for i in "${!job_name[@]}"; do
        if [[ $needed == *" ${job_name[i]} "* ]]; then
            echo "0 -$i $i"
        else
            echo "1 ${job_took[${job_name[i]}]:-$((1000 * job_guess[i]))} $i"
        fi
    done | sort -k1,1n -k2,2rn | cut -d' ' -f3
}

# run_jobs: all that were added; the output of each when it ends, and the ten slowest last, with the processor time of
# all, which other work on the machine changes little.
run_jobs() {
    local folder ended free=$jobs running=0 order i code took name
    if [[ -e build/durations ]]; then
        while read -r took name; do job_took[$name]=$took; done <build/durations
    fi
    folder=$(mktemp -d)
    mkfifo "$folder/ended"
    exec {ended}<>"$folder/ended"
    mapfile -t order < <(job_order)
    while :; do
        for i in "${order[@]}"; do
            ((free >= job_width[i])) && job_may_start "$i" && job_start "$i"
        done
        ((running)) || break
        read -r i code took <&"$ended"
        job_end "$i" "$code" "$took"
    done
    exec {ended}>&-
    jobs_slowest
    rm -r "$folder"
}

job_may_start() {
    local after=${job_after[$1]}
    [[ ${job_state[${job_name[$1]}]} == waiting && (-z $after || ${job_state[$after]} == done) ]]
}

job_start() {
    ((free -= job_width[$1], running += 1))
    job_state[${job_name[$1]}]=running
    (
        # in the trap $1 may be that of a function; microseconds
        number=$1 start=${EPOCHREALTIME/[.,]/} processors=${job_width[$1]}
        trap 'times >"$folder/$number.times"; echo "$number $? $(((${EPOCHREALTIME/[.,]/} - start) / 1000))" >&"$ended"' EXIT
        eval "${job_command[$1]}"
    ) >"$folder/$1" 2>&1 </dev/null &
}

job_end() {
    local name=${job_name[$1]} i lost=0
    ((free += job_width[$1], running -= 1)) || true
    job_took[$name]=$3
    job_state[$name]=$([[ $2 == 0 ]] && echo done || echo failed)
    echo "$3 $name" >>"$folder/took"
    cat "$folder/$1"
    grep -qE '^(not )?ok ' "$folder/$1" || echo "not ok $name: nothing passed or failed, exit $2"
    [[ $2 == 0 ]] && return
    for i in "${!job_name[@]}"; do [[ ${job_after[i]} != "$name" ]] || ((lost += 1)); done
    ((lost == 0)) || echo "    $lost jobs that need $name were not run"
}

jobs_slowest() {
    local name
    for name in "${!job_took[@]}"; do echo "${job_took[$name]} $name"; done | sort -k2 >build/durations
    echo "the slowest:"
    sort -rn "$folder/took" | head -n 10 | awk '{ took = $1; $1 = ""; printf "%8.1f s %s\n", took / 1000, $0 }'
    # each has two lines, of the shell and of what it started: USERm1.5s SYSTEMm0.5s
    awk -F '[ms ]+' '{ sum += 60 * ($1 + $3) + $2 + $4 } END { printf "%8.1f s of processor time in all\n", sum }' "$folder"/*.times
}
