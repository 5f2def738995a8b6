// The built-in example: drawn when it is asked for, always the same. Two hundred measurements of 72 people, of which
// six differ between the healthy and the ill; three of those go together, as genes of one pathway do.

/** Numbers in [0, 1) that any engine draws alike (mulberry32). */
export function uniform(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** About normal: twelve uniform numbers, so that no engine's logarithm matters. */
function normal(draw) {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += draw();
  return sum;
}

export function exampleCsv(seed = 7, n = 72, d = 200) {
  const draw = uniform(seed), lines = [];
  const names = Array.from({ length: d }, (_, j) => `gene${String(j + 1).padStart(3, "0")}`);
  lines.push(["patient", ...names, "diagnosis"].join(","));
  for (let i = 0; i < n; i++) {
    const ill = i % 2, pathway = normal(draw);
    const row = names.map((_, j) => {
      let x = normal(draw);
      if (j < 3) x = 0.6 * x + 0.8 * (pathway + 1.5 * ill);
      else if (j < 6) x += (j % 2 ? 1 : -1) * 1.3 * ill;
      return (8 + x).toFixed(3);
    });
    lines.push([`P${String(i + 1).padStart(3, "0")}`, ...row, ill ? "ill" : "healthy"].join(","));
  }
  return lines.join("\n") + "\n";
}
