/** The words of pino's levels, from the number on. */
const LEVELS = [
  [60, 'FATAL'],
  [50, 'ERROR'],
  [40, 'WARN'],
  [30, 'INFO'],
  [20, 'DEBUG'],
  [0, 'TRACE'],
];

/** Returns a line of the server's log for people; a line that is none as it is. */
export function logText(line) {
  const entry = parse(line);
  if (entry === undefined) return line;
  const { level, time = '', msg = '', err, ...rest } = entry;
  const [, word] = LEVELS.find(([from]) => level >= from) ?? [0, ''];
  const fields = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  const stack = err?.stack ?? err?.message;
  return `${time.slice(11, 19)} ${word} ${msg}${fields}${stack === undefined ? '' : `\n${stack}`}`;
}

function parse(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line);
    return typeof entry.level === 'number' ? entry : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
