// Starts pare's commands in workers. The program is compiled once and handed to each.
import { environment, progressOf, sentences } from "./plan.js";

/** What a command that did not work has to say: the library's own sentence. */
export class PareError extends Error {}
export class Cancelled extends Error {}

async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** source: the worker's text; program: WebAssembly, gzip, base64. */
export function createEngine(source, program) {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const module = unpack(program).then((bytes) => WebAssembly.compile(bytes));
  const running = new Set();

  /** Resolves to {out, err, files, remarks}; rejects with the library's sentence. onProgress(share, stage). */
  async function run(args, inputs, outputs, onProgress) {
    const compiled = await module;
    const worker = new Worker(url);
    return new Promise((resolve, reject) => {
      const end = (act, value) => { worker.terminate(); running.delete(job); act(value); };
      const job = { cancel: () => end(reject, new Cancelled("cancelled")) };
      running.add(job);
      worker.onmessage = ({ data }) => {
        if (data.line !== undefined) {
          const at = progressOf(data.line);
          if (at && onProgress) onProgress(at.share, at.stage);
        } else if (data.broken !== undefined) {
          end(
            reject,
            new PareError(
              `the computation broke off in this browser (${data.broken}); the command line may still do it`
            )
          );
        } else {
          const said = sentences(data.result.err);
          if (data.result.code === 0) end(resolve, { ...data.result, remarks: said });
          else end(reject, new PareError(said[said.length - 1] || `pare ended with code ${data.result.code}`));
        }
      };
      worker.onerror = (e) =>
        end(reject, new PareError(`the worker could not start: ${e.message || "no reason given"}`));
      worker.postMessage({ module: compiled, args, inputs, outputs, environment: environment() });
    });
  }

  return {
    run, ready: module, cancel: () => [...running].forEach((job) => job.cancel()), busy: () => running.size > 0,
  };
}

/** A path by its plan: shards side by side, then their merge; also their checkpoints. onProgress(share, stage) over
 * all of it. */
export async function runPath(engine, plan, inputs, onProgress) {
  const outputs = ["path.json", "report.html", "predictions.tsv"];
  if (!plan.shards.length) {
    const alone = await engine.run(plan.last, inputs, [...outputs, plan.checkpoint], onProgress);
    return { ...alone, checkpoints: [{ name: plan.checkpoint, bytes: alone.files[plan.checkpoint] }] };
  }
  const share = plan.shards.map(() => 0);
  const tell = (i) => (at, stage) => {
    share[i] = Math.max(share[i], at);
    onProgress((0.95 * share.reduce((a, b) => a + b, 0)) / share.length, stage);
  };
  const done = await Promise.all(plan.shards.map(async (shard, i) => {
    const result = await engine.run(shard.args, inputs, [shard.checkpoint], tell(i));
    tell(i)(1, "");
    return { name: shard.checkpoint, bytes: result.files[shard.checkpoint] };
  })).catch((e) => { engine.cancel(); throw e; });
  onProgress(0.96, "putting the parts together");
  const tellEnd = (at, stage) => onProgress(0.96 + 0.04 * at, stage);
  return { ...await engine.run(plan.last, [...inputs, ...done], outputs, tellEnd), checkpoints: done };
}
