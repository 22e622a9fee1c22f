import {
  type CodeSet,
  overlap,
  type PatternNode,
  parsePattern,
} from '../descriptor/pattern-tree.js';

/** From here on the number of turns counts as one that a client chooses. */
const LONG = 17;
/** Powers of the text's length, and ways beside them, that matching may take. */
const MAX_POWER = 2;
const MAX_WAYS = 1000;

/** In how many ways one text can be matched: `ways` times its length to the power of `power`. */
interface Effort {
  readonly power: number;
  readonly ways: number;
}

const ONE_WAY: Effort = { power: 0, ways: 1 };

/**
 * Why matching could take a time that explodes, or undefined where it is proved that it can't.
 * The proof is conservative: nothing that repeats can match one text in two ways, and the rest in a
 * few. So it refuses some patterns that are harmless; none that takes exponential time passes.
 */
export function whyUnsafe(source: string): string | undefined {
  const tree = parsePattern(source);
  const why = unsafePart(tree);
  if (why !== undefined) return why;
  const { power, ways } = effort(tree, []);
  return power > MAX_POWER || ways > MAX_WAYS
    ? 'several repetitions after each other can match the same text'
    : undefined;
}

function unsafePart(node: PatternNode): string | undefined {
  switch (node.kind) {
    case 'unknown':
      return `${node.source} (look-around and back-references) can't be bounded`;
    case 'sequence':
      return firstOf(node.parts);
    case 'choice':
      return firstOf(node.options);
    case 'repeat':
      return unsafePart(node.part) ?? (node.most > 1 ? ambiguous(node.part) : undefined);
    default:
      return undefined;
  }
}

function firstOf(parts: readonly PatternNode[]): string | undefined {
  for (const part of parts) {
    const why = unsafePart(part);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Why the repeated part could divide one text in two ways. */
function ambiguous(part: PatternNode): string | undefined {
  if (part.kind === 'class' || part.kind === 'empty' || part.kind === 'assertion') return undefined;
  if (canBeEmpty(part)) return 'what is repeated can be empty';
  const why = twoWays(part);
  if (why !== undefined) return why;
  // One turn may end where the next could already begin, only if it ends in a repetition.
  return overlap(tail(part), firstSet(part))
    ? 'a turn of the repetition can end in what the next one begins with'
    : undefined;
}

/** Why the node could match one text in two ways. */
function twoWays(node: PatternNode): string | undefined {
  switch (node.kind) {
    case 'sequence':
      for (const [index, part] of node.parts.entries()) {
        const why = twoWays(part) ?? borders(part, node.parts.slice(index + 1));
        if (why !== undefined) return why;
      }
      return undefined;
    case 'choice': {
      const sets = node.options.map(firstSet);
      const clash = sets.some((set, index) =>
        sets.slice(index + 1).some((other) => overlap(set, other)),
      );
      if (clash) return 'two alternatives within a repetition begin with the same character';
      if (node.options.filter(canBeEmpty).length > 1)
        return 'two alternatives within a repetition can be empty';
      return firstTwoWays(node.options);
    }
    case 'repeat':
      if (node.most <= 1) return twoWays(node.part);
      return ambiguous(node.part) ?? twoWays(node.part);
    default:
      return undefined;
  }
}

function firstTwoWays(options: readonly PatternNode[]): string | undefined {
  for (const option of options) {
    const why = twoWays(option);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Where the part may end early or late, what follows it must tell which. */
function borders(part: PatternNode, rest: readonly PatternNode[]): string | undefined {
  return overlap(tail(part), firstSet({ kind: 'sequence', parts: rest }))
    ? 'a repetition within a repetition is followed by what it matches itself'
    : undefined;
}

/** The characters that the node could go on with where it could also have ended. */
function tail(node: PatternNode): CodeSet {
  switch (node.kind) {
    case 'sequence': {
      const found: CodeSet[] = [];
      for (const part of node.parts.toReversed()) {
        found.push(tail(part));
        if (!canBeEmpty(part)) break;
        found.push(firstSet(part));
      }
      return found.flat();
    }
    case 'choice':
      return [
        ...node.options.flatMap(tail),
        ...(node.options.some(canBeEmpty) ? firstSet(node) : []),
      ];
    case 'repeat':
      return node.most > node.least
        ? [...tail(node.part), ...firstSet(node.part)]
        : tail(node.part);
    default:
      return [];
  }
}

/** The characters that the node can begin with. */
function firstSet(node: PatternNode): CodeSet {
  switch (node.kind) {
    case 'class':
      return node.set;
    case 'sequence': {
      const found: CodeSet[] = [];
      for (const part of node.parts) {
        found.push(firstSet(part));
        if (!canBeEmpty(part)) break;
      }
      return found.flat();
    }
    case 'choice':
      return node.options.flatMap(firstSet);
    case 'repeat':
      return node.most === 0 ? [] : firstSet(node.part);
    default:
      return [];
  }
}

function canBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case 'class':
      return false;
    case 'sequence':
      return node.parts.every(canBeEmpty);
    case 'choice':
      return node.options.some(canBeEmpty);
    case 'repeat':
      return node.least === 0 || canBeEmpty(node.part);
    default:
      return true;
  }
}

/** `follow`: what can come behind the node. Repeated parts match in one way: that is proved before. */
function effort(node: PatternNode, follow: CodeSet): Effort {
  switch (node.kind) {
    case 'sequence': {
      let behind = follow;
      let all = ONE_WAY;
      for (const part of node.parts.toReversed()) {
        all = both(all, effort(part, behind));
        behind = canBeEmpty(part) ? [...firstSet(part), ...behind] : firstSet(part);
      }
      return all;
    }
    case 'choice': {
      const each = node.options.map((option) => effort(option, follow));
      // Alternatives that begin alike, or that are empty before what they begin with, add up.
      return {
        power: Math.max(...each.map(({ power }) => power)),
        ways: each.reduce((sum, { ways }) => sum + ways, 0),
      };
    }
    case 'repeat': {
      const isOpen = overlap(tail(node), follow);
      if (node.most <= 1) {
        const inner = effort(node.part, follow);
        return isOpen ? { ...inner, ways: inner.ways + 1 } : inner;
      }
      if (!isOpen) return ONE_WAY;
      return node.most < LONG
        ? { power: 0, ways: node.most - node.least + 1 }
        : { power: 1, ways: 1 };
    }
    default:
      return ONE_WAY;
  }
}

function both(a: Effort, b: Effort): Effort {
  return { power: a.power + b.power, ways: a.ways * b.ways };
}
