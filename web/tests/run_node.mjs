// One command of the WebAssembly program under node: run(FOLDER of pare.js, args, inputs, outputs,
// environment), as worker.js does it.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const worker = join(dirname(fileURLToPath(import.meta.url)), "..", "page", "worker.js");

export async function runNode(build, args, inputs = [], outputs = [], environment = {}) {
  const file = resolve(build, "pare.js");
  const source = readFileSync(file, "utf8") + "\n" + readFileSync(worker, "utf8") + "\nreturn runPare;";
  const runPare = new Function("require", "__dirname", "__filename", "module", source)(
    createRequire(file),
    build,
    file,
    {}
  );
  return runPare(
    { module: new WebAssembly.Module(readFileSync(join(build, "pare.wasm"))), args, inputs, outputs, environment },
    () => {}
  );
}
