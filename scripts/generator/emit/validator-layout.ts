/** A statement, or a block with the lines in front of its brace and behind it. */
interface Block {
  readonly head: string;
  readonly inner: (string | Block)[];
  tail: string;
}

const STEP = '  ';

/** The value that a block is about, in its first line. */
const VALUE = /^let data\d+ = /;

/**
 * Lays out the code that ajv writes without indentation, one statement or brace a line. Each check
 * has a line with its report, and the checks of a value are indented below it.
 */
export function layOut(code: string): string {
  const root: Block = { head: '', inner: [], tail: '' };
  const open: Block[] = [root];
  for (const line of code.split('\n')) {
    // ajv names the schema of each function in a comment for debuggers.
    if (line === '' || line.startsWith('/*# sourceURL=')) continue;
    const current = open.at(-1) ?? root;
    if (line.startsWith('}')) {
      current.tail = line;
      open.pop();
    } else if (line.endsWith('{')) {
      const block: Block = { head: line, inner: [], tail: '}' };
      current.inner.push(block);
      open.push(block);
    } else current.inner.push(line);
  }
  if (open.length !== 1) throw new Error('Blocks of emitted validators are not balanced.');
  return root.inner.flatMap((part) => linesOf(part)).join('\n');
}

function linesOf(part: string | Block): readonly string[] {
  if (typeof part === 'string') return [part];
  const [first] = part.inner;
  const value = typeof first === 'string' && VALUE.test(first) ? first : undefined;
  const head = value === undefined ? part.head : `${part.head} ${value}`;
  const inner = joined(part.inner.slice(value === undefined ? 0 : 1).map(linesOf));
  if (inner.length <= 1) return [[head, ...inner, part.tail].join(' ')];
  return [head, ...inner.map((line) => `${STEP}${line}`), part.tail];
}

/** Puts `else` behind the brace in front of it. */
function joined(parts: readonly (readonly string[])[]): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const [first = '', ...more] = part;
    const last = lines.at(-1);
    if (first.startsWith('else') && last?.endsWith('}') === true)
      lines[lines.length - 1] = `${last} ${first}`;
    else lines.push(first);
    lines.push(...more);
  }
  return lines;
}
