import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { emptyObject, type JsonValue } from '../protocol/json.js';
import { BOUNDS } from './bounds.js';
import type { ProblemCode } from './codes/index.js';
import type { Located, Member } from './located.js';
import type { Location, Problem } from './model.js';

/** Deeper than any descriptor; aliases that contain themselves end here. */
const MAX_DEPTH = 64;
/** Aliases can multiply a small text into a huge tree. */
const MAX_NODES = 200_000;
/** Beyond that many the rest is more of the same. */
export const MAX_PROBLEMS = 1000;
/** As far as a line's first character is looked for. */
const MAX_LINE = 1000;

/** A descriptor as it was read, with what is wrong with its text. */
export interface Parsed {
  /** Undefined where the text can't be read at all; `problems` says why. */
  readonly root: Located | undefined;
  readonly problems: readonly Problem[];
}

/**
 * Parses a descriptor, YAML or JSON (its subset), into a tree that knows where everything stands.
 * Takes a bounded time and never throws, whatever the text.
 */
export function parseDescriptor(file: string, source: string): Parsed {
  const locate = locator(file, source);
  if (source.length > BOUNDS.descriptorLength)
    return refuseText([
      {
        at: locate(0),
        code: 'too-deep',
        message:
          `the descriptor is longer than ${BOUNDS.descriptorLength} characters; ` +
          'divide it in two.',
      },
    ]);
  const document = parseDocument(source, {
    prettyErrors: false,
    // Each key against all others takes minutes for a large text: the reader looks itself.
    uniqueKeys: false,
    strict: true,
    version: '1.2',
  });
  // After an error of syntax all else is a guess.
  const errors = [...document.errors, ...document.warnings];
  const overflow = errors.find(({ message }) => message.includes('call stack'));
  if (overflow !== undefined) return refuseText([complainOfDepth(locate(overflow.pos[0]))]);
  if (errors.length > 0)
    return refuseText(
      firstOf(errors).map((error) => ({
        at: locate(placeOf(error, source)),
        code: 'syntax',
        message: `not readable as YAML: ${error.message}.${hintOf(error)}`,
      })),
    );
  const reader = new TreeReader(locate);
  const root = reader.read(document.contents, 0, locate(0));
  const { problems } = reader;
  return reader.readable ? { root, problems } : refuseText(problems);
}

/** An error of the YAML reader, or of JSON's, in one form. */
type SyntaxComplaint = Pick<YAMLError, 'code' | 'pos' | 'message'>;

/**
 * Returns the errors up to the first tab that indents: it makes every line behind it look wrong.
 */
function firstOf(errors: readonly SyntaxComplaint[]): readonly SyntaxComplaint[] {
  const tab = errors.findIndex(({ code }) => code === 'TAB_AS_INDENT');
  return errors.slice(0, tab === -1 ? MAX_PROBLEMS : tab + 1);
}

/** Returns the offset of an error; of a line that is indented wrongly, the one of its text. */
function placeOf({ code, pos: [offset] }: SyntaxComplaint, source: string): number {
  if (code !== 'BAD_INDENT') return offset;
  return offset + (/^ */.exec(source.slice(offset, offset + MAX_LINE))?.[0].length ?? 0);
}

/**
 * Returns a hint for mistakes of indentation, whose messages by the reader are hard to understand.
 */
function hintOf({ code, message }: SyntaxComplaint): string {
  if (code === 'TAB_AS_INDENT') return ' Write spaces.';
  // The other errors of this code are of brackets that nothing closes.
  const isMisplaced = code === 'BAD_INDENT' && message.includes('same column');
  return isMisplaced ? ' This line, or the one before it, is indented wrongly.' : '';
}

/** Returns the outcome for a text that gives no descriptor at all. */
function refuseText(problems: readonly Problem[]): Parsed {
  return { root: undefined, problems };
}

/**
 * Returns the problem of a descriptor that nests too deeply or is too large, as aliases can make
 * it.
 */
function complainOfDepth(at: Location): Problem {
  const message = 'the descriptor nests too deeply or grows too large here.';
  return { at, code: 'too-deep', message };
}

/**
 * Returns a function from an offset in UTF-16 code units to its place. One behind the end has the
 * place of the end. (yaml's own line counter stops where its parser does.)
 */
function locator(file: string, source: string): (offset: number) => Location {
  const starts = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1))
    starts.push(at + 1);
  return (offset) => {
    const within = Math.min(offset, source.length);
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    return Object.freeze({ file, line: low + 1, column: within - (starts[low] ?? 0) + 1 });
  };
}

/** Turns yaml's nodes into located ones, resolving aliases. */
class TreeReader {
  readonly problems: Problem[] = [];
  /** False once the tree is cut short: rules would complain about what is missing from it. */
  readable = true;
  #count = 0;
  /** The node of an alias: the last one of its name before it. */
  readonly #anchors = new Map<string, Node>();
  /** Anchors within what an alias repeats are there already. */
  #repeating = 0;
  readonly #locate: (offset: number) => Location;

  constructor(locate: (offset: number) => Location) {
    this.#locate = locate;
  }

  /** Reads a node and all below it. Beyond the bounds the descriptor counts as unreadable. */
  read(node: unknown, depth: number, fallback: Location): Located {
    const at = rangeStart(node) === undefined ? fallback : this.#locate(rangeStart(node) ?? 0);
    this.#count += 1;
    if (depth > MAX_DEPTH || this.#count > MAX_NODES) {
      if (this.readable) this.problems.push(complainOfDepth(at));
      this.readable = false;
      return { value: null, at };
    }
    if (isAlias(node)) return this.#readAlias(node.source, depth, at);
    if (isNode(node) && node.anchor !== undefined && this.#repeating === 0)
      this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#readMap(node, depth, at);
    if (isSeq(node)) return this.#readSequence(node, depth, at);
    if (isScalar(node)) return { value: this.#readScalar(node, at), at };
    return { value: null, at };
  }

  /** Reads the node that an alias names once more, at the alias's place. */
  #readAlias(name: string, depth: number, at: Location): Located {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      this.#report(at, 'syntax', `the alias *${name} names no anchor.`);
      return { value: null, at };
    }
    this.#repeating += 1;
    const found = this.read(target, depth + 1, at);
    this.#repeating -= 1;
    return { ...found, at };
  }

  /** Reads an object. Reports keys that are no strings, and leaves them out. */
  #readMap(map: YAMLMap, depth: number, at: Location): Located {
    const found = new Map<string, Member>();
    const value = emptyObject();
    for (const pair of map.items) {
      if (!this.readable) break;
      const key = isScalar(pair.key) ? pair.key.value : undefined;
      const nameAt = this.#locate(rangeStart(pair.key) ?? 0);
      if (typeof key !== 'string') {
        this.#report(nameAt, 'wrong-type', 'a key must be a string; put it in quotes.');
        continue;
      }
      this.#checkText(key, nameAt);
      const twin = found.get(key)?.nameAt;
      if (twin !== undefined) this.#reportTwin(nameAt, twin);
      const node = this.read(pair.value, depth + 1, nameAt);
      found.set(key, { name: key, nameAt, node });
      value[key] = node.value;
    }
    return { value, at, members: found };
  }

  #readSequence(sequence: YAMLSeq, depth: number, at: Location): Located {
    const nodes = sequence.items.map((item) => this.read(item, depth + 1, at));
    return { value: nodes.map((node) => node.value), at, items: nodes };
  }

  /** Reads text, a Boolean, null or a number that JSON has and a double holds exactly. */
  #readScalar({ value, source }: Scalar, at: Location): JsonValue {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#checkText(value, at);
    if (typeof value === 'number' && Number.isFinite(value)) {
      // As on the wire: what stands in the text is never rounded in silence.
      if (source !== undefined && isRounded(source, value))
        this.#report(
          at,
          'wrong-type',
          `a double can't hold this number: it would become ${value}; write one that it can.`,
        );
      return value;
    }
    this.#report(
      at,
      'wrong-type',
      'this value has no form in JSON: legal are text, true, false, null and numbers up to ' +
        '1.7976931348623157e+308.',
    );
    return null;
  }

  /**
   * Returns the text, and reports half of a surrogate pair (RFC 7493 2.1): no client could send it,
   * no database keep it.
   */
  #checkText(text: string, at: Location): string {
    if (!text.isWellFormed())
      this.#report(
        at,
        'wrong-type',
        'half of a surrogate pair is no character; write both halves.',
      );
    return text;
  }

  /** Reports the second key of a name. The rest stays readable; the second value counts there. */
  #reportTwin(at: Location, twin: Location): void {
    const message = 'this key stands twice in one object; remove one of the two.';
    if (this.problems.length < MAX_PROBLEMS)
      this.problems.push({ at, code: 'duplicate-key', message, related: [twin] });
  }

  /** Adds a problem, up to MAX_PROBLEMS of one file. */
  #report(at: Location, code: ProblemCode, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ at, code, message });
  }
}

/**
 * Returns whether a number became an integer that its text doesn't say: 9007199254740993, which no
 * double holds, or 4.99999999999999999999, which becomes 5. Other fractions are the nearest double
 * by their nature.
 */
function isRounded(source: string, value: number): boolean {
  if (!Number.isInteger(value)) return false;
  if (/^[-+]?0[xo]/i.test(source)) return !Number.isSafeInteger(value);
  return normalizeDecimal(source) !== normalizeDecimal(String(value));
}

/**
 * Writes a decimal number in one form, without its sign: `123e2` for `12300`, `1.23e4` and
 * `0.123e5`. Returns undefined for any other text.
 */
function normalizeDecimal(text: string): string | undefined {
  const [match, whole = '', fraction = '', exponent = '0'] =
    /^[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  if (match === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === '0') end -= 1;
  if (end === 0) return '0';
  return `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** Returns the offset at which a node of the YAML reader begins; undefined if it has no place. */
function rangeStart(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
