// One command of pare in a worker of its own; the glue that emscripten made stands before this text, and both are
// started from a blob, so that the page's policy holds here too. Ending the worker cancels the command.

const FOLDER = "/work", BESIDE = "/files";

/** Runs args with these inputs ({name, file} or {name, bytes}) and reads back the outputs that were written. */
async function runPare(job, onLine) {
  const out = [], err = [];
  let line = [];
  const said = (byte) => {
    err.push(byte);
    if (byte !== 13 && byte !== 10) line.push(byte);
    if (byte === 13 || byte === 10 || line.length === 60) { // what a terminal line holds at most
      if (line.length) onLine(decode(line));
      if (byte === 13 || byte === 10) line = [];
    }
  };
  const pare = await createPare({
    noInitialRun: true,
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(job.module, imports).then((instance) => done(instance, job.module));
      return {};
    },
    preRun: [(m) => {
      m.FS.init(() => null, (byte) => out.push(byte), said);
      for (const [name, value] of Object.entries(job.environment)) m.ENV[name] = asBytes(value);
    }],
    quit: (status, stop) => { throw stop; },
  });
  const FS = pare.FS;
  FS.getStream(2).tty = {}; // progress is for those who can see it
  FS.mkdir(FOLDER);
  place(pare, job.inputs);
  FS.chdir(FOLDER);
  let code = pare.callMain(job.args);
  const files = {};
  for (const name of job.outputs)
    if (FS.analyzePath(`${FOLDER}/${name}`).exists) files[name] = FS.readFile(`${FOLDER}/${name}`);
  return { code: code ?? 0, out: decode(out), err: decode(err), files };
}

/** A file of the person's is read where it is, never copied into memory as a whole. */
function place(pare, inputs) {
  const blobs = inputs.filter((i) => i.file).map((i) => ({ name: i.name, data: i.file }));
  if (blobs.length) {
    pare.FS.mkdir(BESIDE);
    pare.FS.mount(pare.WORKERFS, { blobs }, BESIDE);
    for (const b of blobs) pare.FS.symlink(`${BESIDE}/${b.name}`, `${FOLDER}/${b.name}`);
  }
  for (const i of inputs) if (i.bytes) pare.FS.writeFile(`${FOLDER}/${i.name}`, i.bytes);
}

/** A text of its UTF-8 bytes: the glue passes on the low byte of every character of the environment. */
function asBytes(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

function decode(bytes) {
  return new TextDecoder().decode(new Uint8Array(bytes));
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope)
  self.onmessage = async (message) => {
    try {
      const result = await runPare(message.data, (line) => self.postMessage({ line }));
      self.postMessage({ result }, Object.values(result.files).map((f) => f.buffer));
    } catch (e) {
      self.postMessage({ broken: String(e && e.message ? e.message : e) });
    }
  };
