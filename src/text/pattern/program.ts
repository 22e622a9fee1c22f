import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/**
 * Why a pattern can't be compiled: it is no regular expression, or it can't be matched in one pass.
 */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  readonly kind: 'invalid' | 'unsafe';

  constructor(kind: PatternError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Conditions between two characters: `^`, `$`, `\b` and `\B`. */
export type Condition = 'start' | 'end' | 'boundary' | 'noBoundary';

/**
 * A node of a program. Numbers are indexes of nodes, or of the atom that a character must match.
 */
export type ProgramNode =
  | { readonly kind: 'match' }
  | { readonly kind: 'character'; readonly atom: number; readonly next: number }
  | { readonly kind: 'choice'; readonly options: readonly number[] }
  | { readonly kind: 'condition'; readonly condition: Condition; readonly next: number }
  | GroupNode;

/** Only in programs whose groups count. */
export type GroupNode =
  /** A group begins or ends here: `slot` is twice its number, one more at its end. */
  | { readonly kind: 'mark'; readonly slot: number; readonly next: number }
  /** A repetition begins anew: the groups from `first` to `last` have matched nothing yet. */
  | {
      readonly kind: 'clear';
      readonly first: number;
      readonly last: number;
      readonly next: number;
    };

/** A pattern as a nondeterministic automaton. */
export interface Program {
  readonly nodes: readonly ProgramNode[];
  readonly first: number;
  /** The parts of the pattern that match one character, by their text: `a`, `\d`, `[^a-z]`. */
  readonly atoms: ReadonlyMap<string, AtomNode>;
  /** How many groups the pattern has, the whole match not counted. */
  readonly groups: number;
}

export type AtomNode = AST.Character | AST.CharacterSet | AST.ClassRangesCharacterClass;

/** The edition that every supported Node has. Later ones add what older Nodes refuse. */
const PARSER = new RegExpParser({ ecmaVersion: 2024 });

/**
 * Returns the program of a regular expression with the flag u. Throws a PatternError for
 * look-around, for back-references and where repetitions make more than `most` nodes.
 */
export function readProgram(source: string, most: number): Program {
  return new ProgramBuilder(most, false).build(parsePattern(source));
}

/**
 * Returns the same with nodes of groups. Options are in the order in which RegExp tries them. Also
 * throws where a part repeats that may match nothing: RegExp has rules of its own for that.
 */
export function readGroupProgram(source: string, most: number): Program {
  return new ProgramBuilder(most, true).build(parsePattern(source));
}

function parsePattern(source: string): AST.Pattern {
  try {
    // The engine knows best which names of properties it has.
    new RegExp(source, 'u');
    return PARSER.parsePattern(source, 0, source.length, { unicode: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PatternError('invalid', `not a regular expression (flag u): ${why}.`);
  }
}

/** Builds from the end: what follows a part is there before it. */
class ProgramBuilder {
  readonly #nodes: ProgramNode[] = [{ kind: 'match' }];
  readonly #atoms = new Map<string, AtomNode>();
  readonly #atomNumbers = new Map<string, number>();
  readonly #most: number;
  readonly #withGroups: boolean;
  /** From 1, in the order in which they begin. */
  readonly #groups = new Map<AST.CapturingGroup, number>();
  #steps = 0;

  constructor(most: number, withGroups: boolean) {
    this.#most = most;
    this.#withGroups = withGroups;
  }

  build(pattern: AST.Pattern): Program {
    visitRegExpAST(pattern, {
      onCapturingGroupEnter: (group) => this.#groups.set(group, this.#groups.size + 1),
    });
    const first = this.#addChoice(pattern.alternatives, 0);
    return { nodes: this.#nodes, first, atoms: this.#atoms, groups: this.#groups.size };
  }

  #addChoice(alternatives: readonly AST.Alternative[], next: number): number {
    const options = alternatives.map(({ elements }) =>
      elements.reduceRight((after, element) => this.#addElement(element, after), next),
    );
    const [only] = options;
    return options.length === 1 && only !== undefined
      ? only
      : this.#add({ kind: 'choice', options });
  }

  /** Adds what matches `element` and goes on with the node `next`; returns its first node. */
  #addElement(element: AST.Element, next: number): number {
    // Repetitions of nothing add no nodes, so what is built is counted here.
    this.#steps++;
    if (this.#steps > this.#most) throw new PatternError('unsafe', TOO_LONG);
    switch (element.type) {
      case 'Group':
        return this.#addChoice(element.alternatives, next);
      case 'CapturingGroup':
        return this.#addGroup(element, next);
      case 'Quantifier':
        return this.#addRepetition(element, next);
      case 'Character':
      case 'CharacterSet':
        return this.#addAtom(element, next);
      case 'CharacterClass':
        if (!element.unicodeSets) return this.#addAtom(element, next);
        break;
      case 'Assertion':
        if (element.kind === 'lookahead' || element.kind === 'lookbehind') break;
        return this.#add({ kind: 'condition', condition: conditionOf(element), next });
    }
    throw new PatternError(
      'unsafe',
      `a pattern can't have look-around or back-references such as ${element.raw}, because the ` +
        'server reads a text only once. Check the rest in a hook.',
    );
  }

  #addGroup(element: AST.CapturingGroup, next: number): number {
    if (!this.#withGroups) return this.#addChoice(element.alternatives, next);
    const slot = 2 * (this.#groups.get(element) ?? 0);
    const end = this.#add({ kind: 'mark', slot: slot + 1, next });
    return this.#add({ kind: 'mark', slot, next: this.#addChoice(element.alternatives, end) });
  }

  #addRepetition({ element, min, max, greedy }: AST.Quantifier, next: number): number {
    const order = (again: number): number[] => (greedy ? [again, next] : [next, again]);
    let first = next;
    if (max === Number.POSITIVE_INFINITY) {
      const options: number[] = [];
      first = this.#add({ kind: 'choice', options });
      options.push(...order(this.#addTurn(element, first)));
    } else {
      for (let turn = min; turn < max; turn++)
        first = this.#add({ kind: 'choice', options: order(this.#addTurn(element, first)) });
    }
    for (let turn = 0; turn < min; turn++) first = this.#addTurn(element, first);
    return first;
  }

  /** Adds one turn of a repetition: the groups within it begin anew. */
  #addTurn(element: AST.Element, next: number): number {
    const first = this.#addElement(element, next);
    if (!this.#withGroups) return first;
    if (mayBeEmpty(element)) throw new PatternError('unsafe', EMPTY_TURNS);
    const isWithin = ({ start, end }: AST.Node): boolean =>
      element.start <= start && end <= element.end;
    const numbers = [...this.#groups].filter(([group]) => isWithin(group)).map(([, at]) => at);
    const [lowest, highest] = [numbers[0], numbers.at(-1)];
    if (lowest === undefined || highest === undefined) return first;
    return this.#add({ kind: 'clear', first: lowest, last: highest, next: first });
  }

  #addAtom(node: AtomNode, next: number): number {
    const { raw } = node;
    const atom = this.#atomNumbers.get(raw) ?? this.#atoms.size;
    this.#atomNumbers.set(raw, atom);
    this.#atoms.set(raw, node);
    return this.#add({ kind: 'character', atom, next });
  }

  #add(node: ProgramNode): number {
    return this.#nodes.push(node) - 1;
  }
}

/** Returns whether a part of a pattern may match nothing. */
function mayBeEmpty(element: AST.Element): boolean {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) => elements.every(mayBeEmpty));
    case 'Quantifier':
      return element.min === 0 || mayBeEmpty(element.element);
    default:
      return element.type === 'Assertion';
  }
}

function conditionOf(assertion: AST.BoundaryAssertion): Condition {
  if (assertion.kind !== 'word') return assertion.kind;
  return assertion.negate ? 'noBoundary' : 'boundary';
}

const EMPTY_TURNS =
  'a part of a pattern that repeats can match nothing, as in (a*)*: let it match a character.';

const TOO_LONG =
  'the counted repetitions of this pattern, such as {1,1000}, are together too large. Bound the ' +
  'length of the text by maxLength, or check the text in a hook.';
