import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { emptyObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Location, Problem } from '../model.js';
import type { Located, Member } from './located.js';

/** Deeper than any descriptor; aliases that contain themselves end here. */
const MAX_DEPTH = 64;
/** Aliases can multiply a small text into a huge tree. */
const MAX_NODES = 200_000;

export interface Parsed {
  /** Undefined where the text can't be read at all; `problems` says why. */
  readonly root: Located | undefined;
  readonly problems: readonly Problem[];
}

/**
 * Parses a descriptor, YAML or JSON (its subset), into a tree that knows where everything stands.
 */
export function parseDescriptor(file: string, source: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    strict: true,
    version: '1.2',
  });
  const locate = (offset: number): Location => {
    const { line, col } = lines.linePos(offset);
    return Object.freeze({ file, line: Math.max(line, 1), column: Math.max(col, 1) });
  };
  const problems: Problem[] = [...document.errors, ...document.warnings].map((error) => ({
    ...(error.code === 'DUPLICATE_KEY' ? { related: twinsOf(document, error.pos[0], locate) } : {}),
    at: locate(error.pos[0]),
    code: error.code === 'DUPLICATE_KEY' ? 'duplicate-key' : 'syntax',
    message:
      error.code === 'DUPLICATE_KEY'
        ? 'this key stands twice in one object; remove one of the two.'
        : `not readable as YAML: ${error.message}.`,
  }));
  // Two keys of one name leave the rest readable; after an error of syntax all else is a guess.
  if (problems.some(({ code }) => code === 'syntax')) return { root: undefined, problems };
  const reader = new TreeReader(document, locate);
  const root = reader.read(document.contents, 0, locate(0));
  problems.push(...reader.problems);
  return { root: reader.readable ? root : undefined, problems };
}

/** Where the key stands first whose second stands at the offset. */
function twinsOf(
  document: Document,
  offset: number,
  locate: (offset: number) => Location,
): readonly Location[] {
  const found: Location[] = [];
  visit(document, {
    Map(_key, map) {
      const second = map.items.find(({ key }) => rangeStart(key) === offset)?.key;
      if (!isScalar(second)) return undefined;
      const first = map.items.find(({ key }) => isScalar(key) && key.value === second.value)?.key;
      if (first !== second) found.push(locate(rangeStart(first) ?? 0));
      return visit.BREAK;
    },
  });
  return found;
}

/** Turns yaml's nodes into located ones, resolving aliases. */
class TreeReader {
  readonly problems: Problem[] = [];
  /** False once the tree is cut short: rules would complain about what is missing from it. */
  readable = true;
  #count = 0;
  readonly #document: Document;
  readonly #locate: (offset: number) => Location;

  constructor(document: Document, locate: (offset: number) => Location) {
    this.#document = document;
    this.#locate = locate;
  }

  read(node: unknown, depth: number, fallback: Location): Located {
    const at = rangeStart(node) === undefined ? fallback : this.#locate(rangeStart(node) ?? 0);
    this.#count += 1;
    if (depth > MAX_DEPTH || this.#count > MAX_NODES) {
      if (this.readable)
        this.#report(at, 'too-deep', 'the descriptor nests too deeply or grows too large here.');
      this.readable = false;
      return { value: null, at };
    }
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (target !== undefined) return { ...this.read(target, depth + 1, at), at };
      this.#report(at, 'syntax', `the alias *${node.source} names no anchor.`);
      return { value: null, at };
    }
    if (isMap(node)) return this.#readMap(node, depth, at);
    if (isSeq(node)) return this.#readSequence(node, depth, at);
    if (isScalar(node)) return { value: this.#scalar(node.value, at), at };
    return { value: null, at };
  }

  #readMap(map: YAMLMap, depth: number, at: Location): Located {
    const found = new Map<string, Member>();
    const value = emptyObject();
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? pair.key.value : undefined;
      const nameAt = this.#locate(rangeStart(pair.key) ?? 0);
      if (typeof key !== 'string') {
        this.#report(nameAt, 'wrong-type', 'a key must be a string; put it in quotes.');
        continue;
      }
      this.#text(key, nameAt);
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

  #scalar(value: unknown, at: Location): JsonValue {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#text(value, at);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.#report(
      at,
      'wrong-type',
      'this value has no form in JSON: legal are text, true, false, null and numbers up to ' +
        '1.7976931348623157e+308.',
    );
    return null;
  }

  /** RFC 7493 2.1: text without surrogates. No client could send it, no database keep it. */
  #text(text: string, at: Location): string {
    if (!text.isWellFormed())
      this.#report(
        at,
        'wrong-type',
        'half of a surrogate pair is no character; write both halves.',
      );
    return text;
  }

  #report(at: Location, code: string, message: string): void {
    this.problems.push({ at, code, message });
  }
}

function rangeStart(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
