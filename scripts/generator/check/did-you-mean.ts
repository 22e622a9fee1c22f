/** ` Did you mean "text"?` where a known word is close to the unknown one, else nothing. */
export function didYouMean(unknown: string, known: readonly string[]): string {
  const limit = Math.floor(unknown.length * 0.4) + 1;
  const close = known
    .map((word) => ({ word, far: distance(unknown.toLowerCase(), word.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far);
  const best = close[0];
  return best === undefined ? '' : ` Did you mean "${best.word}"?`;
}

/** Edits from one word to the other; two neighbours that changed places count as one (Damerau). */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
