// Writes wide.npy, 24 samples of 66,000 features in single precision, and labels.txt: so many that Gram matrices of
// standardised features are made in single precision (la/product.c).
import { writeFileSync } from "node:fs";

const n = 24, d = 66000, x = new Float32Array(n * d);
let state = 1;
const draw = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
for (let i = 0; i < n; i++)
  for (let j = 0; j < d; j++) x[i * d + j] = draw() + draw() + draw() - 1.5 + (j % 9973 === 5 ? i % 2 : 0);
const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${n}, ${d}), }`.padEnd(117) + "\n";
const magic = "\x93NUMPY\x01\x00\x76\x00";
writeFileSync("wide.npy", Buffer.concat([Buffer.from(magic + header, "latin1"), Buffer.from(x.buffer)]));
writeFileSync("labels.txt", Array.from({ length: n }, (_, i) => "ab"[i % 2] + "\n").join(""));
