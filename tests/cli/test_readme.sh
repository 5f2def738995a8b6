#!/usr/bin/env bash
# What README.md prints is what its commands print: `...` stands for any text in a line, or for any lines.
. "$(dirname "$0")/harness.sh"

export PATH="$(dirname "$PARE"):$PATH"
cat >compare.py <<'PY'
import fcntl, os, pty, re, struct, subprocess, sys, termios

def at_terminal(command):
    """What it prints to a terminal of 100 columns; its exit code and stderr."""
    screen, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    with open("stderr.txt", "w+") as errors:
        run = subprocess.Popen(["bash", "-c", command], stdout=inside, stderr=errors, env={**os.environ, "NO_COLOR": "1"})
        os.close(inside)
        text = b""
        try:
            while part := os.read(screen, 65536):
                text += part
        except OSError:
            pass
        os.close(screen)
        run.wait()
        errors.seek(0)
        return text.decode().replace("\r\n", "\n"), run.returncode, errors.read()

blocks = re.findall(r"^```\n(\$ .*?)^```$", open(sys.argv[1]).read(), re.M | re.S)
commands = 0
for block in blocks:
    for part in re.split(r"^(?=\$ )", block, flags=re.M)[1:]:
        command, *wanted = part.rstrip("\n").split("\n")
        commands += 1
        shown, code, errors = at_terminal(command[2:])
        assert code == 0, (command, errors)
        pattern = ""
        for line in wanted:
            pattern += r"(.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        if re.fullmatch(pattern, shown):
            continue
        have = shown.split("\n")
        lost = [w for w in wanted if w != "..." and
                not any(re.fullmatch(".*".join(map(re.escape, w.split("..."))), h) for h in have)]
        sys.exit("%s\nprints no longer: %s\nbut: %s" % (command, "\n".join(lost) or "(the same lines, in another order or among others)",
                                                      "\n".join(have[:40])))
assert commands >= 4, commands
print(commands, "commands")
PY
unset OPENBLAS_CORETYPE
ln -s "$ROOT/examples" examples
if ! examples/data/leukemia fetched >fetched.txt 2>&1 && grep -q 'could not be downloaded' fetched.txt; then
    echo "ok the figures of README.md (skipped: $(cat fetched.txt))"
    exit 0
fi
case_begin "the figures of README.md are those that its commands print"
run python3 compare.py "$ROOT/README.md"
check "$run_err" test "$run_code" -eq 0

case_begin "also with another kernel of the linear algebra"
run env OPENBLAS_CORETYPE=Nehalem python3 compare.py "$ROOT/README.md"
check "$run_err" test "$run_code" -eq 0

case_begin "a figure that does not hold is seen"
sed 's/baseline 0\.71/baseline 0.72/' "$ROOT/README.md" >wrong.md
run python3 compare.py wrong.md
check "it was not" test "$run_code" -ne 0
