// One command of the WebAssembly program as if it were the native one: node run.mjs BUILD INPUTS OUTPUTS ARGUMENT...
// INPUTS are files of this folder that it may read, OUTPUTS those that it leaves here, blank-separated.
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { runNode } from "../../web/tests/run_node.mjs";

const [build, inputs, outputs, ...args] = process.argv.slice(2);
const names = (list) => list.split(" ").filter(Boolean);
const files = names(inputs).map((name) => ({ name, bytes: new Uint8Array(readFileSync(name)) }));
const run = await runNode(build, args, files, names(outputs));
for (const [name, bytes] of Object.entries(run.files)) writeFileSync(name, bytes);
writeSync(1, run.out);
writeSync(2, run.err);
process.exitCode = run.code;
